import type { Random } from "./random.ts";

/** JSON with one value in it to change. */
export interface MutationSite {
  readonly path: readonly (string | number)[];
  /** The path without the indexes, such as `receipts[].logs[].topics[]`. */
  readonly field: string;
}

const CHANGES = {
  remove: (_, at) => at.remove(),
  null: (value, at) => value !== null && at.set(null),
  otherKind: (value, at, random) => at.set(random.pick([7, {}, "latest", !value, [value]])),
  digit: (value, at, random) => isHex(value) && value.length > 2 && at.set(flipDigit(value, random)),
  more: (value, at) => isHex(value) && at.set(`0x${(BigInt(value.length === 2 ? 0 : value) + 1n).toString(16)}`),
  zero: (value, at) => isHex(value) && value !== "0x0" && at.set("0x0"),
  addByte: (value, at, random) => isHex(value) && at.set(`${value}${random.between(16, 255).toString(16)}`),
  dropByte: (value, at) => isHex(value) && value.length > 3 && at.set(value.slice(0, -2)),
  empty: (value, at) => isHex(value) && value !== "0x" && at.set("0x"),
  flip: (value, at) => typeof value === "boolean" && at.set(!value),
  fill: (value, at, random) => value === null && at.set(hexOf(random, random.pick([8, 20, 32]))),
  clear: (value, at) => isFull(value) && at.set([]),
  drop: (value, at, random) => isFull(value) && at.set(value.toSpliced(random.int(value.length), 1)),
  duplicate: (value, at, random) => isFull(value) && at.set(value.toSpliced(random.int(value.length), 0, value[0])),
  insert: (value, at, random) => Array.isArray(value) && at.set([...value, hexOf(random, 32)]),
  swap: (value, at) => isFull(value) && value.length > 1 && at.set([...value.slice(1), value[0]]),
} satisfies Record<string, (value: unknown, at: Slot, random: Random) => unknown>;

export type Change = keyof typeof CHANGES;

export const CHANGE_NAMES = Object.keys(CHANGES) as Change[];

interface Slot {
  set(value: unknown): true;
  remove(): true;
}

export function places(json: unknown): MutationSite[] {
  const found: MutationSite[] = [];
  const walk = (value: unknown, path: readonly (string | number)[], field: string) => {
    if (path.length > 0) found.push({ path, field });
    if (Array.isArray(value)) {
      value.forEach((item, index) => {
        walk(item, [...path, index], `${field}[]`);
      });
    } else if (typeof value === "object" && value !== null) {
      for (const [key, item] of Object.entries(value))
        walk(item, [...path, key], field === "" ? key : `${field}.${key}`);
    }
  };
  walk(json, [], "");
  return found;
}

/** Changes one value in place; false where this change is none for it. */
export function mutate(json: unknown, { path }: MutationSite, change: Change, random: Random): boolean {
  const last = path.at(-1)!;
  const parent = path.slice(0, -1).reduce((value, key) => value[key] as Container, json as Container);
  const at: Slot = {
    set: (value) => {
      parent[last] = value;
      return true;
    },
    remove: () => {
      if (Array.isArray(parent)) parent.splice(Number(last), 1);
      else delete parent[last];
      return true;
    },
  };
  return CHANGES[change](parent[last], at, random) === true;
}

type Container = Record<string | number, unknown>;

function isHex(value: unknown): value is string {
  return typeof value === "string" && value.startsWith("0x");
}

function isFull(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.length > 0;
}

function flipDigit(text: string, random: Random): string {
  const at = random.between(2, text.length - 1);
  const digit = (Number.parseInt(text[at]!, 16) + random.between(1, 15)) % 16;
  return text.slice(0, at) + digit.toString(16) + text.slice(at + 1);
}

function hexOf(random: Random, length: number): string {
  return `0x${Buffer.from(random.bytes(length)).toString("hex")}`;
}
