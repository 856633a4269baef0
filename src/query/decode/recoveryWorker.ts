import { parentPort } from "node:worker_threads";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { RecoveredFunction } from "./recoverFunctions.ts";
import { recoverFunctions, usedMemory } from "./recoverFunctions.ts";

/** Announces the start, so that thread startup does not count against the deadline; then the result. */
export type RecoveryMessage =
  | { readonly kind: "begun" }
  | { readonly kind: "done"; readonly functions: readonly RecoveredFunction[]; readonly memory: number };

parentPort?.on("message", (code: Bytes) => {
  post({ kind: "begun" });
  const functions = recoverFunctions(code);
  post({ kind: "done", functions, memory: usedMemory() });
});

function post(message: RecoveryMessage): void {
  parentPort?.postMessage(message);
}
