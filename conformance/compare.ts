import type { Message } from "./cases.ts";

/** Where an answer departs from the expected one, or nothing. An error's message may be any. */
export function difference(expected: Message, answered: Message, isShapeOnly: boolean): string | undefined {
  const [want, have] = [withoutMessage(expected), withoutMessage(answered)];
  if (expected.error === undefined && answered.error !== undefined) return `refused: ${answered.error.message}`;
  return isShapeOnly ? unlike(want, have, "") : unequal(want, have, "");
}

function withoutMessage({ result, error }: Message): unknown {
  if (error === undefined) return { result };
  return { error: { code: error.code, ...(error.data !== undefined && { data: error.data }) } };
}

/** Path of the first difference; the order of keys is ignored. */
function unequal(want: unknown, have: unknown, path: string): string | undefined {
  if (!isObject(want) || !isObject(have) || Array.isArray(want) !== Array.isArray(have)) {
    return Object.is(want, have) ? undefined : show(path, want, have);
  }
  const keys = new Set([...Object.keys(want), ...Object.keys(have)]);
  for (const key of keys) {
    const found = unequal(want[key], have[key], `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The first place at which two values are not of the same keys and types; of arrays the first items are compared. */
function unlike(want: unknown, have: unknown, path: string): string | undefined {
  if (want === null) return undefined;
  if (Array.isArray(want)) {
    if (!Array.isArray(have)) return show(path, want, have);
    return want.length === 0 || have.length === 0 ? undefined : unlike(want[0], have[0], `${path}.0`);
  }
  if (!isObject(want) || !isObject(have)) return typeof want === typeof have ? undefined : show(path, want, have);
  if (Object.keys(want).every(isName)) return unlikeMaps(want, have, path);
  for (const key of new Set([...Object.keys(want), ...Object.keys(have)])) {
    if (!(key in want) || !(key in have)) return show(`${path}.${key}`, want[key], have[key]);
    const found = unlike(want[key], have[key], `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Addresses and numbers as keys name things and no fields. */
function isName(key: string): boolean {
  return /^(0x|\d)/.test(key);
}

function unlikeMaps(want: Tree, have: Tree, path: string): string | undefined {
  const [first] = Object.values(want);
  for (const [key, value] of Object.entries(have)) {
    if (!isName(key) || (isObject(first) && !isObject(value))) return show(`${path}.${key}`, first, value);
  }
  return undefined;
}

type Tree = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Tree {
  return typeof value === "object" && value !== null;
}

function show(path: string, want: unknown, have: unknown): string {
  const text = (value: unknown) => (JSON.stringify(value) ?? "nothing").slice(0, 100);
  return `${path.slice(1)}: expected ${text(want)}, not ${text(have)}`;
}
