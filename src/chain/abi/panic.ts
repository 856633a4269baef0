export function panicText(code: bigint): string {
  const digits = code.toString(16);
  return PANICS[digits] ?? `unknown panic code: 0x${digits}`;
}

const PANICS: Readonly<Record<string, string>> = {
  "0": "generic panic",
  "1": "assert(false)",
  "11": "arithmetic underflow or overflow",
  "12": "division or modulo by zero",
  "21": "enum overflow",
  "22": "invalid encoded storage byte array accessed",
  "31": "out-of-bounds array access; popping on an empty array",
  "32": "out-of-bounds access of an array or bytesN",
  "41": "out of memory",
  "51": "uninitialized function",
};
