import { EVMError } from "@ethereumjs/evm";
import type { Execution } from "../execution.ts";
import type { Frame } from "../frame.ts";
import { outOfGas } from "../frame.ts";
import type { Word } from "../word.ts";
import { shortBytes, slotName, wordBytes, wordFromBytes } from "../word.ts";
import type { Instructions } from "./instruction.ts";
import { YIELD } from "./instruction.ts";

const SLOT_WORK = 40;

export const STORAGE: Instructions = {
  SLOAD(frame, execution) {
    const { journal, state, fork } = execution.around;
    const { address } = frame.call;
    const key = slotName(frame.peek(0));
    frame.charge(journal.warm(address + key) ? fork.gas.coldSlot : fork.gas.warmRead);
    frame.replace(wordFromBytes(state.slotAt(address, key)));
    return execution.work(SLOT_WORK) ? YIELD : undefined;
  },
  SSTORE(frame, execution) {
    frame.expectChangeable();
    const { state } = execution.around;
    const { address } = frame.call;
    const [key, word] = [slotName(frame.peek(0)), frame.peek(1)];
    frame.charge(storeCost(frame, execution, address + key, wordFromBytes(state.slotAt(address, key)), word));
    frame.height -= 2;
    state.setSlotAt(address, key, shortBytes(word));
    return execution.work(SLOT_WORK) ? YIELD : undefined;
  },
  TLOAD(frame, execution) {
    const name = frame.call.address + slotName(frame.peek(0));
    frame.replace(execution.transient.get(name) ?? 0);
  },
  TSTORE(frame, execution) {
    frame.expectChangeable();
    const name = frame.call.address + slotName(frame.peek(0));
    execution.setTransient(name, frame.peek(1));
    frame.height -= 2;
  },
  LOG0: (frame, execution) => log(frame, execution, 0),
  LOG1: (frame, execution) => log(frame, execution, 1),
  LOG2: (frame, execution) => log(frame, execution, 2),
  LOG3: (frame, execution) => log(frame, execution, 3),
  LOG4: (frame, execution) => log(frame, execution, 4),
};

/** EIP-2200, EIP-2929: by original, current and new value. */
function storeCost(frame: Frame, execution: Execution, name: string, now: Word, next: Word): number {
  const { journal, fork } = execution.around;
  const { store, coldSlot, warmRead } = fork.gas;
  if (frame.gas <= store.sentry) {
    frame.programCounter--;
    throw outOfGas();
  }
  let before = execution.originals.get(name);
  if (before === undefined) {
    before = now;
    execution.originals.set(name, now);
  }
  const access = journal.warm(name) ? coldSlot : 0;
  if (now === next) return access + warmRead;
  if (before === now) {
    if (before === 0) return access + store.init;
    if (next === 0) execution.refund += store.clearRefund;
    return access + store.clean;
  }
  if (before !== 0) {
    if (now === 0) takeRefund(execution, store.clearRefund);
    else if (next === 0) execution.refund += store.clearRefund;
  }
  if (before === next) execution.refund += (before === 0 ? store.init : store.reset - coldSlot) - warmRead;
  return access + store.dirty;
}

function takeRefund(execution: Execution, amount: number): void {
  execution.refund -= amount;
  if (execution.refund >= 0) return;
  execution.refund = 0;
  throw new EVMError(EVMError.errorMessages.REFUND_EXHAUSTED);
}

function log(frame: Frame, execution: Execution, topics: number): unknown {
  frame.expectChangeable();
  const { logTopic, logByte } = execution.around.fork.gas;
  const [offset, length] = [frame.peek(0), frame.peek(1)];
  frame.reach(offset, length, logTopic * topics + logByte * Number(length));
  const words = Array.from({ length: topics }, (_, index) => wordBytes(frame.peek(2 + index)));
  frame.height -= 2 + topics;
  const address = new Uint8Array(Buffer.from(frame.call.address, "hex"));
  const data = new Uint8Array(frame.memory.copy(offset, length));
  execution.logs.push([address, words, data]);
  execution.around.watcher?.log(address, words, data);
  return execution.work(SLOT_WORK + (length as number) / 16) ? YIELD : undefined;
}
