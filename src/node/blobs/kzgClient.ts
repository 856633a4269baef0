import type { MessagePort } from "node:worker_threads";
import type { Sidecar } from "../../chain/block/sidecar.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import type { KzgAnswer, KzgQuestion, KzgTask } from "./kzgWorker.ts";
import type { BlobProof, BlobProver } from "./proveBlob.ts";
import type { KzgVerifier } from "./verifySidecar.ts";

/** A new port, the death of the thread behind it, or its end for lack of tasks. */
export type KzgNotice = { readonly port: MessagePort } | { readonly death: string } | "idle";

interface Pending {
  readonly task: KzgTask;
  readonly resolve: (found: never) => void;
  readonly reject: (error: Error) => void;
}

/** Client of the KZG thread, usable from any thread. Requests a port with the first task, and again after it closed. */
export class KzgClient implements KzgVerifier, BlobProver {
  readonly #link: MessagePort;
  readonly #pending = new Map<number, Pending>();
  #port: MessagePort | undefined;
  #nextId = 0;
  #isIdle = false;
  #isClosed = false;

  constructor(link: MessagePort) {
    this.#link = link;
    link.on("message", (notice: KzgNotice) => {
      if (notice === "idle") this.#retire();
      else if ("port" in notice) this.#attach(notice.port);
      else this.#detach(`the KZG thread ended before it answered: ${notice.death}`);
    });
    link.once("close", () => {
      this.#isClosed = true;
      this.#detach("the KZG thread is closed");
    });
    this.#updateRef();
  }

  verify(sidecar: Sidecar): Promise<boolean> {
    return this.#ask({ sidecar });
  }

  prove(blob: Bytes): Promise<BlobProof> {
    return this.#ask({ blob });
  }

  #ask<T extends boolean | BlobProof>(task: KzgTask): Promise<T> {
    if (this.#isClosed) return Promise.reject(new ChainError("internal", "the KZG thread is closed"));
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const id = this.#nextId++;
    this.#pending.set(id, { task, resolve, reject });
    if (this.#port !== undefined) this.#port.postMessage({ id, ...task } satisfies KzgQuestion);
    else if (this.#pending.size === 1) this.#link.postMessage("connect");
    this.#updateRef();
    return promise;
  }

  close(): void {
    this.#link.close();
  }

  /** The thread ends when its ports are closed: tasks that it has been sent are finished first. */
  #retire(): void {
    this.#isIdle = this.#port !== undefined && this.#pending.size > 0;
    if (this.#isIdle) return;
    this.#port?.close();
    this.#port = undefined;
  }

  #attach(port: MessagePort): void {
    this.#port = port;
    this.#isIdle = false;
    port.on("message", (answer: KzgAnswer) => this.#settle(answer));
    for (const [id, { task }] of this.#pending) port.postMessage({ id, ...task } satisfies KzgQuestion);
    this.#updateRef();
  }

  #detach(reason: string): void {
    this.#port?.close();
    this.#port = undefined;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    this.#updateRef();
    for (const { reject } of pending) reject(new ChainError("internal", reason));
  }

  #settle(answer: KzgAnswer): void {
    const asked = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    if (this.#isIdle) this.#retire();
    this.#updateRef();
    if ("found" in answer) asked?.resolve(answer.found as never);
    else asked?.reject(new ChainError("internal", `the KZG thread failed: ${answer.failure}`));
  }

  /** Keeps the thread alive only while tasks are pending. */
  #updateRef(): void {
    for (const port of [this.#link, this.#port]) {
      if (this.#pending.size > 0) port?.ref();
      else port?.unref();
    }
  }
}
