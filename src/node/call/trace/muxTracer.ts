import { JsonText, jsonOf } from "../../../jsonrpc/envelope.ts";
import type { Beginning, EmittedLog, Frame, FrameEnd, Step, Tracer } from "./tracer.ts";

export class MuxTracer implements Tracer {
  readonly #tracers: readonly (readonly [string, Tracer])[];
  readonly step?: (step: Step) => number;

  constructor(tracers: readonly (readonly [string, Tracer])[]) {
    this.#tracers = tracers;
    const stepping = tracers.map(([, tracer]) => tracer).filter((tracer) => tracer.step !== undefined);
    if (stepping.length > 0) this.step = (step) => stepAll(stepping, step);
  }

  async begin(beginning: Beginning): Promise<void> {
    for (const [, tracer] of this.#tracers) await tracer.begin?.(beginning);
  }

  enter(frame: Frame): void {
    for (const [, tracer] of this.#tracers) tracer.enter?.(frame);
  }

  exit(frame: Frame, end: FrameEnd): void {
    for (const [, tracer] of this.#tracers) tracer.exit?.(frame, end);
  }

  log(log: EmittedLog): void {
    for (const [, tracer] of this.#tracers) tracer.log?.(log);
  }

  async end(gasUsed: bigint): Promise<void> {
    for (const [, tracer] of this.#tracers) await tracer.end?.(gasUsed);
  }

  result(): unknown {
    const results = this.#tracers.map(([name, tracer]) => `${JSON.stringify(name)}:${jsonOf(tracer.result())}`);
    return new JsonText(`{${results.join()}}`);
  }
}

function stepAll(tracers: readonly Tracer[], step: Step): number {
  let work = tracers.length;
  for (const tracer of tracers) {
    if (tracer.opcodes !== undefined && !tracer.opcodes.has(step.opcode)) continue;
    work += tracer.step?.(step) ?? 0;
  }
  return work;
}
