const BLOCK = 512;

/** Content of a file in a tar archive. */
export function readTarFile(archive: Buffer, path: string): Buffer | undefined {
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const name = textAt(archive, at, 100);
    if (name === "") return undefined;
    const size = Number.parseInt(textAt(archive, at + 124, 12), 8);
    if (!Number.isSafeInteger(size) || size < 0) return undefined;
    const start = at + BLOCK;
    if (name === path) return start + size <= archive.length ? archive.subarray(start, start + size) : undefined;
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
  return undefined;
}

function textAt(archive: Buffer, at: number, length: number): string {
  const field = archive.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.toString("latin1", 0, end < 0 ? length : end).trim();
}
