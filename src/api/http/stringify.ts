import { Turn } from "../../std/async.ts";
import { JsonWriter } from "./jsonWriter.ts";

/** Items serialized between yields. */
const BATCH_SIZE = 50;

/** JSON of items shared by many responses. */
const texts = new WeakMap<object, string>();

/** Marks an immutable list item worth caching as text. */
export function constant<T extends object>(item: T): T {
  texts.set(item, JSON.stringify(item));
  return item;
}

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

export type Json = string | Buffer;

/** Yields while serializing a long list. */
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

/** Initial estimate of bytes per item. */
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

/** Joined with prefix and suffix at once, to copy a long text only once. */
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
