import type { Machine } from "../../machine/machine.ts";
import { pacePrecompiles } from "../../machine/pacePrecompiles.ts";
import type { Pace } from "../../state/pace.ts";
import { observeLibrary } from "./observeLibrary.ts";
import type { Tracer } from "./tracer.ts";
import { TracingWatcher } from "./watch.ts";

/** Attaches a tracer. Returns a function that detaches it. */
export function observe(machine: Machine, tracer: Tracer, pace: Pace): () => void {
  const { evm } = machine;
  let leaveLibrary: (() => void) | undefined;
  evm.pace = pace;
  evm.watcher = new TracingWatcher(tracer);
  // Only for more gas than a number holds, and for rules that our interpreter does not know.
  evm.beforeLibrary = () => {
    leaveLibrary ??= observeLibrary(machine, tracer, pace);
  };
  pacePrecompiles(machine, pace);
  return () => {
    evm.watcher = undefined;
    evm.beforeLibrary = undefined;
    leaveLibrary?.();
  };
}
