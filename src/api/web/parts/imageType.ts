/** Magic numbers of image formats. Excludes SVG, which can contain scripts. */
const SIGNATURES: readonly (readonly [type: string, signature: readonly number[]])[] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/gif", [0x47, 0x49, 0x46, 0x38]],
];

/** Undefined if the data is no image. */
export function imageType(data: Uint8Array): string | undefined {
  return SIGNATURES.find(([, signature]) => signature.every((byte, at) => data[at] === byte))?.[0];
}
