import type { PortClient } from "../jsonrpc/port.ts";
import { withTimeout } from "../std/async.ts";
import type { Peer } from "./endpoint.ts";
import { UpstreamError } from "./failure.ts";
import type { Reply } from "./http/connection.ts";
import type { Transport } from "./http/transport.ts";

/** Connects to the embedded node in another thread, as a trusted caller. */
export class PortTransport implements Transport {
  readonly #peer: Peer;
  readonly #port: PortClient;
  readonly #timeoutMs: number;
  #epoch = 0;

  constructor(peer: Peer, port: PortClient, timeoutMs: number) {
    this.#peer = peer;
    this.#port = port;
    this.#timeoutMs = timeoutMs;
  }

  get epoch(): number {
    return this.#epoch;
  }

  async post(body: string, maxBytes: number): Promise<Reply> {
    try {
      const text = (await this.#ask(body)) ?? "";
      if (text.length > maxBytes) throw tooLarge(this.#peer, maxBytes);
      return { status: 200, headers: {}, text, bytes: text.length };
    } catch (error) {
      this.#epoch++;
      throw error;
    }
  }

  close(): void {
    this.#port.close();
  }

  #ask(body: string): Promise<string | undefined> {
    return withTimeout(this.#port.ask(body, true), this.#timeoutMs, () => {
      throw tooLate(this.#peer, this.#timeoutMs);
    });
  }
}

function tooLarge({ name }: Peer, maxBytes: number): UpstreamError {
  const message = `the answer of the node at ${name} is larger than ${maxBytes} bytes`;
  return new UpstreamError("limit_exceeded", message, { shrink: "now" });
}

function tooLate({ name }: Peer, timeoutMs: number): UpstreamError {
  const message = `the node at ${name} gave no answer within ${timeoutMs} ms`;
  return new UpstreamError("upstream_unavailable", message, { shrink: "later" });
}
