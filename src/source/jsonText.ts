import { ChainError } from "../chain/error.ts";
import { textOf } from "./http/bodyBuffer.ts";
import type { Reply } from "./http/connection.ts";

/** The text of a result, parsed only if its value is asked for. */
export class JsonText {
  readonly bytes: Buffer;
  #value: unknown;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get value(): unknown {
    this.#value ??= parse(this.bytes);
    return this.#value;
  }
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(textOf(bytes));
  } catch (cause) {
    throw new ChainError("upstream_invalid", "the node sent a result that is no JSON", { cause });
  }
}

/** What nodes write around a result with an id. */
type Envelope = readonly [head: (id: number) => string, tail: (id: number) => string];

const ENVELOPES: readonly Envelope[] = [
  [(id) => `{"jsonrpc":"2.0","id":${id},"result":`, () => "}"],
  [() => `{"jsonrpc":"2.0","result":`, (id) => `,"id":${id}}`],
];

/**
 * The results of a reply, in order, without parsing it. Undefined if one of them is an error or missing, or if the reply
 * is written in another way. Strings cannot contain what separates results, since their quotes are escaped.
 */
export function resultTexts({ status, body }: Reply, count: number, firstId: number) {
  if (status !== 200 || body === undefined) return undefined;
  for (const envelope of ENVELOPES) {
    const results = cut(trimmed(body), envelope, count, firstId);
    if (results !== undefined) return results;
  }
  return undefined;
}

function cut(body: Buffer, [head, tail]: Envelope, count: number, firstId: number) {
  const isBatch = count > 1;
  const open = (isBatch ? "[" : "") + head(firstId);
  const close = tail(firstId + count - 1) + (isBatch ? "]" : "");
  if (!holdsAt(body, open, 0) || !holdsAt(body, close, body.length - close.length)) return undefined;
  const results: { result: JsonText | null }[] = [];
  let start = open.length;
  for (let id = firstId; id < firstId + count; id++) {
    const joint = `${tail(id)},${head(id + 1)}`;
    const isLast = id === firstId + count - 1;
    const end = isLast ? body.length - close.length : body.indexOf(joint, start, "latin1");
    if (end <= start) return undefined;
    const result = resultOf(body.subarray(start, end));
    if (result === undefined) return undefined;
    results.push({ result });
    start = end + joint.length;
  }
  return results;
}

const [BRACE, END_BRACE, BRACKET, END_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Some nodes send an error beside a result of null. */
function resultOf(bytes: Buffer): JsonText | null | undefined {
  const [first, last] = [bytes[0], bytes[bytes.length - 1]];
  if ((first === BRACE && last === END_BRACE) || (first === BRACKET && last === END_BRACKET))
    return new JsonText(bytes);
  return bytes.length === 4 && holdsAt(bytes, "null", 0) ? null : undefined;
}

function trimmed(body: Buffer): Buffer {
  let end = body.length;
  while (end > 0 && body[end - 1]! <= 0x20) end--;
  return body.subarray(0, end);
}

function holdsAt(body: Buffer, text: string, at: number): boolean {
  return at >= 0 && body.toString("latin1", at, at + text.length) === text;
}
