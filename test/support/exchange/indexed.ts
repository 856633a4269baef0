import { MessageChannel } from "node:worker_threads";
import type { FastifyInstance } from "fastify";
import { createApp } from "../../../src/api/app.ts";
import type { Hex } from "../../../src/chain/encoding/hex.ts";
import { Indexer } from "../../../src/indexer/indexer.ts";
import { TokenObserver } from "../../../src/indexer/observe/observer.ts";
import { PoolObserver } from "../../../src/indexer/observe/poolObserver.ts";
import { STAGES } from "../../../src/indexer/stages.ts";
import { PortClient, servePort } from "../../../src/jsonrpc/port.ts";
import type { ExchangeSettings } from "../../../src/query/exchange/exchangeSettings.ts";
import { Upstream } from "../../../src/source/upstream.ts";
import { IN_MEMORY } from "../../../src/store/engine/databases.ts";
import { openStore } from "../../../src/store/openStore.ts";
import type { Store } from "../../../src/store/store.ts";
import { checkAnswers } from "../answerSchemas.ts";
import type { Json } from "../api.ts";
import { SETTINGS } from "../api.ts";
import type { ExchangeChain } from "./chain.ts";
import type { ExchangeScene } from "./scene.ts";

const CHAIN_ID = 677;

/** An index of a chain with exchanges, and the app over it. */
export class IndexedExchange {
  readonly store: Store;
  readonly app: FastifyInstance;
  readonly #indexer: Indexer;
  readonly #observers: readonly { round(): Promise<number> }[];
  readonly #source: Upstream;
  readonly #expectDescribed: () => void;

  private constructor(chain: ExchangeChain, store: Store, exchange: ExchangeSettings | undefined) {
    const client = new PortClient();
    const { port1, port2 } = new MessageChannel();
    servePort(port1, (body, isTrusted) => chain.node.handle(body, isTrusted));
    client.use(port2);
    this.store = store;
    this.#source = new Upstream({ port: client, chainId: CHAIN_ID, authoritative: true });
    this.#indexer = new Indexer({ store, source: this.#source, stages: STAGES, integrity: "enforce" });
    let clock = 0;
    // A round that failed because the machine is busy is followed by the next at once.
    const unhurried = { roundMilliseconds: 30_000, now: () => ++clock * 100_000 };
    const asking = { store, source: this.#source, ...unhurried };
    this.#observers = [new TokenObserver(asking), new PoolObserver(asking)];
    const web = { coin: "ETH", isTestnet: false, others: [] };
    this.app = createApp({ store, source: this.#source, exchange, settings: { ...SETTINGS, chainId: CHAIN_ID, web } });
    this.#expectDescribed = checkAnswers(this.app);
  }

  static async open(chain: ExchangeChain, exchange?: ExchangeSettings): Promise<IndexedExchange> {
    return new IndexedExchange(chain, await openStore(IN_MEMORY, CHAIN_ID), exchange);
  }

  /** Catches up with the chain. */
  async index(): Promise<void> {
    while ((await this.#indexer.step()) !== "idle");
  }

  /** Catches up, and asks tokens and pools what they say of themselves. */
  async observe(rounds = 20): Promise<void> {
    await this.index();
    for (let done = 0; done < rounds; done++) for (const observer of this.#observers) await observer.round();
  }

  async get<T = Json>(url: string): Promise<{ status: number; body: T }> {
    const response = await this.app.inject({ method: "GET", url });
    this.#expectDescribed();
    return { status: response.statusCode, body: response.json<T>() };
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.#source.close();
    await this.store.close();
  }
}

export function exchangeSettings({ tokens, v2, v3 }: ExchangeScene): ExchangeSettings {
  const addressOf = (name: keyof typeof tokens): Hex => tokens[name].address;
  return {
    factories: [
      { name: "Uniswap V2", address: v2.factory },
      { name: "Uniswap V3", address: v3.factory },
    ],
    stables: [addressOf("USDA"), addressOf("USDB")],
    wrappedCoin: addressOf("WETH"),
    priceDepth: 1000,
  };
}
