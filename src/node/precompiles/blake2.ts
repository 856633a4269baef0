import type { Bytes } from "../../chain/encoding/bytes.ts";
import { wasm } from "../../chain/hashing/webAssembly.ts";
import { BLAKE2_MODULE } from "./blake2Module.ts";

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  inputAt(): number;
  begin(isLast: number): void;
  mix(rounds: number): void;
  finish(): void;
}

/** Bytes of the input without the number of rounds and the flag of the last block. */
const INPUT_SIZE = 208;
const STATE_SIZE = 64;

/** Of a call, and a multiple of ten. V8 replaces the first, slow code of a function between its calls. */
const MAX_ROUNDS = 100_000;

let instance: Exports | undefined;

/** The compression function of BLAKE2b: `input` is state, message and offset as the precompile has them (EIP-152). */
export function compressBlake2(rounds: number, input: Bytes, isLast: boolean): Bytes {
  instance ??= new wasm.Instance(new wasm.Module(Buffer.from(BLAKE2_MODULE, "base64"))).exports as Exports;
  const memory = new Uint8Array(instance.memory.buffer, instance.inputAt(), INPUT_SIZE);
  memory.set(input);
  instance.begin(isLast ? 1 : 0);
  for (let left = rounds; left > 0; left -= MAX_ROUNDS) instance.mix(Math.min(left, MAX_ROUNDS));
  instance.finish();
  return memory.slice(0, STATE_SIZE);
}
