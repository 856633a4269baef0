import { type Hex, quantity, toHex } from "../../../chain/encoding/hex.ts";
import { defined } from "../../../std/values.ts";
import { revertReason } from "../failure.ts";
import type { Beginning, EmittedLog, Frame, FrameEnd, Tracer } from "./tracer.ts";
import { TraceSize } from "./traceSize.ts";

interface CallTracerOptions {
  readonly onlyTopCall: boolean;
  readonly withLog: boolean;
}

interface CallLog {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  /** Number of subcalls before it. */
  readonly position: Hex;
}

export interface CallFrame {
  readonly from: Hex;
  gas: Hex;
  gasUsed: Hex;
  to?: Hex;
  readonly input: Hex;
  output?: Hex;
  error?: string;
  revertReason?: string;
  calls?: CallFrame[];
  logs?: CallLog[];
  value?: Hex;
  readonly type: string;
}

const FRAME_CHARACTERS = 200;

export class CallTracer implements Tracer {
  readonly #options: CallTracerOptions;
  readonly #open: CallFrame[] = [];
  #top: CallFrame | undefined;
  readonly #size = new TraceSize();
  #gas = 0n;

  constructor(options: CallTracerOptions) {
    this.#options = options;
  }

  begin({ message }: Beginning): void {
    this.#gas = message.gas;
  }

  enter(frame: Frame): void {
    if (frame.depth > 0 && this.#options.onlyTopCall) return;
    this.#size.add(FRAME_CHARACTERS + 2 * frame.input.length);
    const call = presentFrame(frame, frame.depth === 0 ? this.#gas : frame.gas);
    const parent = this.#open.at(-1);
    if (parent === undefined) this.#top = call;
    else adopt(parent, call);
    this.#open.push(call);
  }

  exit(frame: Frame, end: FrameEnd): void {
    if (frame.depth > 0 && this.#options.onlyTopCall) return;
    this.#size.add(2 * end.output.length);
    finish(defined(this.#open.pop()), frame, end);
  }

  log({ address, topics, data }: EmittedLog): void {
    const call = this.#open.at(-1);
    if (!this.#options.withLog || call === undefined) return;
    this.#size.add(FRAME_CHARACTERS + 70 * topics.length + 2 * data.length);
    call.logs ??= [];
    call.logs.push({
      address: toHex(address.bytes),
      topics: topics.map(toHex),
      data: toHex(data),
      position: quantity(call.calls?.length ?? 0),
    });
  }

  end(gasUsed: bigint): void {
    if (this.#top === undefined) return;
    this.#top.gasUsed = quantity(gasUsed);
    dropFailedLogs(this.#top, false);
  }

  result(): CallFrame | undefined {
    return this.#top;
  }
}

function adopt(parent: CallFrame, call: CallFrame): void {
  parent.calls ??= [];
  parent.calls.push(call);
}

function presentFrame({ type, from, to, input, value }: Frame, gas: bigint): CallFrame {
  return {
    from: toHex(from.bytes),
    gas: quantity(gas),
    gasUsed: "0x0",
    ...(to && { to: toHex(to.bytes) }),
    input: toHex(input),
    ...(value !== undefined && { value: quantity(value) }),
    type,
  };
}

function finish(call: CallFrame, { type }: Frame, { output, gasUsed, error, createdAddress }: FrameEnd): void {
  call.gasUsed = quantity(gasUsed);
  const isCreation = type === "CREATE" || type === "CREATE2";
  if (error === undefined) {
    if (isCreation && createdAddress !== undefined) call.to = toHex(createdAddress.bytes);
    if (output.length > 0) call.output = toHex(output);
    return;
  }
  call.error = error;
  if (error !== "execution reverted" || output.length === 0) return;
  call.output = toHex(output);
  const reason = revertReason(output);
  if (reason !== undefined) call.revertReason = reason;
}

function dropFailedLogs(call: CallFrame, hasFailed: boolean): void {
  const isLost = hasFailed || call.error !== undefined;
  if (isLost) delete call.logs;
  for (const inner of call.calls ?? []) dropFailedLogs(inner, isLost);
}
