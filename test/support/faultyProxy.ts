import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import type { HandleBody } from "../../src/jsonrpc/port.ts";
import type { NodeLie } from "./nodeLies.ts";
import { lieAbout } from "./nodeLies.ts";
import type { Cleaning } from "./program.ts";

/** Hangs, drops connections, is slow, lags or returns wrong data. */
export type NodeFault =
  | { readonly kind: "hang" }
  | { readonly kind: "dead" }
  | { readonly kind: "slow"; readonly milliseconds: number }
  | NodeLie;

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** An HTTP proxy in front of a node with switchable faults. */
export class FaultyProxy {
  readonly url: string;
  asked = 0;
  fault: NodeFault | undefined;
  readonly #handle: HandleBody;
  #held: ServerResponse[] = [];

  private constructor(handle: HandleBody, port: number) {
    this.#handle = handle;
    this.url = `http://127.0.0.1:${port}`;
  }

  static async open(t: Cleaning, handle: HandleBody): Promise<FaultyProxy> {
    const server = createServer((request, response) => {
      response.on("error", () => {});
      proxy.#serve(request, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const proxy = new FaultyProxy(handle, (server.address() as AddressInfo).port);
    t.after(() => {
      server.close();
      server.closeAllConnections();
    });
    return proxy;
  }

  /** Well again; who was left waiting is not answered. */
  repair(): void {
    this.fault = undefined;
    for (const response of this.#held) response.destroy();
    this.#held = [];
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const { fault } = this;
    this.asked++;
    if (fault?.kind === "dead") return void response.destroy();
    if (fault?.kind === "hang") return void this.#held.push(response);
    if (fault?.kind === "slow") await delay(fault.milliseconds);
    const isTrue = fault === undefined || fault.kind === "slow";
    const answer = isTrue ? await this.#handle(body, true) : await this.#answerFalsely(body, fault as NodeLie);
    response.writeHead(200, { "content-type": "application/json" }).end(answer ?? "");
  }

  async #answerFalsely(body: string, lie: NodeLie): Promise<string> {
    const calls = JSON.parse(body) as Call | Call[];
    const ask = async (method: string, params: readonly unknown[]) => {
      const answer = await this.#handle(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), true);
      return JSON.parse(answer as string) as { result?: unknown; error?: unknown };
    };
    const answerOne = async ({ id, method, params }: Call) => {
      const { result, error } = await lieAbout(lie, { method, params }, ask);
      return error === undefined ? { jsonrpc: "2.0", id, result } : { jsonrpc: "2.0", id, error };
    };
    const answers = await Promise.all([calls].flat().map(answerOne));
    return JSON.stringify(Array.isArray(calls) ? answers : answers[0]);
  }
}
