import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { EMPTY } from "../../../chain/encoding/bytes.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import { JsonText } from "../../../jsonrpc/envelope.ts";
import { opcodeName } from "../../evm/opcodes.ts";
import type { Word } from "../../evm/word.ts";
import { slotName, wordFromBytes } from "../../evm/word.ts";
import type { WorldState } from "../../state/worldState.ts";
import { AsciiText } from "./asciiText.ts";
import type { Beginning, Frame, FrameEnd, Scope, Step, Tracer } from "./tracer.ts";
import { TraceSize } from "./traceSize.ts";

interface StructLoggerOptions {
  readonly enableMemory: boolean;
  readonly disableStack: boolean;
  readonly disableStorage: boolean;
  readonly enableReturnData: boolean;
  /** Result size at which steps are no longer recorded; 0 for no limit. */
  readonly limit: number;
}

const CHARACTERS_PER_WORK = 32;

const SLOAD = 0x54;
const SSTORE = 0x55;

const NAMES = Array.from({ length: 256 }, (_, opcode) => opcodeName(opcode));

/** Writes JSON, of which objects would take several times as much memory and time. */
export class StructLogger implements Tracer {
  readonly #options: StructLoggerOptions;
  readonly #logs = new AsciiText();
  readonly #storage = new Map<string, Map<string, string>>();
  readonly #size = new TraceSize();
  #state!: WorldState;
  #gasUsed = 0n;
  #output: Bytes = EMPTY;
  #error: string | undefined;

  constructor(options: StructLoggerOptions) {
    this.#options = options;
  }

  begin({ state }: Beginning): void {
    this.#state = state;
  }

  step(step: Step): number {
    const { limit } = this.#options;
    if (limit !== 0 && this.#size.characters > limit) return 1;
    const log = this.#logOf(step);
    this.#size.add(log.length + 1);
    this.#logs.append(this.#logs.isEmpty ? log : `,${log}`);
    return 8 + log.length / CHARACTERS_PER_WORK;
  }

  exit({ depth }: Frame, { output, error }: FrameEnd): void {
    if (depth !== 0) return;
    this.#output = output;
    this.#error = error;
  }

  end(gasUsed: bigint): void {
    this.#gasUsed = gasUsed;
  }

  result(): JsonText {
    const isFailed = this.#error !== undefined;
    const hasOutput = !isFailed || this.#error === "execution reverted";
    const output = hasOutput ? toHex(this.#output) : "0x";
    const head = `{"gas":${this.#gasUsed},"failed":${isFailed},"returnValue":"${output}","structLogs":[`;
    return new JsonText(`${head}${this.#logs.read()}]}`);
  }

  #logOf(step: Step): string {
    const { opcode, programCounter, gas, cost, depth, error, scope } = step;
    const { enableMemory, disableStack, enableReturnData } = this.#options;
    let log = `{"pc":${programCounter},"op":"${NAMES[opcode]}","gas":${gas},"gasCost":${cost},"depth":${depth}`;
    if (error !== undefined) log += `,"error":${JSON.stringify(error)}`;
    if (!disableStack) log += `,"stack":[${stackText(scope)}]`;
    if (enableReturnData && scope.returnData.length > 0) log += `,"returnData":"${toHex(scope.returnData)}"`;
    if (enableMemory && scope.memoryWords > 0) log += `,"memory":[${memoryText(scope)}]`;
    if (opcode === SLOAD || opcode === SSTORE) log += this.#storageText(opcode, scope);
    if (scope.refund > 0) log += `,"refund":${scope.refund}`;
    return `${log}}`;
  }

  /** All slots of the account so far. */
  #storageText(opcode: number, scope: Scope): string {
    const needed = opcode === SLOAD ? 1 : 2;
    if (this.#options.disableStorage || scope.height < needed) return "";
    const { address } = scope;
    const key = slotName(scope.peek(0));
    const value = opcode === SLOAD ? wordFromBytes(this.#state.slotAt(address, key)) : scope.peek(1);
    const slots = this.#storage.get(address) ?? new Map<string, string>();
    this.#storage.set(address, slots.set(key, slotName(value)));
    let text = "";
    for (const [name, word] of slots) text += `${text === "" ? "" : ","}"0x${name}":"0x${word}"`;
    return `,"storage":{${text}}`;
  }
}

function stackText(scope: Scope): string {
  let text = "";
  for (let distance = scope.height - 1; distance >= 0; distance--) {
    text += `"0x${hexOf(scope.peek(distance))}"${distance === 0 ? "" : ","}`;
  }
  return text;
}

function hexOf(word: Word): string {
  return word.toString(16);
}

function memoryText(scope: Scope): string {
  const digits = Buffer.from(scope.memory(0, scope.memoryWords * 32)).toString("hex");
  const words: string[] = [];
  for (let at = 0; at < digits.length; at += 64) words.push(`"0x${digits.slice(at, at + 64)}"`);
  return words.join();
}
