import { type MessagePort, parentPort } from "node:worker_threads";
import type { Sidecar } from "../../chain/block/sidecar.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { type BlobProof, proveBlob } from "./proveBlob.ts";
import { verifyProofs } from "./verifyProofs.ts";

export type KzgTask = { readonly sidecar: Sidecar } | { readonly blob: Bytes };
export type KzgQuestion = KzgTask & { readonly id: number };

export type KzgAnswer =
  | { readonly id: number; readonly found: boolean | BlobProof }
  | { readonly id: number; readonly failure: string };

function answer({ id, ...task }: KzgQuestion): KzgAnswer {
  try {
    return { id, found: "blob" in task ? proveBlob(task.blob) : verifyProofs(task.sidecar) };
  } catch (error) {
    return { id, failure: error instanceof Error ? error.message : String(error) };
  }
}

/** Each message is a port to serve; tasks run one at a time. */
parentPort?.on("message", (port: MessagePort) => {
  port.on("message", (question: KzgQuestion) => port.postMessage(answer(question)));
});
