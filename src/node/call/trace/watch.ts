import { Address } from "@ethereumjs/util";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { EMPTY } from "../../../chain/encoding/bytes.ts";
import { defined } from "../../../std/values.ts";
import type { Call, Frame as MachineFrame } from "../../evm/frame.ts";
import { haltedState } from "../../evm/nodeEvm.ts";
import type { Attempt, WatchedStep, Watcher } from "../../evm/watcher.ts";
import type { Word } from "../../evm/word.ts";
import { bigintOf } from "../../evm/word.ts";
import { failureWords } from "../failure.ts";
import type { Frame, FrameEnd, Scope, Tracer } from "./tracer.ts";
import { CALL_TYPES } from "./tracer.ts";

type EvmError = Parameters<Watcher["exit"]>[2];

/** Adapts the events of the interpreter to a tracer. */
export class TracingWatcher implements Watcher {
  readonly steps: Uint8Array | undefined;
  readonly #tracer: Tracer;
  readonly #frames: Frame[] = [];

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
    this.steps = tracer.step === undefined ? undefined : flagsOf(tracer.opcodes);
  }

  step(step: WatchedStep, frame: MachineFrame, refund: number): number {
    const scope = new FrameScope(frame, refund);
    return this.#tracer.step!({ ...step, depth: frame.call.depth + 1, scope });
  }

  enter(call: Call): void {
    const frame = frameOf(call);
    this.#frames.push(frame);
    this.#tracer.enter?.(frame);
  }

  exit(frame: MachineFrame, output: Bytes, error: EvmError): void {
    const { call } = frame;
    const halted = error && frame.program.code.length > 0 ? haltedState(frame) : undefined;
    this.#tracer.exit?.(defined(this.#frames.pop()), {
      output,
      gasUsed: BigInt(call.gas - frame.gas),
      error: error && failureWords(error, halted),
      createdAddress: call.isCreation ? addressNamed(call.address) : undefined,
    });
  }

  attempt({ opcode, caller, target, input, gas, value, depth }: Attempt): void {
    const type = defined(CALL_TYPES[opcode]);
    this.#note(
      {
        type,
        from: addressNamed(caller),
        to: target === undefined ? undefined : addressNamed(target),
        input,
        gas: BigInt(gas),
        value: type === "STATICCALL" ? undefined : bigintOf(value),
        depth,
      },
      { ...NOTHING, error: depth > MAX_DEPTH ? "max call depth exceeded" : "insufficient balance for transfer" },
    );
  }

  log(address: Bytes, topics: readonly Bytes[], data: Bytes): void {
    this.#tracer.log?.({ address: new Address(address), topics, data });
  }

  destroy(address: string, beneficiary: string, balance: bigint, depth: number): void {
    const [from, to] = [addressNamed(address), addressNamed(beneficiary)];
    this.#note({ type: "SELFDESTRUCT", from, to, input: EMPTY, gas: 0n, value: balance, depth }, NOTHING);
  }

  #note(frame: Frame, end: FrameEnd): void {
    this.#tracer.enter?.(frame);
    this.#tracer.exit?.(frame, end);
  }
}

const MAX_DEPTH = 1024;

const NOTHING: FrameEnd = { output: EMPTY, gasUsed: 0n, error: undefined, createdAddress: undefined };

function flagsOf(opcodes: ReadonlySet<number> | undefined): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, opcode) => (opcodes === undefined || opcodes.has(opcode) ? 1 : 0));
}

function frameOf(call: Call): Frame {
  const type = defined(CALL_TYPES[call.opcode]);
  const isBorrowing = type === "DELEGATECALL" || type === "CALLCODE";
  return {
    type,
    from: addressNamed(isBorrowing ? call.address : call.caller),
    to: call.isCreation ? undefined : addressNamed(call.codeAddress),
    input: call.isCreation ? call.initCode : call.data,
    gas: BigInt(call.gas),
    value: type === "STATICCALL" ? undefined : bigintOf(call.value),
    depth: call.depth,
  };
}

function addressNamed(digits: string): Address {
  return new Address(Buffer.from(digits, "hex"));
}

class FrameScope implements Scope {
  readonly #frame: MachineFrame;
  readonly refund: number;

  constructor(frame: MachineFrame, refund: number) {
    this.#frame = frame;
    this.refund = refund;
  }

  get address(): string {
    return this.#frame.call.address;
  }

  get height(): number {
    return this.#frame.height;
  }

  peek(distance: number): Word {
    return this.#frame.peek(distance);
  }

  get memoryWords(): number {
    return this.#frame.memory.words;
  }

  memory(offset: number, length: number): Bytes {
    const bytes = new Uint8Array(length);
    const { memory } = this.#frame;
    const end = Math.min(offset + length, memory.words * 32);
    if (end > offset) bytes.set(memory.view(offset, end - offset));
    return bytes;
  }

  get returnData(): Bytes {
    return this.#frame.returnData;
  }
}
