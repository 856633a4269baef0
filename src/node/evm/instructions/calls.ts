import { EVMError } from "@ethereumjs/evm";
import { generateAddress, generateAddress2 } from "@ethereumjs/util";
import { EMPTY } from "../../../chain/encoding/bytes.ts";
import { uintFromBigInt } from "../../../chain/encoding/uint.ts";
import { setBalance, setNonce } from "../balances.ts";
import type { Execution } from "../execution.ts";
import { delegateOf } from "../execution.ts";
import type { Call, Frame } from "../frame.ts";
import type { Word } from "../word.ts";
import { addressName, wordBytes } from "../word.ts";
import { wordsOf } from "./data.ts";
import { isObjectFormat } from "./environment.ts";
import type { Instructions } from "./instruction.ts";
import { YIELD } from "./instruction.ts";

const MAX_CALL_DEPTH = 1024;
const MAX_NONCE = 2n ** 64n - 1n;

const CREATE = 0xf0;
const CALL = 0xf1;
const CALLCODE = 0xf2;
const DELEGATECALL = 0xf4;
const CREATE2 = 0xf5;
const STATICCALL = 0xfa;

const CALL_WORK = 200;
/** Bytes copied or hashed per work unit. */
const COPIED_PER_WORK = 256;
const HASHED_PER_WORK = 8;

export const CALLS: Instructions = {
  CALL(frame, execution) {
    const [target, value] = [addressName(frame.peek(1)), frame.peek(2)];
    if (value !== 0) frame.expectChangeable();
    const { address, isStatic } = frame.call;
    const isNew = value !== 0 && execution.isEmpty(target);
    const gas = payCall(frame, execution, { target, value, first: 3, isNew });
    const parties = { caller: address, address: target, codeAddress: target };
    return call(frame, execution, { ...parties, opcode: CALL, value, movesValue: true, isStatic, gas }, 7);
  },
  CALLCODE(frame, execution) {
    const [target, value] = [addressName(frame.peek(1)), frame.peek(2)];
    const { address, isStatic } = frame.call;
    const gas = payCall(frame, execution, { target, value, first: 3, isNew: false });
    const parties = { caller: address, address, codeAddress: target };
    return call(frame, execution, { ...parties, opcode: CALLCODE, value, movesValue: true, isStatic, gas }, 7);
  },
  DELEGATECALL(frame, execution) {
    const target = addressName(frame.peek(1));
    const { caller, address, value, isStatic } = frame.call;
    const gas = payCall(frame, execution, { target, value: 0, first: 2, isNew: false });
    const parties = { caller, address, codeAddress: target };
    return call(frame, execution, { ...parties, opcode: DELEGATECALL, value, movesValue: false, isStatic, gas }, 6);
  },
  STATICCALL(frame, execution) {
    const target = addressName(frame.peek(1));
    const gas = payCall(frame, execution, { target, value: 0, first: 2, isNew: false });
    const parties = { caller: frame.call.address, address: target, codeAddress: target };
    const how = { opcode: STATICCALL, value: 0, movesValue: true, isStatic: true, gas };
    return call(frame, execution, { ...parties, ...how }, 6);
  },
  CREATE(frame, execution) {
    return create(frame, execution, 3);
  },
  CREATE2(frame, execution) {
    return create(frame, execution, 4);
  },
  SELFDESTRUCT(frame, execution) {
    frame.expectChangeable();
    const { around } = execution;
    const { address } = frame.call;
    const beneficiary = addressName(frame.peek(0));
    const balance = execution.balance(address);
    const { gas, keepsDestroyed } = around.fork;
    const access = around.journal.warm(beneficiary) ? gas.coldAccount : 0;
    frame.charge(access + (balance > 0n && execution.isEmpty(beneficiary) ? gas.newAccount : 0));
    around.watcher?.destroy(address, beneficiary, balance, frame.call.depth + 1);
    if (!execution.destroyed.has(`0x${address}`)) execution.refund += gas.destructionRefund;
    execution.destroyed = new Map(execution.destroyed).set(`0x${address}`, `0x${beneficiary}`);
    if (beneficiary !== address) around.journal.touch(beneficiary);
    // No overflow check, like geth.
    if (beneficiary !== address && balance > 0n) {
      setBalance(around, beneficiary, BigInt.asUintN(256, execution.balance(beneficiary) + balance));
    }
    if (!keepsDestroyed || beneficiary !== address || execution.created.has(`0x${address}`))
      setBalance(around, address, 0n);
    execution.stop(frame, EMPTY);
    return YIELD;
  },
};

interface Payment {
  readonly target: string;
  readonly value: Word;
  readonly first: number;
  readonly isNew: boolean;
}

function payCall(frame: Frame, execution: Execution, { target, value, first, isNew }: Payment): number {
  const { fork, state } = execution.around;
  const { callValue, newAccount, stipend } = fork.gas;
  const [input, inputLength] = [frame.peek(first), frame.peek(first + 1)];
  const [output, outputLength] = [frame.peek(first + 2), frame.peek(first + 3)];
  const { memory } = frame;
  let cost = Math.max(memory.growthCost(input, inputLength), memory.growthCost(output, outputLength));
  cost += execution.accessCost(target);
  if (value !== 0) cost += callValue;
  if (isNew) cost += newAccount;
  const delegate = fork.delegates ? delegateOf(state.codeAt(target)) : undefined;
  if (delegate !== undefined) cost += execution.accessCost(delegate);
  const left = Math.max(0, frame.gas - cost);
  const max = left - Math.floor(left / 64);
  const asked = frame.peek(0);
  const gas = asked < max ? Number(asked) : max;
  frame.charge(cost, gas);
  memory.grow(input, inputLength);
  memory.grow(output, outputLength);
  if (asked >= max) execution.expectExactGas();
  frame.gas -= gas;
  return value === 0 ? gas : gas + stipend;
}

type Outgoing = Omit<Call, "isCreation" | "initCode" | "data" | "depth">;

/** A call that is too deep or unfunded fails at once and returns its gas. */
function call(frame: Frame, execution: Execution, outgoing: Outgoing, words: number): unknown {
  const { depth, address } = frame.call;
  const first = words - 4;
  const data = frame.memory.copy(frame.peek(first), frame.peek(first + 1));
  frame.outputOffset = Number(frame.peek(first + 2));
  frame.outputLength = Number(frame.peek(first + 3));
  frame.height -= words;
  frame.returnData = EMPTY;
  const isUnpaid = outgoing.movesValue && outgoing.value !== 0 && execution.balance(address) < outgoing.value;
  if (depth >= MAX_CALL_DEPTH || isUnpaid) {
    const { opcode, gas, value, codeAddress } = outgoing;
    const attempt = { opcode, caller: address, target: codeAddress, input: data, gas, value, depth: depth + 1 };
    execution.around.watcher?.attempt(attempt);
    frame.gas += outgoing.gas;
    frame.push(0);
    return undefined;
  }
  execution.begin({ ...outgoing, isCreation: false, initCode: EMPTY, data, depth: depth + 1 });
  execution.work(CALL_WORK + data.length / COPIED_PER_WORK);
  return YIELD;
}

function create(frame: Frame, execution: Execution, words: 3 | 4): unknown {
  frame.expectChangeable();
  const { fork, journal } = execution.around;
  const { initCodeWord, keccakWord, maxInitCodeSize } = fork.gas;
  const [value, offset, length] = [frame.peek(0), frame.peek(1), frame.peek(2)];
  const salt = words === 4 ? wordBytes(frame.peek(3)) : undefined;
  const { address: caller, depth } = frame.call;
  journal.warm(caller);
  frame.reach(offset, length, wordsOf(length) * (initCodeWord + (salt ? keccakWord : 0)));
  if (length > maxInitCodeSize) throw new EVMError(EVMError.errorMessages.INITCODE_SIZE_VIOLATION);
  const initCode = frame.memory.copy(offset, length);
  frame.height -= words;
  const gas = frame.gas - Math.floor(frame.gas / 64);
  const opcode = words === 4 ? CREATE2 : CREATE;
  const refuse = () => {
    const attempt = { opcode, caller, target: undefined, input: initCode, gas, value, depth: depth + 1 };
    execution.around.watcher?.attempt(attempt);
    frame.push(0);
  };
  if (isObjectFormat(initCode)) return refuse();
  frame.returnData = EMPTY;
  const nonce = execution.account(caller)?.nonce ?? 0n;
  if (depth >= MAX_CALL_DEPTH || execution.balance(caller) < value || nonce >= MAX_NONCE) return refuse();
  execution.expectExactGas();
  frame.gas -= gas;
  journal.touch(caller);
  setNonce(execution.around, caller, nonce + 1n);
  const creator = Buffer.from(caller, "hex");
  const bytes = salt ? generateAddress2(creator, salt, initCode) : generateAddress(creator, uintFromBigInt(nonce));
  const address = Buffer.from(bytes).toString("hex");
  const parties = { caller, address, codeAddress: address, value, movesValue: true, isStatic: false };
  execution.begin({ ...parties, opcode, isCreation: true, initCode, data: EMPTY, gas, depth: depth + 1 });
  execution.work(CALL_WORK + initCode.length / (salt === undefined ? COPIED_PER_WORK : HASHED_PER_WORK));
  return YIELD;
}
