import type { EVMError, ExecResult } from "@ethereumjs/evm";
import { panicText } from "../../chain/abi/panic.ts";
import { readSize, WORD } from "../../chain/abi/word.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { RPC, RpcError } from "../../jsonrpc/rpcError.ts";
import { opcodeName, stackFault } from "../evm/opcodes.ts";

type Halted = ExecResult["runState"];

/** geth's messages by the library's. */
const WORDS: Readonly<Record<string, string>> = {
  revert: "execution reverted",
  "code store out of gas": "contract creation code storage out of gas",
  "code size to deposit exceeds maximum code size": "max code size exceeded",
  "initcode exceeds max initcode size": "max initcode size exceeded",
  "static state change": "write protection",
  "create collision": "contract address collision",
  "insufficient balance": "insufficient balance for transfer",
  "invalid bytecode deployed": "invalid code: must not begin with 0xef",
};

export function failureWords({ error }: EVMError, halted: Halted): string {
  if (halted !== undefined) {
    const exact = exactWords(error, halted);
    if (exact !== undefined) return exact;
  }
  // The library appends the location to a jump error.
  return error.startsWith("invalid JUMP") ? "invalid jump destination" : (WORDS[error] ?? error);
}

const RETURN = 0xf3;
const RETURNDATACOPY = 0x3e;

function exactWords(error: string, halted: NonNullable<Halted>): string | undefined {
  const { code, programCounter, stack, returnBytes } = halted;
  // The counter is at the instruction if its gas could not be paid, and past it if it failed itself.
  const [at, before] = [code[programCounter] ?? 0, code[programCounter - 1] ?? 0];
  switch (error) {
    case "invalid opcode":
      return `invalid opcode: ${opcodeName(at)}`;
    case "stack underflow":
    case "stack overflow":
      return stackFault(at, stack.length) ?? stackFault(before, stack.length);
    case "out of gas":
      if (before === RETURN) return "contract creation code storage out of gas";
      if (at === RETURNDATACOPY && stack.length >= 3) {
        const [, offset = 0n, length = 0n] = stack.peek(3);
        if (offset + length > returnBytes.length) return "return data out of bounds";
      }
      return undefined;
    default:
      return undefined;
  }
}

export function callFailure(error: EVMError, returnValue: Bytes, halted: Halted): RpcError {
  if (error.error !== "revert") return new RpcError(RPC.server, failureWords(error, halted));
  const reason = revertReason(returnValue);
  const message = reason === undefined ? "execution reverted" : `execution reverted: ${reason}`;
  return new RpcError(RPC.reverted, message, toHex(returnValue));
}

const ERROR = 0x08c379a0;
const PANIC = 0x4e487b71;

export function revertReason(data: Bytes): string | undefined {
  if (data.length < 4) return undefined;
  const selector = Buffer.from(data.subarray(0, 4)).readUInt32BE();
  const body = data.subarray(4);
  if (selector === ERROR) return readString(body);
  if (selector !== PANIC || body.length < WORD) return undefined;
  return panicText(uintToBigInt(body.subarray(0, WORD)));
}

function readString(body: Bytes): string | undefined {
  const offset = readSize(body, 0);
  const length = offset === undefined ? undefined : readSize(body, offset);
  if (offset === undefined || length === undefined) return undefined;
  const start = offset + WORD;
  return start + length > body.length ? undefined : Buffer.from(body.subarray(start, start + length)).toString();
}
