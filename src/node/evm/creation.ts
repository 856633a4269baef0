import { EVMError } from "@ethereumjs/evm";
import { KECCAK256_NULL, KECCAK256_RLP } from "@ethereumjs/util";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { addTo, setNonce, takeFrom } from "./balances.ts";
import type { ExecutionContext } from "./executionContext.ts";
import type { Frame } from "./frame.ts";
import { outOfGas } from "./frame.ts";

export function beginCreation(around: ExecutionContext, frame: Frame): EVMError | undefined {
  const { caller, address, value, initCode } = frame.call;
  const unpaid = takeFrom(around, caller, value);
  if (unpaid !== undefined) throw unpaid;
  if (initCode.length > around.fork.gas.maxInitCodeSize) {
    frame.gas = 0;
    return new EVMError(EVMError.errorMessages.INITCODE_SIZE_VIOLATION);
  }
  if (isTaken(around, address)) {
    frame.gas = 0;
    return new EVMError(EVMError.errorMessages.CREATE_COLLISION);
  }
  around.state.clearAt(address);
  around.journal.touch(address);
  setNonce(around, address, (around.state.accountAt(address)?.nonce ?? 0n) + 1n);
  return addTo(around, address, value);
}

/** An account with a nonce, code or storage (EIP-684, EIP-7610). */
function isTaken({ state }: ExecutionContext, address: string): boolean {
  const account = state.accountAt(address);
  if (account === undefined) return false;
  const { nonce, codeHash, storageRoot } = account;
  return nonce > 0n || !equalBytes(codeHash, KECCAK256_NULL) || !equalBytes(storageRoot, KECCAK256_RLP);
}

const RESERVED = 0xef;

export function endCreation(around: ExecutionContext, frame: Frame, code: Bytes): EVMError | undefined {
  const { gas, refusesReserved } = around.fork;
  if (code.length > gas.maxCodeSize) {
    return new EVMError(EVMError.errorMessages.CODESIZE_EXCEEDS_MAXIMUM);
  }
  const cost = code.length * gas.codeByte;
  if (cost > frame.gas) return outOfGas();
  if (refusesReserved && code[0] === RESERVED) return new EVMError(EVMError.errorMessages.INVALID_BYTECODE_RESULT);
  frame.gas -= cost;
  if (code.length > 0) around.state.setCodeAt(frame.call.address, code);
  return undefined;
}
