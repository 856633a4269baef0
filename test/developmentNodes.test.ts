import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { quantity } from "../src/chain/encoding/hex.ts";
import { transfersOf } from "../src/indexer/events/transfers.ts";
import { Indexer } from "../src/indexer/indexer.ts";
import { STAGES } from "../src/indexer/stages.ts";
import { Upstream } from "../src/source/upstream.ts";
import { auditStore } from "../src/store/audit/audit.ts";
import { IN_MEMORY } from "../src/store/engine/databases.ts";
import { openStore, openStoreReadOnly } from "../src/store/openStore.ts";
import { auditTokens } from "../src/store/stages/tokens/audit/tokenAudit.ts";
import type { Json } from "./support/api.ts";
import { fingerprint } from "./support/fingerprint/fingerprint.ts";
import type { PlainBlock } from "./support/plainChain.ts";
import type { Program } from "./support/program.ts";
import { get, runProgram, temporaryDirectory } from "./support/program.ts";
import { Random } from "./support/random.ts";
import type { RealNodeKind } from "./support/realNode.ts";
import { findAnvil, findHardhat, RealNode } from "./support/realNode.ts";
import { RealPlayer } from "./support/realPlayer.ts";
import { expectedBlock, expectedTransaction, pick } from "./support/restOracle.ts";
import { firstSeed } from "./support/seed.ts";
import { until } from "./support/waiting.ts";
import type { WireBlock, WireReceipt, WireTransaction } from "./support/wireForm.ts";

const CASES = Number(process.env.ORIEL_CASES ?? 1);
const SEED = firstSeed();
const ROUNDS = 3;
const CHAIN_ID = 31337;
const BLOB_UPDATE_FRACTION = 3_338_477;

/** A node of others, the program that follows it as any development chain, and one who plays with the node. */
class Following {
  readonly node: RealNode;
  readonly player: RealPlayer;
  readonly random: Random;
  readonly data: string;
  readonly #program: Program;
  #url = "";

  private constructor(t: TestContext, node: RealNode, random: Random) {
    this.node = node;
    this.random = random;
    this.player = new RealPlayer(node, random);
    this.data = temporaryDirectory(t);
    const args = ["start", "--rpc", node.url, "--dev", "--port", "0", "--data", this.data, "--poll", "50"];
    this.#program = runProgram(t, args);
  }

  static async start(t: TestContext, kind: RealNodeKind, seed: number): Promise<Following> {
    const following = new Following(t, await RealNode.start(t, kind), new Random(seed));
    following.#url = await following.#program.url();
    return following;
  }

  async get(path: string): Promise<{ status: number; body: Json }> {
    return await get(`${this.#url}${path}`);
  }

  /** Waits until the index is at the node's head, in all its stages; answers which block that is. */
  async settle(label: string): Promise<string> {
    await this.player.calm();
    await this.player.note();
    let [status, settled]: [Json, string] = [{}, ""];
    const isThere = async () => {
      const { hash, number } = await this.#head();
      status = (await this.get("/status")).body;
      const { head, indexed, stages } = status as { head: Json | null; indexed: Json | null; stages: Json[] };
      settled = hash;
      if (head?.hash !== hash || indexed?.hash !== hash) return false;
      return stages.every(({ block }) => block === Number(number));
    };
    await until("the index is at the head", isThere).catch((error: unknown) => {
      throw new Error(`${label}: ${JSON.stringify(status)}`, { cause: error });
    });
    return settled;
  }

  #head(): Promise<WireBlock> {
    return this.node.ask<WireBlock>("eth_getBlockByNumber", "latest", false);
  }

  /** Compares responses with the node; repeats if the node mined pending transactions meanwhile. */
  async expectServed(label: string): Promise<number> {
    for (;;) {
      const settled = await this.settle(label);
      try {
        return await this.#compare(label);
      } catch (error) {
        if ((await this.#head()).hash === settled) throw error;
      }
    }
  }

  /** Every block and transaction is served as the node has it, and nothing that it has no more. */
  async #compare(label: string): Promise<number> {
    const height = Number(await this.node.ask("eth_blockNumber"));
    const [blocks, transactions] = [new Set<string>(), new Set<string>()];
    for (let number = 0; number <= height; number++) {
      const whole = await readBlock(this.node, number);
      await this.#expectBlock(whole, height, label);
      blocks.add(whole.hash);
      for (const { hash } of whole.block.transactions) transactions.add(hash);
    }
    assert.equal((await this.get(`/api/v2/blocks/${height + 1}`)).status, 404, label);
    await this.#expectNoPhantoms(blocks, transactions, label);
    return transactions.size;
  }

  async #expectBlock(whole: PlainBlock, height: number, label: string): Promise<void> {
    const { block, receipts } = whole;
    const expected = expectedBlock(whole, height, BLOB_UPDATE_FRACTION);
    const { body } = await this.get(`/api/v2/blocks/${block.hash}`);
    assert.deepEqual(pick(body, expected), expected, `${label}: block ${Number(block.number)}`);
    for (const [index, tx] of block.transactions.entries()) {
      const wanted = expectedTransaction(tx, receipts[index]!, whole, height);
      const { body: served } = await this.get(`/api/v2/transactions/${tx.hash}`);
      assert.deepEqual(pick(served, wanted), wanted, `${label}: transaction ${tx.hash}`);
    }
  }

  async expectBlobs(label: string): Promise<void> {
    const height = Number(await this.node.ask("eth_blockNumber"));
    for (let number = 0; number <= height; number++) {
      const { transactions } = await this.node.ask<WireBlock>("eth_getBlockByNumber", quantity(number), true);
      for (const tx of transactions.filter(({ type }) => type === "0x3")) await this.#expectBlobsOf(tx, label);
    }
  }

  async #expectBlobsOf(tx: WireTransaction, label: string): Promise<void> {
    const { blobs = [], commitments = [], proofs = [] } = tx as { [field: string]: string[] | undefined };
    const names = tx.blobVersionedHashes as string[];
    const expected = names.map((hash, at) => ({
      hash,
      blob_data: blobs[at] ?? null,
      kzg_commitment: commitments[at] ?? null,
      kzg_proof: proofs[at] ?? null,
    }));
    const { body } = await this.get(`/api/v2/transactions/${tx.hash}/blobs`);
    assert.deepEqual(body.items, expected, `${label}: ${tx.hash}`);
    for (const blob of expected) {
      const { transaction_hashes: _, ...served } = (await this.get(`/api/v2/blobs/${blob.hash}`)).body;
      assert.deepEqual(served, blob, `${label}: blob ${blob.hash}`);
    }
    const record = (await this.get(`/api/v2/transactions/${tx.hash}`)).body;
    assert.ok(JSON.stringify(record).length < 20_000, `${label}: ${tx.hash}`);
  }

  async #expectNoPhantoms(
    blocks: ReadonlySet<string>,
    transactions: ReadonlySet<string>,
    label: string,
  ): Promise<void> {
    for (const hash of this.player.blocks) {
      if (!blocks.has(hash)) assert.equal((await this.get(`/api/v2/blocks/${hash}`)).status, 404, `${label}: ${hash}`);
    }
    for (const hash of this.player.transactions) {
      if (transactions.has(hash)) continue;
      const { body } = await this.get(`/api/v2/transactions/${hash}`);
      assert.equal(body.block ?? null, null, `${label}: transaction ${hash}`);
    }
  }

  /** Ends the program: what it leaves is what an index made from scratch is. */
  async expectLikeFresh(label: string): Promise<void> {
    assert.equal((await this.#program.stop()).stderr, "", label);
    const source = new Upstream({ url: this.node.url, chainId: CHAIN_ID, authoritative: true });
    const [store, fresh] = [await openStoreReadOnly(this.data), await openStore(IN_MEMORY, CHAIN_ID)];
    try {
      const indexer = new Indexer({ store: fresh, source, stages: STAGES, integrity: "observe" });
      while ((await indexer.step()) !== "idle");
      const problems = [
        ...(await store.read(auditStore)),
        ...(await store.read((session) => auditTokens(session, transfersOf))),
      ];
      assert.deepEqual(problems, [], label);
      assert.equal(await store.read(fingerprint), await fresh.read(fingerprint), label);
    } finally {
      await Promise.all([source.close(), store.close(), fresh.close()]);
    }
  }
}

async function readBlock(node: RealNode, number: number): Promise<PlainBlock> {
  const block = await node.ask<WireBlock>("eth_getBlockByNumber", quantity(number), true);
  const receipts: WireReceipt[] = [];
  for (const tx of block.transactions) receipts.push(await readReceipt(node, tx));
  return { number, hash: block.hash, block, receipts };
}

/** Anvil has a price of blob gas in every receipt. */
async function readReceipt(node: RealNode, { hash, type }: WireTransaction): Promise<WireReceipt> {
  const { blobGasPrice, ...receipt } = await node.ask<WireReceipt>("eth_getTransactionReceipt", hash);
  return type === "0x3" && blobGasPrice !== undefined ? { ...receipt, blobGasPrice } : receipt;
}

for (const [name, kind] of Object.entries({ anvil: findAnvil(), hardhat: findHardhat() })) {
  const skip = typeof kind === "string" ? kind : false;

  test(`${CASES} chains of ${name} are followed with --dev as they are played with (seed ${SEED})`, {
    skip,
  }, async (t) => {
    for (let seed = SEED; seed < SEED + CASES; seed++) {
      const label = `${name}, seed ${seed}`;
      const following = await Following.start(t, kind as RealNodeKind, seed);
      const { player, random } = following;
      await player.ask("hardhat_mine", quantity(20));
      for (let i = 0; i < 20; i++) await player.send();
      for (let round = 0; round < ROUNDS; round++) {
        for (let acts = random.between(10, 30); acts > 0; acts--) {
          await player.act();
          if (random.chance(0.2)) await delay(random.between(0, 100));
        }
        const count = await following.expectServed(`${label}, round ${round}`);
        t.diagnostic(`round ${round}: ${count} transactions`);
      }
      await player.end();
      await following.expectServed(label);
      await following.expectBlobs(label);
      const { body } = await following.get("/status");
      assert.equal(body.integrity_mode, "observe", label);
      t.diagnostic(`${JSON.stringify([...player.done])} ${JSON.stringify(body.integrity)}`);
      await following.expectLikeFresh(label);
    }
  });
}
