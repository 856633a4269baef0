import type { Random } from "./random.ts";

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** How an honest document may be written: whatever of this holds, its content is the same. */
export interface Spelling {
  readonly shuffled?: boolean;
  readonly spaced?: boolean;
  readonly upperCase?: boolean;
}

const SPACES = ["", "", "", " ", "\n", "\t", "\r\n  "];

export function spell(value: unknown, random: Random, how: Spelling): string {
  const space = () => (how.spaced ? random.pick(SPACES) : "");
  const list = (parts: readonly string[]) => parts.map((part) => space() + part + space()).join(",");
  const write = (json: Json): string => {
    if (typeof json === "string" && how.upperCase && json.startsWith("0x") && random.chance(0.3))
      return `"0x${json.slice(2).toUpperCase()}"`;
    if (typeof json !== "object" || json === null) return JSON.stringify(json);
    if (Array.isArray(json)) return `[${list(json.map(write))}]`;
    const entries = Object.entries(json).filter(([, entry]) => entry !== undefined);
    const ordered = how.shuffled ? random.shuffle(entries) : entries;
    return `{${list(ordered.map(([key, entry]) => `${JSON.stringify(key)}${space()}:${space()}${write(entry)}`))}}`;
  };
  return space() + write(value as Json) + space();
}

const ODD: readonly Json[] = [
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  1e300,
  "",
  "0",
  "0x",
  "0x0",
  "0x00",
  "0x1",
  "0x01",
  "0x7",
  "0xg",
  "0X1",
  "x",
  " 0x1",
  "0x1 ",
  "0x1\u0000",
  "0xf\u00f6",
  "\u01300x1",
  "0x20000000000000",
  "0x1fffffffffffff",
  `0x${"f".repeat(64)}`,
  `0x${"f".repeat(65)}`,
  `0x${"0".repeat(70)}1`,
  `0x${"ab".repeat(20)}`,
  `0x${"cd".repeat(32)}`,
  `0x${"ef".repeat(256)}`,
  [],
  [null],
  ["0x1"],
  [{}],
  {},
  { a: [{ b: ["]}", { c: null }] }] },
];

const NAMES = [
  "l1Fee",
  "",
  "__proto__",
  "hash",
  "Hash",
  "hash ",
  "logs",
  "type",
  "extra",
  "toString",
  "\u0000",
  "ключ",
];

/** A copy in which one value, wherever it lies, is another one, missing, cut, longer, named otherwise or beside a new one. */
export function damage(document: unknown, random: Random): unknown {
  const copy = structuredClone(document);
  const places: { readonly owner: Record<string, unknown>; readonly key: string }[] = [];
  const visit = (value: unknown) => {
    if (typeof value !== "object" || value === null) return;
    for (const key of Object.keys(value)) {
      places.push({ owner: value as Record<string, unknown>, key });
      visit((value as Record<string, unknown>)[key]);
    }
  };
  visit(copy);
  const { owner, key } = random.pick(places);
  const other = random.pick(places);
  const value = owner[key];
  switch (random.int(7)) {
    case 0:
      delete owner[key];
      return Array.isArray(owner) ? removeHoles(copy) : copy;
    case 1:
      owner[key] = random.pick(ODD);
      return copy;
    case 2:
      owner[key] = typeof value === "string" ? value.slice(0, random.int(value.length + 1)) : [value];
      return copy;
    case 3:
      owner[key] = typeof value === "string" ? `${value}${random.pick(["0", "00", "f", "ff", '"', "\\", "\n"])}` : null;
      return copy;
    case 4:
      owner[key] = typeof value === "string" ? flip(value, random) : random.pick(ODD);
      return copy;
    case 5:
      if (Array.isArray(owner)) owner.push(value);
      else owner[random.pick(NAMES)] = random.chance(0.5) ? value : random.pick(ODD);
      return copy;
    default:
      owner[key] = structuredClone(other.owner[other.key]);
      return copy;
  }
}

const removeHoles = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;

function flip(text: string, random: Random): string {
  const at = random.int(Math.max(text.length, 1));
  return text.slice(0, at) + random.pick([..."0123456789abcdefABCDEFgxX \u00e9"]) + text.slice(at + 1);
}

const PIECES = [
  '"',
  "\\",
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  "0",
  "f",
  "\0",
  " ",
  "null",
  "\\u0068",
  "é",
  "\ufeff",
  "//",
  "1",
];

/** The text cut off, or with some characters changed, doubled, escaped or put in. */
export function corrupt(text: string, random: Random): string {
  const at = random.int(text.length);
  switch (random.int(6)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(0, at) + random.pick(PIECES) + text.slice(at + 1);
    case 2:
      return text.slice(0, at) + random.pick(PIECES) + text.slice(at);
    case 3:
      return doubleKey(text, random);
    case 4:
      return text.slice(0, at) + text.slice(at + 1 + random.int(40));
    default:
      return escapeCharacter(text, at);
  }
}

/** A key that comes twice: JSON.parse takes the last. */
function doubleKey(text: string, random: Random): string {
  const keys = [...text.matchAll(/"\w+"\s*:\s*("[^"]*"|null)/g)];
  if (keys.length === 0) return text;
  const [field] = random.pick(keys);
  const { index } = random.pick(keys);
  return `${text.slice(0, index)}${field},${text.slice(index)}`;
}

/** The same content, written as JSON may write it. */
function escapeCharacter(text: string, from: number): string {
  const at = text.slice(from).search(/[\w]/) + from;
  const isInString = (text.slice(0, at).split('"').length - 1) % 2 === 1;
  if (at < from || !isInString) return text;
  return `${text.slice(0, at)}\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}${text.slice(at + 1)}`;
}
