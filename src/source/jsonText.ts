import { ChainError } from "../chain/error.ts";
import { itemAt } from "../std/values.ts";
import { textOf } from "./http/bodyBuffer.ts";
import type { Reply } from "./http/connection.ts";
import type { CallResult } from "./jsonRpc.ts";
import { parseJson } from "./jsonRpc.ts";

/** The text of a result, parsed only if its value is asked for. */
export class JsonText {
  readonly bytes: Buffer;
  readonly #parsed: () => unknown;
  #value: unknown;

  /** `parsed` returns the result where the text is more than one: the reply may have more members than its envelope. */
  constructor(bytes: Buffer, parsed: () => unknown = () => undefined) {
    this.bytes = bytes;
    this.#parsed = parsed;
  }

  get value(): unknown {
    this.#value ??= parseJson(textOf(this.bytes)) ?? this.#parsed();
    if (this.#value !== undefined) return this.#value;
    throw new ChainError("upstream_invalid", "the node sent a result that is no JSON");
  }
}

/** JSON-RPC envelope that nodes write around a result. */
type Envelope = readonly [head: (id: number) => string, tail: (id: number) => string];

const ENVELOPES: readonly Envelope[] = [
  [(id) => `{"jsonrpc":"2.0","id":${id},"result":`, () => "}"],
  [() => `{"jsonrpc":"2.0","result":`, (id) => `,"id":${id}}`],
];

/**
 * The results of a reply, in order, without parsing it. Undefined if one of them is an error or missing, or if the reply
 * is written in another way. Strings cannot contain what separates results, since their quotes are escaped.
 */
export function resultTexts(
  { status, body }: Reply,
  count: number,
  firstId: number,
  parsed: () => readonly CallResult[],
): { readonly result: JsonText | null }[] | undefined {
  if (status !== 200 || body === undefined) return undefined;
  for (const envelope of ENVELOPES) {
    const results = cut(trimmed(body), envelope, count, firstId);
    if (results !== undefined) {
      return results.map((bytes, at) => ({ result: bytes && new JsonText(bytes, () => resultAt(parsed(), at)) }));
    }
  }
  return undefined;
}

function resultAt(outcomes: readonly CallResult[], at: number): unknown {
  const outcome = itemAt(outcomes, at);
  if ("error" in outcome) throw outcome.error;
  return outcome.result;
}

function cut(body: Buffer, [head, tail]: Envelope, count: number, firstId: number) {
  const isBatch = count > 1;
  const open = (isBatch ? "[" : "") + head(firstId);
  const close = tail(firstId + count - 1) + (isBatch ? "]" : "");
  if (!holdsAt(body, open, 0) || !holdsAt(body, close, body.length - close.length)) return undefined;
  const results: (Buffer | null)[] = [];
  let start = open.length;
  for (let id = firstId; id < firstId + count; id++) {
    const joint = `${tail(id)},${head(id + 1)}`;
    const isLast = id === firstId + count - 1;
    const end = isLast ? body.length - close.length : body.indexOf(joint, start, "latin1");
    if (end <= start) return undefined;
    const result = resultOf(body.subarray(start, end));
    if (result === undefined) return undefined;
    results.push(result);
    start = end + joint.length;
  }
  return results;
}

const [BRACE, END_BRACE, BRACKET, END_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Some nodes send an error beside a result of null. */
function resultOf(bytes: Buffer): Buffer | null | undefined {
  const [first, last] = [bytes[0], bytes[bytes.length - 1]];
  if ((first === BRACE && last === END_BRACE) || (first === BRACKET && last === END_BRACKET)) return bytes;
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
