/** geth's messages. */
const FAULTS = {
  empty: "empty hex string",
  syntax: "invalid hex string",
  prefix: "hex string without 0x prefix",
  odd: "hex string of odd length",
  noDigits: 'hex string "0x"',
  leadingZero: "hex number with leading zero digits",
  over64: "hex number > 64 bits",
  over256: "hex number > 256 bits",
} as const;

const DIGITS = /^[0-9a-fA-F]*$/;

/** geth accepts an empty string as no bytes. */
export function dataFault(text: string): string | undefined {
  if (text === "") return undefined;
  if (!hasPrefix(text)) return FAULTS.prefix;
  if (text.length % 2 !== 0) return FAULTS.odd;
  return DIGITS.test(text.slice(2)) ? undefined : FAULTS.syntax;
}

/** geth's message for an invalid quantity. */
export function quantityFault(text: string, bits: 64 | 256): string | undefined {
  if (text === "") return FAULTS.empty;
  if (!hasPrefix(text)) return FAULTS.prefix;
  const digits = text.slice(2);
  if (digits === "") return FAULTS.noDigits;
  if (digits.length > 1 && digits[0] === "0") return FAULTS.leadingZero;
  if (!DIGITS.test(digits)) return FAULTS.syntax;
  if (digits.length > bits / 4) return bits === 64 ? FAULTS.over64 : FAULTS.over256;
  return undefined;
}

function hasPrefix(text: string): boolean {
  return text.startsWith("0x") || text.startsWith("0X");
}
