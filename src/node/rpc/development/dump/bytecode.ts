import { concatBytes } from "@ethereumjs/util";
import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import { EMPTY } from "../../../../chain/encoding/bytes.ts";
import { toHex } from "../../../../chain/encoding/hex.ts";
import { isObject } from "../../../../std/values.ts";
import { findDestinations } from "../../../evm/program.ts";
import { invalidParams, readAddress, readData } from "../../../params/params.ts";
import { DELEGATION, delegationOf } from "../../../state/delegation.ts";

const STOP = 0x00;
const PUSH1 = 0x60;
const PUSH32 = 0x7f;

/** Code in revm's JSON form: padded, with its jump table. */
export function presentBytecode(code: Bytes): object {
  const delegation = delegationOf(code);
  if (delegation !== undefined) return { Eip7702: { delegated_address: toHex(delegation) } };
  const bytecode = concatBytes(code, new Uint8Array(paddingOf(code)));
  return {
    LegacyAnalyzed: { bytecode: toHex(bytecode), original_len: code.length, jump_table: presentJumpTable(code) },
  };
}

function presentJumpTable(code: Bytes): object {
  const data = new Uint8Array(Math.ceil(code.length / 8));
  for (const [place, is] of findDestinations(code).entries()) data[place >> 3]! |= is << (place & 7);
  return { order: "bitvec::order::Lsb0", head: { width: 8, index: 0 }, bits: code.length, data: [...data] };
}

/** Zeros that complete the last PUSH and end the code with STOP, as revm pads it. */
function paddingOf(code: Bytes): number {
  let [place, opcode] = [0, -1];
  while (place < code.length) {
    opcode = code[place]!;
    place += opcode >= PUSH1 && opcode <= PUSH32 ? opcode - PUSH1 + 2 : 1;
  }
  return place - code.length + (opcode === STOP ? 0 : 1);
}

const PATH = { argument: 0 };

export function readBytecode(code: unknown): Bytes {
  if (code === null || code === undefined) return EMPTY;
  if (isObject(code) && isObject(code.LegacyAnalyzed)) {
    const { bytecode, original_len: length } = code.LegacyAnalyzed;
    if (typeof length === "number") return readData(bytecode, PATH).subarray(0, length);
  }
  if (isObject(code) && isObject(code.Eip7702)) {
    return concatBytes(DELEGATION, readAddress(code.Eip7702.delegated_address, PATH));
  }
  throw invalidParams("invalid state: the code of a historical state");
}
