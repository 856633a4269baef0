import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { decodeBlock } from "../../src/chain/block/block.ts";
import { toHex } from "../../src/chain/encoding/hex.ts";
import type { ErrorCode } from "../../src/chain/error.ts";
import { asChainError, ChainError } from "../../src/chain/error.ts";
import type { IndexerOptions, Step } from "../../src/indexer/indexer.ts";
import { Indexer } from "../../src/indexer/indexer.ts";
import { STAGES } from "../../src/indexer/stages.ts";
import type { UpstreamOptions } from "../../src/source/upstream.ts";
import { Upstream } from "../../src/source/upstream.ts";
import { IN_MEMORY } from "../../src/store/engine/databases.ts";
import { openStore, openStoreReadOnly } from "../../src/store/openStore.ts";
import type { Tip } from "../../src/store/read/blocks.ts";
import { readTokenTip } from "../../src/store/stages/tokens/tables/tokenTip.ts";
import type { Store } from "../../src/store/store.ts";
import type { StoreReader } from "../../src/store/storeReader.ts";
import { fingerprint } from "./fingerprint/fingerprint.ts";
import type { SimulatedBlock, SimulatedChain } from "./simulatedChain.ts";
import type { SimulatedNode } from "./simulatedNode.ts";
import { startSimulatedNode } from "./simulatedNode.ts";

export type StepResult = Step | ErrorCode;

/** A node over HTTP, an index that follows it, and the honest chains whose blocks it may hold. */
export interface Trial {
  readonly node: SimulatedNode;
  readonly source: Upstream;
  readonly store: Store;
  /** Takes some rounds, a second after another; after each the store must be what an index of honest blocks alone would be. */
  steps(count: number): Promise<StepResult[]>;
  /** Takes rounds until the index has the head of the chain. */
  settle(chain?: SimulatedChain): Promise<void>;
}

export interface TrialOptions {
  readonly upstream?: Partial<UpstreamOptions>;
  readonly indexer?: Partial<IndexerOptions>;
  /** Other chains whose blocks are honest too. */
  readonly others?: readonly SimulatedChain[];
}

const RETRY = { attempts: 3, baseMs: 1, maxDelayMs: 4, maxRetryAfterMs: 4, deadlineMs: 10_000 };

/** More rounds than any fault that passes needs. */
const MAX_ROUNDS = 60;

export async function openTrial(t: TestContext, chain: SimulatedChain, options: TrialOptions = {}): Promise<Trial> {
  const node = await startSimulatedNode(chain);
  const source = new Upstream({ url: node.url, retry: RETRY, ...options.upstream });
  const store = await openStore(IN_MEMORY, chain.chainId);
  let now = 0;
  const indexer = new Indexer({ store, source, integrity: "enforce", now: () => now, ...options.indexer });
  const honest = new Honest([chain, ...(options.others ?? [])]);
  t.after(async () => {
    await source.close();
    await node.close();
    await store.close();
  });

  const step = async (): Promise<StepResult> => {
    now += 1000;
    const outcome = await indexer.step().catch((error: unknown) => asChainError(error));
    if (outcome instanceof ChainError && outcome.code === "internal") throw outcome;
    await honest.expect(store);
    return outcome instanceof ChainError ? outcome.code : outcome;
  };
  return {
    node,
    source,
    store,
    steps: async (count) => {
      const outcomes: StepResult[] = [];
      for (let i = 0; i < count; i++) outcomes.push(await step());
      return outcomes;
    },
    settle: async (end = chain) => {
      const outcomes: StepResult[] = [];
      while (!(await isAtHead(store, end))) {
        outcomes.push(await step());
        assert.ok(outcomes.length < MAX_ROUNDS, `not settled: ${outcomes.join(" ")}`);
      }
    },
  };
}

async function isAtHead(store: StoreReader, chain: SimulatedChain): Promise<boolean> {
  const tip = await store.latest.blocks.tip();
  return tip !== undefined && toHex(tip.hash) === chain.head.hash;
}

/** Compares a store with an index made from scratch of the honest blocks up to the same tip, its tokens up to theirs. */
export class Honest {
  readonly #chains: readonly SimulatedChain[];
  readonly #prints = new Map<string, string>();

  constructor(chains: readonly SimulatedChain[]) {
    this.#chains = chains;
  }

  async expect(store: StoreReader): Promise<void> {
    const tip = await store.latest.blocks.tip();
    if (tip === undefined) return;
    const tokens = (await readTokenTip(store.database))?.number;
    const key = `${toHex(tip.hash)} ${tokens}`;
    if (!this.#prints.has(key))
      this.#prints.set(key, await this.#fromScratch(tip, tokens, await store.latest.chainId()));
    assert.equal(
      await store.read(fingerprint),
      this.#prints.get(key),
      `the index up to ${tip.number}, tokens to ${tokens}`,
    );
  }

  /** Opens the index in a directory as a reader does, and compares it; answers its tip. */
  async expectIn(directory: string): Promise<Tip | undefined> {
    const store = await openStoreReadOnly(directory);
    try {
      await this.expect(store);
      return await store.latest.blocks.tip();
    } finally {
      await store.close();
    }
  }

  async #fromScratch(tip: Tip, tokens: number | undefined, chainId: number): Promise<string> {
    const store = await openStore(IN_MEMORY, chainId);
    const blocks = this.#upTo(toHex(tip.hash)).map(({ block, receipts }) => decodeBlock(block, receipts));
    await store.append({ head: blocks.at(-1)!.header.number, blocks: blocks });
    if (tokens !== undefined) await store.derive(STAGES[0]!, tokens + 1);
    const print = await store.read(fingerprint);
    await store.close();
    return print;
  }

  #upTo(hash: string): SimulatedBlock[] {
    const blocks: SimulatedBlock[] = [];
    for (let next = hash; ; next = blocks.at(-1)!.block.parentHash) {
      const block = this.#chains.map((chain) => chain.blockByHash(next)).find((found) => found !== undefined);
      assert.ok(block, `block ${next} is in the index and in no honest chain`);
      blocks.push(block);
      if (block.number === 0) return blocks.reverse();
    }
  }
}
