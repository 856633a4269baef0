import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { Sidecar } from "../../chain/block/sidecar.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { type BlobProof, proveBlob } from "./proveBlob.ts";
import { verifyProofs } from "./verifyProofs.ts";

export interface KzgWorkerData {
  /** Milliseconds without a task after which the thread ends. */
  readonly idleTimeout: number;
}

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

/**
 * Serves ports; tasks run one at a time. Reports when it has been idle, and ends once that is confirmed, so that no port is on
 * its way any more, and all ports are closed.
 */
function serve(parent: MessagePort, { idleTimeout }: KzgWorkerData): void {
  let open = 0;
  let isRetired = false;
  const endIfUnused = () => {
    if (isRetired && open === 0) parent.close();
  };
  const idle = setTimeout(() => parent.postMessage("idle"), idleTimeout).unref();
  parent.on("message", (message: MessagePort | "retired") => {
    if (message === "retired") isRetired = true;
    else {
      open++;
      message.on("message", (question: KzgQuestion) => {
        message.postMessage(answer(question));
        idle.refresh();
      });
      message.once("close", () => {
        open--;
        endIfUnused();
      });
    }
    endIfUnused();
  });
}

if (parentPort !== null) serve(parentPort, workerData as KzgWorkerData);
