import type { Bytes } from "../../chain/encoding/bytes.ts";
import { LruCache } from "../../std/maps.ts";
import type { Word } from "./word.ts";
import { wordFromBytes } from "./word.ts";

const JUMPDEST = 0x5b;
const PUSH1 = 0x60;
const PUSH32 = 0x7f;

/** Bytes that fit a number. */
const SHORT = 6;

export class Program {
  readonly code: Bytes;
  #destinations: Uint8Array | undefined;
  readonly #constants = new Map<number, Word>();

  constructor(code: Bytes) {
    this.code = code;
  }

  /** Whether a JUMPDEST is at the position, outside push data. */
  isDestination(place: Word): place is number {
    if (typeof place !== "number") return false;
    this.#destinations ??= findDestinations(this.code);
    return this.#destinations[place] === 1;
  }

  /** Push data; zero-padded past the end of the code. */
  constant(place: number, size: number): Word {
    if (size > SHORT) return this.#longConstant(place, size);
    let value = 0;
    for (let at = place + 1; at <= place + size; at++) value = value * 256 + (this.code[at] ?? 0);
    return value;
  }

  #longConstant(place: number, size: number): Word {
    let word = this.#constants.get(place);
    if (word === undefined) {
      const bytes = new Uint8Array(size);
      bytes.set(this.code.subarray(place + 1, place + 1 + size));
      word = wordFromBytes(bytes);
      this.#constants.set(place, word);
    }
    return word;
  }
}

export function findDestinations(code: Bytes): Uint8Array {
  const destinations = new Uint8Array(code.length);
  for (let place = 0; place < code.length; place++) {
    const opcode = code[place]!;
    if (opcode === JUMPDEST) destinations[place] = 1;
    else if (opcode >= PUSH1 && opcode <= PUSH32) place += opcode - PUSH1 + 1;
  }
  return destinations;
}

const REMEMBERED_BYTES = 2 << 20;

const programs = new LruCache<Bytes, Program>(REMEMBERED_BYTES, ({ code }) => code.length);

/** Cached by array identity. */
export function programOf(code: Bytes): Program {
  if (code.length === 0) return NO_PROGRAM;
  let program = programs.get(code);
  if (program === undefined) {
    program = new Program(code);
    programs.set(code, program);
  }
  return program;
}

export const NO_PROGRAM = new Program(new Uint8Array(0));
