import { readArray, readObject } from "../chain/encoding/wire.ts";
import { ChainError } from "../chain/error.ts";
import type { Endpoint } from "./endpoint.ts";
import { parseEndpoint } from "./endpoint.ts";
import type { Reply } from "./http/connection.ts";
import { HttpTransport } from "./http/transport.ts";
import { DEFAULT_RETRY, Operation } from "./retry.ts";

/** Twice the size of 72 blobs, more than any fork allows per block. */
const MAX_BYTES = 40 << 20;
const TIMEOUT = 10_000;

/** A node may close an idle socket just as a request is sent. */
const RETRY = { ...DEFAULT_RETRY, attempts: 2, deadlineMs: TIMEOUT };

/** Statuses for unsupported paths and pruned blocks. */
const LACKING = [400, 404, 405, 410, 501];

interface SlotTimes {
  readonly genesis: number;
  readonly seconds: number;
}

export interface BeaconBlob {
  readonly blob: unknown;
  readonly commitment?: unknown;
  readonly proof?: unknown;
}

/** Blob endpoints. Since Fulu, nodes have cell proofs, and many support only the second. */
const PATHS: readonly { readonly path: string; read(item: unknown): BeaconBlob }[] = [
  {
    path: "blob_sidecars",
    read: (item) => {
      const { blob, kzg_commitment: commitment, kzg_proof: proof } = readObject(item, "blob sidecar");
      return { blob, commitment, proof };
    },
  },
  { path: "blobs", read: (blob) => ({ blob }) },
];

/** Blob endpoints of a beacon node's REST API. */
export class Beacon {
  readonly #endpoint: Endpoint;
  /** Ordered by last success. */
  #paths = PATHS;
  readonly #transport: HttpTransport;
  readonly #closing = new AbortController();
  #times: Promise<SlotTimes> | undefined;

  constructor(url: string) {
    this.#endpoint = parseEndpoint(url);
    this.#transport = new HttpTransport(this.#endpoint, { timeoutMs: TIMEOUT, bodyTimeoutMs: TIMEOUT, sockets: 2 });
  }

  close(): void {
    this.#closing.abort(new ChainError("upstream_unavailable", `the beacon node at ${this.#endpoint.name} was left`));
    this.#transport.close();
  }

  async blobs(timestamp: number): Promise<readonly BeaconBlob[]> {
    this.#times ??= this.#readTimes().catch((error: unknown) => {
      this.#times = undefined;
      throw error;
    });
    const { genesis, seconds } = await this.#times;
    const slot = Math.floor((timestamp - genesis) / seconds);
    for (const kind of this.#paths) {
      const items = readArray((await this.#get(`beacon/${kind.path}/${slot}`, LACKING)) ?? [], kind.path);
      if (items.length === 0) continue;
      this.#paths = [kind, ...PATHS.filter((other) => other !== kind)];
      return items.map((item) => kind.read(item));
    }
    return [];
  }

  async #readTimes(): Promise<SlotTimes> {
    const genesis = readObject(await this.#get("beacon/genesis"), "genesis");
    const spec = readObject(await this.#get("config/spec"), "spec");
    const seconds = Number(spec.SECONDS_PER_SLOT ?? Number(spec.SLOT_DURATION_MS) / 1000);
    const times = { genesis: Number(genesis.genesis_time), seconds };
    if (times.seconds > 0 && Number.isSafeInteger(times.genesis)) return times;
    throw new ChainError(
      "upstream_invalid",
      `the beacon node at ${this.#endpoint.name} does not say when its slots are`,
    );
  }

  /** The `data` field; undefined on a lacking status. Redirects are refused, since they may lead anywhere. */
  async #get(path: string, lacking: readonly number[] = [404]): Promise<unknown> {
    const { status, text } = await this.#fetch(`/eth/v1/${path}`);
    if (lacking.includes(status)) return undefined;
    const { name } = this.#endpoint;
    if (status !== 200) {
      throw new ChainError("upstream_unavailable", `the beacon node at ${name} answered with HTTP status ${status}`);
    }
    try {
      return readObject(JSON.parse(text), "answer").data;
    } catch {
      throw new ChainError("upstream_invalid", `the beacon node at ${name} sent no JSON object`);
    }
  }
  async #fetch(path: string): Promise<Reply> {
    for (const operation = new Operation(RETRY, this.#closing.signal, () => {}); ; ) {
      try {
        return await this.#transport.get(path, MAX_BYTES);
      } catch (error) {
        await operation.pause(error);
      }
    }
  }
}
