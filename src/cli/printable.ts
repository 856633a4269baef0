/** File names and messages may contain terminal control sequences. */
export function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, "\ufffd");
}
