import assert from "node:assert/strict";
import { MessageChannel } from "node:worker_threads";
import type { FastifyInstance } from "fastify";
import { createApp } from "../../src/api/app.ts";
import type { Hex } from "../../src/chain/encoding/hex.ts";
import { fromHex, quantity, toHex } from "../../src/chain/encoding/hex.ts";
import { transfersOf } from "../../src/indexer/events/transfers.ts";
import { follow, type IndexerState } from "../../src/indexer/follow.ts";
import { Indexer } from "../../src/indexer/indexer.ts";
import { TokenObserver } from "../../src/indexer/observe/observer.ts";
import { PoolObserver } from "../../src/indexer/observe/poolObserver.ts";
import { STAGES } from "../../src/indexer/stages.ts";
import type { HandleBody } from "../../src/jsonrpc/port.ts";
import { PortClient, servePort } from "../../src/jsonrpc/port.ts";
import type { Abis } from "../../src/query/decode/abis.ts";
import type { ExchangeSettings } from "../../src/query/exchange/exchangeSettings.ts";
import { Upstream } from "../../src/source/upstream.ts";
import { auditStore } from "../../src/store/audit/audit.ts";
import { IN_MEMORY } from "../../src/store/engine/databases.ts";
import { openStore } from "../../src/store/openStore.ts";
import { auditTokens } from "../../src/store/stages/tokens/audit/tokenAudit.ts";
import type { Store } from "../../src/store/store.ts";
import { checkAnswers } from "./answerSchemas.ts";
import type { Json } from "./api.ts";
import { SETTINGS } from "./api.ts";
import type { ChainPlayer } from "./chainPlayer.ts";
import { CHAIN_ID, DevelopmentNode } from "./developmentNode.ts";
import { fingerprint } from "./fingerprint/fingerprint.ts";
import type { Cleaning } from "./program.ts";
import { expectedBlock, expectedTransaction, pick } from "./restOracle.ts";
import { coins } from "./tokenArtifacts.ts";
import { until } from "./waiting.ts";
import type { WireBlock, WireReceipt } from "./wireForm.ts";

export interface FollowedOptions {
  /** Stands between the source and the node. */
  readonly around?: (handle: HandleBody) => HandleBody;
  readonly pollMilliseconds?: number;
  readonly chain?: DevelopmentNode;
  readonly abis?: Abis;
  /** Milliseconds that an answer waits for what helps to decode it. */
  readonly timeout?: number;
  /** Serves the chain's JSON-RPC as well. */
  readonly rpc?: boolean;
  readonly exchange?: ExchangeSettings;
}

/** An embedded chain, an index that follows it over a message port, and the app over both. */
export class FollowedChain {
  chain: DevelopmentNode;
  readonly store: Store;
  readonly app: FastifyInstance;
  readonly states: IndexerState[] = [];
  readonly #client = new PortClient();
  readonly #source: Upstream;
  readonly #stopping = new AbortController();
  readonly #around: (handle: HandleBody) => HandleBody;
  readonly #poll: number;
  readonly #expectDescribed: () => void;
  #following: Promise<void> = Promise.resolve();

  private constructor(chain: DevelopmentNode, store: Store, options: FollowedOptions) {
    const { around, pollMilliseconds = 3, abis, timeout, exchange } = options;
    const handle: HandleBody = (body, isTrusted) => this.chain.node.handle(body, isTrusted);
    const rpc = options.rpc ? { handle } : undefined;
    const settings = { ...SETTINGS, chainId: CHAIN_ID };
    this.chain = chain;
    this.store = store;
    this.#around = around ?? ((handle) => handle);
    this.#poll = pollMilliseconds;
    this.#source = new Upstream({ port: this.#client, chainId: CHAIN_ID, authoritative: true });
    this.app = createApp({ store, source: this.#source, abis, timeout, settings, rpc, exchange });
    this.#expectDescribed = checkAnswers(this.app);
    this.connect(chain);
  }

  static async open(t: Cleaning, options: FollowedOptions = {}): Promise<FollowedChain> {
    const chain = options.chain ?? (await DevelopmentNode.open());
    const followed = new FollowedChain(chain, await openStore(IN_MEMORY, CHAIN_ID), options);
    t.after(() => followed.close());
    return followed;
  }

  get source(): Upstream {
    return this.#source;
  }

  /** Follows this chain from now on, as if the node's thread was another. */
  connect(chain: DevelopmentNode): void {
    const { node } = chain;
    this.chain = chain;
    const { port1, port2 } = new MessageChannel();
    const handle = this.#around((body, isTrusted) => node.handle(body, isTrusted));
    servePort(port1, handle, (listener) => node.watch(listener));
    this.#client.use(port2);
  }

  /** Follows from now on. */
  start(): void {
    const { store } = this;
    const indexer = new Indexer({ store, source: this.#source, stages: STAGES, integrity: "enforce" });
    // So long that a busy machine does not leave a token out.
    const observing = { store, source: this.#source, roundMilliseconds: 60_000 };
    const observers = [new TokenObserver(observing), new PoolObserver(observing)];
    this.#following = follow({
      store,
      indexer,
      signal: this.#stopping.signal,
      pollMilliseconds: this.#poll,
      watch: (listener) => this.#source.watch(listener),
      onState: (state) => this.states.push(state),
      onIdle: async () => {
        for (const observer of observers) await observer.round();
      },
    });
  }

  /** Calls the listener after all other listeners of the node's head. */
  watch(listener: () => void): void {
    this.#source.watch(listener);
  }

  /** Waits until the index is at the chain's head, in all its stages. */
  async settle(): Promise<void> {
    const { header } = this.chain.node.context.chain.head;
    const head = toHex(header.hash);
    await until(`block ${header.number} ${head} is indexed, ${JSON.stringify(this.states)}`, async () => {
      const tip = await this.store.latest.blocks.tip();
      const stages = await this.store.latest.stages();
      return tip !== undefined && toHex(tip.hash) === head && stages.every(({ block }) => block === header.number);
    });
  }

  async get(url: string): Promise<{ status: number; body: Json }> {
    const answer = await getFrom(this.app, url);
    this.#expectDescribed();
    return answer;
  }

  /**
   * Compares the index with one built from scratch and with the node, and expects that it has no abandoned block; returns
   * the number of those.
   */
  async expectFollowed(player: ChainPlayer, label: string): Promise<number> {
    const fresh = await openStore(IN_MEMORY, CHAIN_ID);
    const app = createApp({ store: fresh, source: this.#source, settings: { ...SETTINGS, chainId: CHAIN_ID } });
    try {
      const indexer = new Indexer({ store: fresh, source: this.#source, stages: STAGES, integrity: "enforce" });
      while ((await indexer.step()) !== "idle");
      const problems = [
        ...(await this.store.read(auditStore)),
        ...(await this.store.read((session) => auditTokens(session, transfersOf))),
      ];
      assert.deepEqual(problems, [], label);
      assert.equal(await this.store.read(fingerprint), await fresh.read(fingerprint), label);
      const blocks = await this.#expectServed(label);
      const phantoms = await this.#expectNoPhantoms(player, blocks, label);
      await this.#expectSameAnswers(player, app, label);
      await this.#expectBalances(player, label);
      assert.ok(!this.states.some(({ state }) => state === "stopped"), `${label}: ${JSON.stringify(this.states)}`);
      return phantoms;
    } finally {
      await app.close();
      await fresh.close();
    }
  }

  /** Every block and transaction as REST serves it against the node's own answers. */
  async #expectServed(label: string): Promise<readonly WireBlock[]> {
    const height = Number(await this.chain.ask("eth_blockNumber"));
    const blocks: WireBlock[] = [];
    for (let number = 0; number <= height; number++) {
      const block = await this.chain.ask<WireBlock>("eth_getBlockByNumber", quantity(number), true);
      const receipts = await this.chain.ask<WireReceipt[]>("eth_getBlockReceipts", block.hash);
      const whole = { number, hash: block.hash, block, receipts };
      blocks.push(block);
      const expected = expectedBlock(whole, height);
      const { body } = await this.get(`/api/v2/blocks/${block.hash}`);
      assert.deepEqual(pick(body, expected), expected, `${label}: block ${number}`);
      for (const [index, tx] of block.transactions.entries()) {
        const wanted = expectedTransaction(tx, receipts[index]!, whole, height);
        const { body: served } = await this.get(`/api/v2/transactions/${tx.hash}`);
        assert.deepEqual(pick(served, wanted), wanted, `${label}: transaction ${tx.hash}`);
      }
    }
    assert.equal((await this.get(`/api/v2/blocks/${height + 1}`)).status, 404, label);
    return blocks;
  }

  async #expectNoPhantoms(player: ChainPlayer, canonical: readonly WireBlock[], label: string): Promise<number> {
    const blocks = new Set(canonical.map(({ hash }) => hash as string));
    const transactions = new Set(canonical.flatMap((block) => block.transactions.map(({ hash }) => hash as string)));
    const phantoms = [...player.blocks].filter((hash) => !blocks.has(hash));
    for (const hash of phantoms) {
      assert.equal(await this.store.latest.blocks.byHash(fromHex(hash)), undefined, `${label}: block ${hash}`);
      assert.equal((await this.get(`/api/v2/blocks/${hash}`)).status, 404, `${label}: block ${hash}`);
    }
    for (const hash of player.transactions) {
      if (transactions.has(hash)) continue;
      assert.equal(
        await this.store.latest.transactions.byHash(fromHex(hash)),
        undefined,
        `${label}: transaction ${hash}`,
      );
      const { status, body } = await this.get(`/api/v2/transactions/${hash}`);
      const waits = (await this.chain.ask("eth_getTransactionByHash", hash)) !== null;
      assert.deepEqual([status, body.block ?? null], [waits ? 200 : 404, null], `${label}: transaction ${hash}`);
    }
    return phantoms.length;
  }

  /** Lists and tokens, of contracts and accounts that are gone too, as from an index that never saw them. */
  async #expectSameAnswers({ addresses }: ChainPlayer, fresh: FastifyInstance, label: string): Promise<void> {
    const urls = addresses.flatMap((address) => [
      `/api/v2/addresses/${address}/transactions`,
      `/api/v2/addresses/${address}/token-transfers`,
      `/api/v2/tokens/${address}/holders`,
      `/api/v2/tokens/${address}/transfers`,
    ]);
    for (const url of urls) {
      const [ours, theirs] = [await this.get(url), await getFrom(fresh, url)];
      assert.deepEqual(withoutObserved(ours), withoutObserved(theirs), `${label}: ${url}`);
    }
  }

  async #expectBalances({ addresses, coins: tokens }: ChainPlayer, label: string): Promise<void> {
    // What is at the address of one that was taken back may be anything.
    const codes = await Promise.all(tokens.map((token) => this.chain.ask<Hex>("eth_getCode", token, "latest")));
    const present = tokens.filter((_, index) => codes[index] === coins.code);
    for (const holder of addresses) {
      const { body } = await this.get(`/api/v2/addresses/${holder}/token-balances`);
      for (const token of present) {
        const reported = await this.chain.ask<Hex>("eth_call", { to: token, data: coins.balanceOf(holder) }, "latest");
        const item = (body.items as Balance[]).find((entry) => entry.token.address_hash.toLowerCase() === token);
        assert.equal(BigInt(item?.value ?? 0), BigInt(reported), `${label}: ${holder} of ${token}`);
      }
    }
  }

  async close(): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    this.#stopping.abort();
    await this.#source.close();
    await this.#following;
    await this.app.close();
    await this.store.close();
    await this.chain.close();
  }
}

interface Balance {
  readonly token: { readonly address_hash: string };
  readonly value: string;
}

async function getFrom(app: FastifyInstance, url: string): Promise<{ status: number; body: Json }> {
  const response = await app.inject({ method: "GET", url });
  return { status: response.statusCode, body: response.json<Json>() };
}

/** An index from scratch has not asked the tokens anything yet. */
function withoutObserved(answer: unknown): unknown {
  const keep = (key: string, value: unknown) => {
    if (key === "token") return (value as Balance["token"] | null)?.address_hash;
    return key === "decimals" || key === "name" ? undefined : value;
  };
  return JSON.parse(JSON.stringify(answer, keep));
}
