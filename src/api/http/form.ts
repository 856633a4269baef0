import { Turn } from "../../std/async.ts";
import { MAX_FIELDS, tooManyFields } from "./formError.ts";

const AMPERSAND = 0x26;
const EQUALS = 0x3d;
const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;

const VALUES = Int8Array.from({ length: 256 }, (_, character) => {
  const value = Number.parseInt(String.fromCharCode(character), 16);
  return Number.isNaN(value) ? -1 : value;
});

/** Bytes decoded between yields. */
const BATCH_SIZE = 1 << 17;

/**
 * Parses a URL-encoded form like `URLSearchParams`, which takes tenths of a second for the megabytes of a contract's
 * sources and blocks the event loop.
 */
export async function parseForm(body: Uint8Array): Promise<[name: string, value: string][]> {
  const decoder = new FormDecoder(body);
  const pairs: [string, string][] = [];
  for (let at = 0; at < body.length; ) {
    if (body[at] === AMPERSAND) {
      at = await decoder.skip(at, AMPERSAND);
      continue;
    }
    const next = body.indexOf(AMPERSAND, at);
    const end = next < 0 ? body.length : next;
    const sign = body.subarray(at, end).indexOf(EQUALS);
    const middle = sign < 0 ? end : at + sign;
    pairs.push([await decoder.decode(at, middle), await decoder.decode(middle + 1, end)]);
    if (pairs.length > MAX_FIELDS) throw tooManyFields();
    at = end + 1;
  }
  return pairs;
}

class FormDecoder {
  readonly #body: Uint8Array;
  readonly #decoded: Buffer;
  readonly #turn = new Turn();
  #length = 0;

  constructor(body: Uint8Array) {
    this.#body = body;
    this.#decoded = Buffer.allocUnsafe(body.length);
  }

  /** End of a run of a byte, or of a part to yield after. */
  async skip(from: number, byte: number): Promise<number> {
    const partEnd = Math.min(from + BATCH_SIZE, this.#body.length);
    let at = from;
    while (at < partEnd && this.#body[at] === byte) at++;
    await this.#turn.yieldToEventLoop();
    return at;
  }

  async decode(from: number, to: number): Promise<string> {
    this.#length = 0;
    for (let at = from; at < to; ) {
      at = this.#decodePart(at, Math.min(at + BATCH_SIZE, to), to);
      await this.#turn.yieldToEventLoop();
    }
    return this.#decoded.toString("utf8", 0, this.#length);
  }

  /** Returns where to continue: an escape may extend beyond the part. */
  #decodePart(from: number, partEnd: number, to: number): number {
    const [body, decoded] = [this.#body, this.#decoded];
    let [at, length] = [from, this.#length];
    for (; at < partEnd; at++) {
      const byte = body[at]!;
      const isEscape = byte === PERCENT && at + 2 < to;
      const [high, low] = isEscape ? [VALUES[body[at + 1]!]!, VALUES[body[at + 2]!]!] : [-1, -1];
      if (high >= 0 && low >= 0) {
        decoded[length++] = (high << 4) | low;
        at += 2;
      } else {
        decoded[length++] = byte === PLUS ? SPACE : byte;
      }
    }
    this.#length = length;
    return at;
  }
}
