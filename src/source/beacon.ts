import { fromHex, toHex } from "../chain/encoding/hex.ts";
import type { Wire } from "../chain/encoding/wire.ts";
import { readArray, readObject } from "../chain/encoding/wire.ts";
import { ChainError } from "../chain/error.ts";
import { versionedHash } from "../chain/hashing/versionedHash.ts";
import type { Endpoint } from "./endpoint.ts";
import { parseEndpoint } from "./endpoint.ts";
import { Transport } from "./http/transport.ts";

/** The longest answer: nine blobs with what proves them have a third of it. */
const MOST_BYTES = 8 << 20;
const TIMEOUT = 10_000;

interface SlotTimes {
  readonly genesis: number;
  readonly seconds: number;
}

/** A beacon node's REST API, as far as it has blobs. */
export class Beacon {
  readonly #endpoint: Endpoint;
  readonly #transport: Transport;
  #times: Promise<SlotTimes> | undefined;

  constructor(url: string) {
    this.#endpoint = parseEndpoint(url);
    this.#transport = new Transport(this.#endpoint, { timeoutMs: TIMEOUT, bodyTimeoutMs: TIMEOUT, sockets: 2 });
  }

  close(): void {
    this.#transport.close();
  }

  /** The blobs of the block that was made at a time, by their versioned hashes. */
  async blobs(timestamp: number): Promise<ReadonlyMap<string, Wire>> {
    this.#times ??= this.#readTimes().catch((error: unknown) => {
      this.#times = undefined;
      throw error;
    });
    const { genesis, seconds } = await this.#times;
    const slot = Math.floor((timestamp - genesis) / seconds);
    const blobs = new Map<string, Wire>();
    for (const item of readArray((await this.#get(`beacon/blob_sidecars/${slot}`)) ?? [], "blob_sidecars")) {
      const wire = readObject(item, "blob sidecar");
      blobs.set(toHex(versionedHash(fromHex(String(wire.kzg_commitment)))), wire);
    }
    return blobs;
  }

  async #readTimes(): Promise<SlotTimes> {
    const genesis = readObject(await this.#get("beacon/genesis"), "genesis");
    const spec = readObject(await this.#get("config/spec"), "spec");
    const times = { genesis: Number(genesis.genesis_time), seconds: Number(spec.SECONDS_PER_SLOT) };
    if (times.seconds > 0 && Number.isSafeInteger(times.genesis)) return times;
    throw new ChainError(
      "upstream_invalid",
      `the beacon node at ${this.#endpoint.name} does not say when its slots are`,
    );
  }

  /** What is under `data`; undefined where there is nothing. Redirects are refused: they may lead anywhere. */
  async #get(path: string): Promise<unknown> {
    const { status, text } = await this.#transport.get(`/eth/v1/${path}`, MOST_BYTES);
    if (status === 404) return undefined;
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
}
