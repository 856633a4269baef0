import { setLengthLeft } from "@ethereumjs/util";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { EMPTY } from "../../../chain/encoding/bytes.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";
import { quantity, toHex } from "../../../chain/encoding/hex.ts";
import { uintFromBigInt } from "../../../chain/encoding/uint.ts";
import { RPC, RpcError } from "../../../jsonrpc/rpcError.ts";
import { itemAt } from "../../../std/values.ts";
import { opcodeName } from "../../evm/opcodes.ts";
import type { Frame, FrameEnd, Step, Tracer } from "./tracer.ts";

interface StructLoggerOptions {
  readonly enableMemory: boolean;
  readonly disableStack: boolean;
  readonly disableStorage: boolean;
  readonly enableReturnData: boolean;
  /** Result size at which steps are no longer recorded; 0 for no limit. */
  readonly limit: number;
}

interface StructLog {
  readonly pc: number;
  readonly op: string;
  readonly gas: number;
  readonly gasCost: number;
  readonly depth: number;
  error?: string;
  stack?: readonly Hex[];
  returnData?: Hex;
  memory?: readonly Hex[];
  storage?: Readonly<Record<Hex, Hex>>;
  refund?: number;
}

/** Larger results are refused. */
const MAX_CHARACTERS = 64 * 1024 * 1024;

const SLOAD = 0x54;
const SSTORE = 0x55;

export class StructLogger implements Tracer {
  readonly #options: StructLoggerOptions;
  readonly #logs: StructLog[] = [];
  readonly #storage = new Map<string, Map<Hex, Hex>>();
  #characters = 0;
  #gasUsed = 0n;
  #output: Bytes = EMPTY;
  #error: string | undefined;

  constructor(options: StructLoggerOptions) {
    this.#options = options;
  }

  step(step: Step): void | Promise<void> {
    const { limit, disableStorage } = this.#options;
    if (limit !== 0 && this.#characters > limit) return;
    const log = this.#logOf(step);
    const isStorage = step.opcode === SLOAD || step.opcode === SSTORE;
    if (isStorage && !disableStorage) return this.#addStorage(step, log);
    this.#note(log);
  }

  exit({ depth }: Frame, { output, error }: FrameEnd): void {
    if (depth !== 0) return;
    this.#output = output;
    this.#error = error;
  }

  end(gasUsed: bigint): void {
    this.#gasUsed = gasUsed;
  }

  result(): unknown {
    const hasOutput = this.#error === undefined || this.#error === "execution reverted";
    return {
      gas: Number(this.#gasUsed),
      failed: this.#error !== undefined,
      returnValue: hasOutput ? toHex(this.#output) : "0x",
      structLogs: this.#logs,
    };
  }

  #logOf({ opcode, programCounter, gas, cost, depth, memorySize, runState, error }: Step): StructLog {
    const { enableMemory, disableStack, enableReturnData } = this.#options;
    const { stack, memory, returnBytes, gasRefund } = runState;
    const log: StructLog = {
      pc: programCounter,
      op: opcodeName(opcode),
      gas: Number(gas),
      gasCost: Number(cost),
      depth,
    };
    if (error !== undefined) log.error = error;
    if (!disableStack) log.stack = stack.getStack().map(quantity);
    if (enableReturnData && returnBytes.length > 0) log.returnData = toHex(returnBytes);
    if (enableMemory && memorySize > 0) log.memory = wordsOf(memory._store.subarray(0, memorySize * 32));
    if (gasRefund > 0n) log.refund = Number(gasRefund);
    return log;
  }

  async #addStorage({ opcode, runState }: Step, log: StructLog): Promise<void> {
    const { stack, stateManager, env } = runState;
    if (stack.length >= (opcode === SLOAD ? 1 : 2)) {
      const words = stack.peek(opcode === SLOAD ? 1 : 2);
      const key = wordBytes(itemAt(words, 0));
      const value =
        opcode === SLOAD
          ? setLengthLeft(await stateManager.getStorage(env.address, key), 32)
          : wordBytes(itemAt(words, 1));
      log.storage = this.#remember(env.address.toString(), toHex(key), toHex(value));
    }
    this.#note(log);
  }

  #remember(address: string, key: Hex, value: Hex): Record<Hex, Hex> {
    const slots = this.#storage.get(address) ?? new Map<Hex, Hex>();
    this.#storage.set(address, slots.set(key, value));
    return Object.fromEntries(slots);
  }

  #note(log: StructLog): void {
    this.#characters += sizeOf(log);
    if (this.#characters > MAX_CHARACTERS) {
      throw new RpcError(RPC.server, "the trace is too large: trace with fewer options, or with callTracer");
    }
    this.#logs.push(log);
  }
}

function sizeOf({ stack = [], memory = [], storage = {}, returnData = "0x" }: StructLog): number {
  let size = 80 + memory.length * 69 + Object.keys(storage).length * 137 + returnData.length;
  for (const word of stack) size += word.length + 3;
  return size;
}

function wordsOf(memory: Bytes): Hex[] {
  const words: Hex[] = [];
  for (let at = 0; at + 32 <= memory.length; at += 32) words.push(toHex(memory.subarray(at, at + 32)));
  return words;
}

function wordBytes(word: bigint): Bytes {
  return setLengthLeft(uintFromBigInt(word), 32);
}
