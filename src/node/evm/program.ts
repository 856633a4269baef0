import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Word } from "./word.ts";
import { wordFromBytes } from "./word.ts";

const JUMPDEST = 0x5b;
const PUSH1 = 0x60;
const PUSH32 = 0x7f;

/** Code and what is known of it, which is found out once. */
export class Program {
  readonly code: Bytes;
  #destinations: Uint8Array | undefined;
  readonly #constants: (Word | undefined)[] = [];

  constructor(code: Bytes) {
    this.code = code;
  }

  /** Whether a jump may go there: to a JUMPDEST that is not within what a PUSH pushes. */
  isDestination(place: Word): place is number {
    if (typeof place !== "number") return false;
    this.#destinations ??= findDestinations(this.code);
    return this.#destinations[place] === 1;
  }

  /** What the PUSH at a place pushes; behind the end of the code are zeros. */
  constant(place: number, size: number): Word {
    let word = this.#constants[place];
    if (word === undefined) {
      word = readConstant(this.code, place + 1, size);
      this.#constants[place] = word;
    }
    return word;
  }
}

function findDestinations(code: Bytes): Uint8Array {
  const destinations = new Uint8Array(code.length);
  for (let place = 0; place < code.length; place++) {
    const opcode = code[place]!;
    if (opcode === JUMPDEST) destinations[place] = 1;
    else if (opcode >= PUSH1 && opcode <= PUSH32) place += opcode - PUSH1 + 1;
  }
  return destinations;
}

function readConstant(code: Bytes, from: number, size: number): Word {
  const bytes = new Uint8Array(size);
  bytes.set(code.subarray(from, from + size));
  return wordFromBytes(bytes);
}

const programs = new WeakMap<Bytes, Program>();

/** The program of a code that the state knows: whoever has the same array has the same program. */
export function programOf(code: Bytes): Program {
  let program = programs.get(code);
  if (program === undefined) {
    program = new Program(code);
    programs.set(code, program);
  }
  return program;
}
