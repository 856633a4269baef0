import { type MessagePort, parentPort } from "node:worker_threads";
import type { Sidecar } from "../../chain/block/sidecar.ts";
import { verifyProofs } from "./verifyProofs.ts";

export interface KzgQuestion {
  readonly id: number;
  readonly sidecar: Sidecar;
}

/** Whether the proofs hold, or why that could not be found out. */
export type KzgAnswer =
  | { readonly id: number; readonly isValid: boolean }
  | { readonly id: number; readonly failure: string };

function answer({ id, sidecar }: KzgQuestion): KzgAnswer {
  try {
    return { id, isValid: verifyProofs(sidecar) };
  } catch (error) {
    return { id, failure: error instanceof Error ? error.message : String(error) };
  }
}

/** Every message is a port whose questions are answered from then on, one after the other. */
parentPort?.on("message", (port: MessagePort) => {
  port.on("message", (question: KzgQuestion) => port.postMessage(answer(question)));
});
