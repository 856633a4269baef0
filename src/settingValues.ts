import { isIP } from "node:net";
import type { Hex } from "./chain/encoding/hex.ts";
import { isAddress, parseInteger } from "./chain/encoding/parse.ts";
import { ChainError } from "./chain/error.ts";

export const text = (given: string, name: string): string => {
  if (given === "") throw wrong(name, given, "a value");
  return given;
};

export const integer =
  (min: number, max: number) =>
  (given: string, name: string): number => {
    const number = parseInteger(given) ?? Number.NaN;
    if (number >= min && number <= max) return number;
    throw wrong(name, given, `an integer from ${min} to ${max}`);
  };

export const amount = (given: string, name: string): bigint => {
  if (!/^\d{1,78}$/.test(given)) throw wrong(name, given, "an amount in wei");
  return BigInt(given);
};

export const oneOf =
  <T extends string>(...allowed: readonly T[]) =>
  (given: string, name: string): T => {
    const found = allowed.find((value) => value === given);
    if (found !== undefined) return found;
    throw wrong(name, given, `one of ${allowed.join(", ")}`);
  };

export const someOf =
  <T extends string>(...allowed: readonly T[]) =>
  (given: string, name: string): T[] => {
    const entries = new Set(given.split(",").map((entry) => entry.trim()));
    const found = allowed.filter((value) => entries.has(value));
    if (found.length === entries.size) return found;
    throw wrong(name, given, `some of ${allowed.join(", ")}, with commas`);
  };

export const toggle = oneOf("true", "false");

export const url = (given: string, name: string): string => {
  // The URL may contain a key, so the message does not repeat it.
  if (!URL.canParse(given) || !/^https?:/.test(given)) throw wrong(name, undefined, "an http or https URL");
  return given;
};

export const storeUrl = (given: string, name: string): string => {
  // The URL may contain a password, so the message does not repeat it.
  const isPostgres = /^postgres(ql)?:\/\/./.test(given) && URL.canParse(given);
  if (!isPostgres && !/^sqlite:[^:]/.test(given))
    throw wrong(name, undefined, "sqlite: and a directory, or postgres://");
  return given;
};

/** Comma-separated. */
export const urls = (given: string, name: string): string[] =>
  given.split(/,\s*(?=https?:)/).map((entry) => url(entry.trim(), name));

export const webSocketUrls = (given: string, name: string): string[] => {
  if (given === "off") return [];
  const entries = given.split(/,\s*(?=wss?:)/).map((entry) => entry.trim());
  const areRight = entries.every((entry) => URL.canParse(entry) && /^wss?:/.test(entry));
  if (!areRight) throw wrong(name, undefined, "a ws or wss URL, or off");
  return entries;
};

export const mnemonic = (given: string, name: string): string => {
  const words = given.trim().split(/\s+/);
  // A mnemonic may be private, so the message does not repeat it.
  if (words.length < 12 || words.length > 24 || words.length % 3 !== 0) throw wrong(name, undefined, "12 to 24 words");
  return words.join(" ");
};

export const ranges = (given: string, name: string): string[] => {
  const entries = given.split(",").map((entry) => entry.trim());
  if (!entries.every(isRange)) throw wrong(name, given, "addresses or ranges, with commas");
  return entries;
};

/** A single address is a range of one; a range of all addresses would trust everyone. */
function isRange(entry: string): boolean {
  const [address = "", bits, ...rest] = entry.split("/");
  const version = isIP(address);
  const max = version === 4 ? 32 : version === 6 ? 128 : 0;
  const isLength = bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= max);
  return max > 0 && isLength && rest.length === 0;
}

export const address = (given: string, name: string): Hex => {
  const text = given.toLowerCase();
  if (!isAddress(text)) throw wrong(name, given, "an address");
  return text;
};

export const addresses = (given: string, name: string): Hex[] => {
  const entries = given.split(",").map((entry) => entry.trim().toLowerCase());
  if (!entries.every(isAddress)) throw wrong(name, given, "addresses, with commas");
  return entries;
};

export const hosts = (given: string, name: string): { hosts: string[]; gateway: string | undefined } => {
  const entries = given.split(",").map((entry) => entry.trim().toLowerCase());
  const names = entries.map((entry) => entry.replace(/^ipfs=/, ""));
  const gateways = names.filter((_, at) => entries[at] !== names[at]);
  const isHost = (host: string) => URL.canParse(`https://${host}`) && new URL(`https://${host}`).host === host;
  if (!names.every(isHost) || gateways.length > 1)
    throw wrong(name, given, "HOST[:PORT] or ipfs=HOST[:PORT], with commas");
  return { hosts: names, gateway: gateways[0] };
};

/** JSON-RPC method names or prefixes. */
export const methods = (given: string, name: string): string[] => {
  const entries = given.split(",").map((entry) => entry.trim());
  if (!entries.every((entry) => /^[a-zA-Z0-9]+_[a-zA-Z0-9_]*\*?$/.test(entry))) {
    throw wrong(name, given, "names of methods, with commas");
  }
  return entries;
};

interface NamedFactory {
  readonly name: string;
  readonly address: Hex;
  /** Fee of its pairs in hundredths of a basis point. */
  readonly fee: number | undefined;
}

const FACTORY = /^([^=,]{1,64})=(0x[0-9a-f]{40})(?::(\d{1,6}))?$/i;

export const factories = (given: string, name: string): NamedFactory[] =>
  given.split(",").map((entry) => {
    const match = FACTORY.exec(entry.trim());
    const [, exchange = "", place = "", fee] = match ?? [];
    if (match === null || Number(fee ?? 0) > 1_000_000) throw wrong(name, given, "NAME=ADDRESS[:FEE], with commas");
    return {
      name: exchange.trim(),
      address: place.toLowerCase() as Hex,
      fee: fee === undefined ? undefined : Number(fee),
    };
  });

function wrong(name: string, given: string | undefined, expected: string): ChainError {
  return invalid(`--${name} must be ${expected}${given === undefined ? "" : `, not ${JSON.stringify(given)}`}`);
}

/** A usage error with a message for the user. */
export function invalid(message: string, cause?: unknown): ChainError {
  return new ChainError("invalid_argument", message, cause === undefined ? undefined : { cause });
}
