import { parentPort } from "node:worker_threads";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { RecoveredFunction } from "./recoverFunctions.ts";
import { recoverFunctions, usedMemory } from "./recoverFunctions.ts";

/** That the analysis of a code begins now, so that its time is not counted while the thread starts; then its result. */
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
