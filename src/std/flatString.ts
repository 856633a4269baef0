/**
 * Flattens a rope string. V8 keeps a concatenation as a tree, and JSON.stringify runs at half speed on a record that
 * contains one. Use it for strings that are serialized repeatedly.
 */
export function flatString(text: string): string {
  return Buffer.from(text).toString();
}
