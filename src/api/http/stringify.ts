import { Turn } from "../../std/turn.ts";
import { JsonWriter } from "./jsonWriter.ts";

/** Items that are stringified before others may have their turn. */
const BATCH_SIZE = 50;

/** The JSON of items that many responses have, made once. */
const texts = new WeakMap<object, string>();

/** Says that an item of lists will not change, and is worth being kept as text. */
export function constant<T extends object>(item: T): T {
  texts.set(item, JSON.stringify(item));
  return item;
}

/** A list of a response whose items become JSON without being objects and texts before. */
export class WrittenList<T> {
  readonly items: readonly T[];
  readonly write: (item: T, json: JsonWriter) => void;

  constructor(items: readonly T[], write: (item: T, json: JsonWriter) => void) {
    this.items = items;
    this.write = write;
  }

  get length(): number {
    return this.items.length;
  }
}

/** The JSON of a response, as a text or as the bytes of one. */
export type Json = string | Buffer;

/** The JSON of a response. A long list in it is made part by part, so that others have their turn. */
export async function stringify(response: object): Promise<Json> {
  if (Array.isArray(response)) return stringifyItems(response, "[", "]");
  const fields = Object.entries(response);
  const at = fields.findIndex(([, value]) => isMadeInParts(value));
  const [name, items] = fields[at] ?? [];
  if (name === undefined) return JSON.stringify(response);
  const before = JSON.stringify(Object.fromEntries(fields.slice(0, at))).slice(0, -1);
  const after = JSON.stringify(Object.fromEntries(fields.slice(at + 1))).slice(1);
  const begin = `${before}${before === "{" ? "" : ","}${JSON.stringify(name)}:[`;
  const end = `]${after === "}" ? "" : ","}${after}`;
  return items instanceof WrittenList ? writeItems(items, begin, end) : stringifyItems(items, begin, end);
}

function isMadeInParts(value: unknown): boolean {
  if (value instanceof WrittenList) return true;
  return Array.isArray(value) && (value.length > BATCH_SIZE || isKept(value[0]));
}

/** Bytes that an item may have, to begin with. */
const USUAL_SIZE = 800;
const COMMA = 0x2c;

async function writeItems<T>({ items, write }: WrittenList<T>, begin: string, end: string): Promise<Buffer> {
  const json = new JsonWriter(begin.length + items.length * USUAL_SIZE + end.length);
  const turn = new Turn();
  json.raw(Buffer.from(begin));
  for (let at = 0; at < items.length; at++) {
    if (at > 0) json.byte(COMMA);
    write(items[at]!, json);
    if (at % BATCH_SIZE === BATCH_SIZE - 1) await turn.yieldToEventLoop();
  }
  return json.raw(Buffer.from(end)).bytes();
}

/** Between a beginning and an end, which are joined with the rest at once: a long text is not copied twice. */
async function stringifyItems(items: readonly unknown[], begin: string, end: string): Promise<string> {
  const parts: string[] = [];
  const turn = new Turn();
  for (let at = 0; at < items.length; at += BATCH_SIZE) {
    parts.push(stringifyPart(items.slice(at, at + BATCH_SIZE)));
    await turn.yieldToEventLoop();
  }
  if (parts.length === 0) return begin + end;
  parts[0] = begin + parts[0];
  parts[parts.length - 1] += end;
  return parts.join(",");
}

function stringifyPart(items: readonly unknown[]): string {
  if (!items.some(isKept)) return JSON.stringify(items).slice(1, -1);
  return items.map((item) => (isKept(item) ? texts.get(item) : (JSON.stringify(item) ?? "null"))).join(",");
}

function isKept(item: unknown): item is object {
  return typeof item === "object" && item !== null && texts.has(item);
}
