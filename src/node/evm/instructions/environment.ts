import { EVMError } from "@ethereumjs/evm";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { keccak256 } from "../../../chain/hashing/keccak.ts";
import { defined } from "../../../std/values.ts";
import type { Execution } from "../execution.ts";
import type { Frame } from "../frame.ts";
import type { Word } from "../word.ts";
import { addressName, bigintOf, wordFromBytes, wordFromName, wordOf } from "../word.ts";
import { copyCost, turnAfter } from "./data.ts";
import type { Instructions } from "./instruction.ts";
import { YIELD } from "./instruction.ts";

const ACCOUNT_WORK = 40;

export const ENVIRONMENT: Instructions = {
  ADDRESS: (frame) => frame.push(frame.addressWord),
  ORIGIN: (frame, { around }) => frame.push(wordFromName(around.origin)),
  CALLER: (frame) => frame.push(frame.callerWord),
  CALLVALUE: (frame) => frame.push(frame.call.value),
  GASPRICE: (frame, { around }) => frame.push(wordOf(around.gasPrice)),
  COINBASE: (frame, { around }) => frame.push(wordFromBytes(around.header.coinbase.bytes)),
  TIMESTAMP: (frame, { around }) => frame.push(wordOf(around.header.timestamp)),
  NUMBER: (frame, { around }) => frame.push(wordOf(around.header.number)),
  DIFFICULTY: (frame, { around: { header, fork } }) =>
    frame.push(fork.hasRandao ? wordFromBytes(header.prevRandao) : wordOf(header.difficulty)),
  GASLIMIT: (frame, { around }) => frame.push(wordOf(around.header.gasLimit)),
  CHAINID: (frame, { around }) => frame.push(wordOf(around.fork.chainId)),
  BASEFEE: (frame, { around }) => frame.push(wordOf(defined(around.header.baseFeePerGas))),
  BLOBBASEFEE: (frame, { around }) => frame.push(wordOf(defined(around.header.getBlobGasPrice()))),
  BLOBHASH(frame, { around }) {
    const hash = around.blobHashes[Number(frame.peek(0))];
    frame.replace(hash === undefined ? 0 : wordOf(BigInt(hash)));
  },
  BLOCKHASH(frame, execution) {
    const number = bigintOf(frame.peek(0));
    const distance = execution.around.header.number - number;
    if (distance > 256n || distance <= 0n) return frame.replace(0);
    execution.waitFor(execution.around.blockHash(number), (hash) => frame.replace(wordFromBytes(hash)));
    return YIELD;
  },
  SELFBALANCE: (frame, execution) => frame.push(wordOf(execution.balance(frame.call.address))),
  BALANCE(frame, execution) {
    const address = accessed(frame, execution);
    frame.replace(wordOf(execution.balance(address)));
    return turnOf(execution);
  },
  EXTCODESIZE(frame, execution) {
    const address = accessed(frame, execution);
    frame.replace(visibleCode(execution, address).length);
    return turnOf(execution);
  },
  EXTCODEHASH(frame, execution) {
    const address = accessed(frame, execution);
    frame.replace(codeHash(execution, address));
    return turnOf(execution);
  },
  EXTCODECOPY(frame, execution) {
    const address = addressName(frame.peek(0));
    const [target, from, length] = [frame.peek(1), frame.peek(2), frame.peek(3)];
    frame.reach(target, length, execution.accessCost(address) + copyCost(execution, length));
    frame.height -= 4;
    frame.memory.place(target as number, visibleCode(execution, address), from, length as number);
    return turnAfter(execution, (length as number) + 16 * ACCOUNT_WORK);
  },
  INVALID(frame) {
    frame.programCounter--;
    throw new EVMError(EVMError.errorMessages.INVALID_OPCODE);
  },
};

function accessed(frame: Frame, execution: Execution): string {
  const address = addressName(frame.peek(0));
  frame.charge(execution.accessCost(address));
  return address;
}

function turnOf(execution: Execution): unknown {
  return execution.work(ACCOUNT_WORK) ? YIELD : undefined;
}

/** EOF code as seen by other contracts. It does not run here. */
const OBJECT_FORMAT: Bytes = new Uint8Array([0xef, 0x00]);

export function isObjectFormat(code: Bytes): boolean {
  return code[0] === 0xef && code[1] === 0x00;
}

function visibleCode({ around }: Execution, address: string): Bytes {
  const code = around.state.codeAt(address);
  return isObjectFormat(code) ? OBJECT_FORMAT : code;
}

function codeHash(execution: Execution, address: string): Word {
  if (isObjectFormat(execution.around.state.codeAt(address))) return wordFromBytes(keccak256(OBJECT_FORMAT));
  return execution.isEmpty(address) ? 0 : wordFromBytes(defined(execution.account(address)).codeHash);
}
