import assert from "node:assert/strict";
import { test } from "node:test";
import { pino } from "pino";
import { checksumAddress } from "../../src/chain/encoding/checksum.ts";
import { fromHex } from "../../src/chain/encoding/hex.ts";
import { ChainError } from "../../src/chain/error.ts";
import type { Json, Served } from "../support/api.ts";
import { serveChain } from "../support/api.ts";
import { Random } from "../support/random.ts";
import {
  addressesIn,
  expectedBlock,
  expectedPending,
  expectedTransaction,
  pick,
  transactionsOf,
} from "../support/restOracle.ts";
import { firstSeed } from "../support/seed.ts";
import type { SimulatedBlock, SimulatedChain } from "../support/simulatedChain.ts";
import { simulatedSource } from "../support/simulatedSource.ts";

const SEED = firstSeed();

interface List extends Json {
  items: Json[];
  total_count: number;
  next_page_params: Record<string, string | number> | null;
}

const hashesOf = (list: List) => list.items.map((item) => item.hash);

async function list(served: Served, address: string, query: Record<string, string | number> = {}): Promise<List> {
  const search = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]));
  const { status, body } = await served.get(`/api/v2/addresses/${address}/transactions?${search}`);
  assert.equal(status, 200);
  return body as List;
}

function blocksOf(chain: SimulatedChain): SimulatedBlock[] {
  return Array.from({ length: chain.length }, (_, number) => chain.at(number)!);
}

function expectSame(answer: Json, expected: Json, message: string): void {
  assert.deepEqual(pick(answer, expected), expected, message);
}

test(`4.1 blocks and transactions say what the node says (seed ${SEED})`, async () => {
  for (let seed = SEED; seed < SEED + 4; seed++) {
    const traffic = { deposits: seed % 2 === 0, extraFields: true, byzantium: seed % 3 === 0 ? 6 : 0 };
    const served = await serveChain({ seed, blocks: 25, traffic });
    const { chain } = served;
    const height = chain.head.number;
    for (let number = 0; number <= height; number++) {
      const mined = chain.at(number)!;
      const byNumber = await served.get(`/api/v2/blocks/${number}`);
      const byHash = await served.get(`/api/v2/blocks/${mined.hash.toUpperCase().replace("0X", "0x")}`);
      expectSame(byNumber.body, expectedBlock(mined, height), `seed ${seed} block ${number}`);
      assert.deepEqual(byHash.body, byNumber.body);
      assert.equal((byNumber.body.miner as Json).hash, checksumAddress(mined.header.miner));
      assert.deepEqual(byNumber.body.extra, { milliTimestamp: mined.block.milliTimestamp });

      for (const [at, tx] of mined.block.transactions.entries()) {
        const { body } = await served.get(`/api/v2/transactions/${tx.hash}`);
        expectSame(body, expectedTransaction(tx, mined.receipts[at]!, mined, height), `seed ${seed} ${tx.hash}`);
        assert.equal((body.from as Json).hash, checksumAddress(fromHex(tx.from)));
      }
    }
    await served.close();
  }
});

test("4.1 fields that no node of Ethereum has are kept under extra", async () => {
  const served = await serveChain({ seed: 11, blocks: 30, traffic: { deposits: true, extraFields: true } });
  const deposits = blocksOf(served.chain)
    .flatMap(({ block }) => block.transactions)
    .filter((tx) => tx.type === "0x7e");
  assert.ok(deposits.length > 0);
  for (const tx of deposits) {
    const { body } = await served.get(`/api/v2/transactions/${tx.hash}`);
    const extra = body.extra as Json;
    assert.deepEqual([extra.sourceHash, extra.mint, extra.depositNonce], [tx.sourceHash, tx.mint, tx.nonce]);
    assert.equal(body.type, 126);
  }
  await served.close();
});

test("2.1 a list has the envelope, newest first, and says how far it reaches", async () => {
  const served = await serveChain({ seed: 12, blocks: 80, traffic: { addresses: 6 } });
  const address = addressesIn(served.chain).sort(
    (a, b) => transactionsOf(served.chain, b).length - transactionsOf(served.chain, a).length,
  )[0]!;
  const expected = transactionsOf(served.chain, address);
  assert.ok(expected.length > 60);

  const first = await list(served, address);
  assert.deepEqual(hashesOf(first), expected.slice(0, 50));
  const { items, ...envelope } = first;
  assert.deepEqual(envelope, {
    page: 1,
    page_size: 50,
    total_pages: Math.ceil(expected.length / 50),
    total_count: expected.length,
    next_page_params: { page: 2, page_size: 50, anchor: first.next_page_params!.anchor },
    block_number: 80,
    since_block: 0,
  });
  assert.match(String(first.next_page_params!.anchor), new RegExp(`^${expected.length}-80-50-\\d+$`));
  assert.deepEqual(hashesOf(await list(served, address, { page: 2, items_count: 7 })), expected.slice(7, 14));
  assert.deepEqual(hashesOf(await list(served, address, { page_size: 5000 })), expected);
  assert.equal((await list(served, address, { page_size: 5000 })).page_size, 1000);

  const past = await list(served, address, { page: 1_000_000 });
  assert.deepEqual([past.items, past.next_page_params, past.total_count], [[], null, expected.length]);
  await served.close();
});

test("4.1 type and filter are accepted and ignored, as are unknown parameters and apikey (section 5)", async () => {
  const served = await serveChain({ seed: 13, blocks: 20, traffic: { addresses: 6 } });
  const address = addressesIn(served.chain)[0]!;
  const plain = await list(served, address);
  const other = await list(served, address, { type: "coin_transfer", filter: "to", apikey: "x", sort: "value" });
  assert.deepEqual(other, plain);
  await served.close();
});

test("an unused address has an empty list, also before anything is indexed", async () => {
  const served = await serveChain({ seed: 14 });
  const address = `0x${"00".repeat(19)}ff`;
  const before = await list(served, address);
  assert.deepEqual(
    [before.items, before.total_pages, before.total_count, before.next_page_params, before.block_number],
    [[], 0, 0, null, null],
  );
  served.chain.mine(3);
  await served.index();
  const after = await list(served, address);
  assert.deepEqual([after.items, after.total_pages, after.block_number, after.since_block], [[], 0, 3, 0]);
  await served.close();
});

test(`walking the pages gives every transaction of every address once (seed ${SEED})`, async () => {
  const random = new Random(SEED);
  const served = await serveChain({ seed: SEED, blocks: 60, fromBlock: 7, traffic: { addresses: 8 } });
  for (const address of addressesIn(served.chain)) {
    const seen: unknown[] = [];
    let query: List["next_page_params"] = { page_size: random.between(1, 30) };
    while (query !== null) {
      const page: List = await list(served, address, query);
      assert.equal(page.since_block, 7);
      seen.push(...hashesOf(page));
      query = page.next_page_params;
    }
    assert.deepEqual(seen, transactionsOf(served.chain, address, 7), `seed ${SEED} ${address}`);
  }
  await served.close();
});

test("an answer is whole while the index moves under it", async () => {
  const served = await serveChain({ seed: 15, blocks: 30, traffic: { addresses: 4 } });
  const address = addressesIn(served.chain)[0]!;
  const moving = (async () => {
    for (let round = 0; round < 30; round++) {
      served.chain.fork(2, 3);
      await served.index();
    }
  })();
  for (let round = 0; round < 60; round++) {
    const page = await list(served, address, { page_size: 1000 });
    assert.equal(page.items.length, page.total_count);
    assert.ok(page.items.every((item) => (item.block_number as number) <= (page.block_number as number)));
    await new Promise(setImmediate);
  }
  await moving;
  assert.deepEqual(hashesOf(await list(served, address, { page_size: 1000 })), transactionsOf(served.chain, address));
  await served.close();
});

test("is_contract is true for what was deployed or emits logs, false for senders, else null", async () => {
  const served = await serveChain({ seed: 16, blocks: 60 });
  const { chain } = served;
  const [contracts, senders] = [new Set<unknown>(), new Set<unknown>()];
  for (let number = 0; number < chain.length; number++) {
    const { block, receipts } = chain.at(number)!;
    for (const tx of block.transactions) senders.add(tx.from);
    for (const receipt of receipts) {
      if (receipt.status === "0x1" && receipt.contractAddress) contracts.add(receipt.contractAddress);
      for (const log of receipt.logs) contracts.add(log.address);
    }
  }
  const kinds = new Set<unknown>();
  for (const address of addressesIn(chain)) {
    for (const item of (await list(served, address)).items) {
      for (const party of [item.from, item.to, item.created_contract] as (Json | null)[]) {
        if (party === null) continue;
        const hash = String(party.hash).toLowerCase();
        const expected = contracts.has(hash) || (senders.has(hash) ? false : null);
        assert.equal(party.is_contract, expected, hash);
        kinds.add(expected);
      }
    }
  }
  assert.deepEqual(kinds, new Set([true, false, null]));
  await served.close();
});

test("blocks beyond the index are read through the node and have the same form", async () => {
  const served = await serveChain({ seed: 17, blocks: 10, fromBlock: 3, traffic: { extraFields: true } });
  const { chain } = served;
  chain.mine(10);
  await served.get("/status");
  const numbers = [0, 1, 2, 11, 15, 20];
  const paths = numbers.flatMap((number) => [
    `/api/v2/blocks/${number}`,
    `/api/v2/blocks/${chain.at(number)!.hash}`,
    ...chain.at(number)!.block.transactions.map((tx) => `/api/v2/transactions/${tx.hash}`),
  ]);
  const before = new Map<string, Json>();
  for (const path of paths) {
    const { status, body } = await served.get(path);
    assert.equal(status, 200, path);
    before.set(path, body);
  }
  await served.index();
  for (const path of paths) {
    const { body } = await served.get(path);
    assert.deepEqual(withoutKinds(body), withoutKinds(before.get(path)!), path);
  }
  await served.close();
});

/** Whether an address is a contract, and so what calling it means, is known better once more is indexed. */
function withoutKinds(body: Json): Json {
  const plain = JSON.parse(JSON.stringify(body, (key, value) => (key === "is_contract" ? undefined : value))) as Json;
  for (const key of ["method", "transaction_types", "tx_types"]) delete plain[key];
  return plain;
}

test("a waiting transaction is pending and has no block", async () => {
  const served = await serveChain({ seed: 18, blocks: 5 });
  for (let i = 0; i < 30; i++) {
    const hash = served.chain.submit();
    const { status, body } = await served.get(`/api/v2/transactions/${hash}`);
    assert.equal(status, 200);
    assert.equal(body.result, "pending");
    expectSame(body, expectedPending(served.chain.transactionByHash(hash)!), hash);
  }
  await served.close();
});

test("for heights the index holds the index alone answers", async () => {
  const served = await serveChain({ seed: 19, blocks: 10 });
  const { chain } = served;
  const lost = chain.at(9)!;
  const indexed = new Set(blocksOf(chain).flatMap(({ block }) => block.transactions.map((tx) => tx.hash)));
  chain.fork(3, 6);
  const replaced = chain.at(9)!;
  const onlyThere = replaced.block.transactions.filter((tx) => !indexed.has(tx.hash));

  assert.equal((await served.get("/api/v2/blocks/9")).body.hash, lost.hash);
  assert.equal((await served.get(`/api/v2/blocks/${replaced.hash}`)).status, 404);
  for (const tx of onlyThere) assert.equal((await served.get(`/api/v2/transactions/${tx.hash}`)).status, 404);
  assert.equal((await served.get("/api/v2/blocks/12")).body.hash, chain.at(12)!.hash);

  await served.index();
  assert.equal((await served.get("/api/v2/blocks/9")).body.hash, replaced.hash);
  assert.equal((await served.get(`/api/v2/blocks/${lost.hash}`)).status, 404);
  await served.close();
});

test("unknown records are not found", async () => {
  const served = await serveChain({ seed: 20, blocks: 5 });
  for (const path of [
    "blocks/6",
    "blocks/123456789",
    `blocks/0x${"1".repeat(64)}`,
    `transactions/0x${"2".repeat(64)}`,
  ]) {
    const { status, body } = await served.get(`/api/v2/${path}`);
    assert.deepEqual([status, body], [404, { message: "Not found" }]);
  }
  await served.close();
});

test("without a node, what is not indexed is not found", async () => {
  const served = await serveChain({ seed: 21, blocks: 5, source: () => undefined });
  served.chain.mine(2);
  for (const path of ["blocks/6", `blocks/${served.chain.at(6)!.hash}`, `transactions/${served.chain.submit()}`]) {
    assert.equal((await served.get(`/api/v2/${path}`)).status, 404, path);
  }
  assert.equal((await served.get("/api/v2/blocks/5")).status, 200);
  await served.close();
});

test("a node that fails makes 503 with Retry-After, and what is indexed is still served", async () => {
  const secret = "https://key@node.example/secret";
  const down = () => Promise.reject(new ChainError("upstream_unavailable", `connect ${secret}`));
  const broken = () => Promise.reject(new Error(`fetch ${secret} failed`));
  for (const fail of [down, broken]) {
    const served = await serveChain({
      seed: 22,
      blocks: 5,
      source: (chain) => ({ ...simulatedSource(chain), head: fail, block: fail, transaction: fail }),
    });
    for (const path of ["blocks/6", `blocks/0x${"1".repeat(64)}`, `transactions/0x${"2".repeat(64)}`]) {
      const { status, body, headers } = await served.get(`/api/v2/${path}`);
      assert.equal(status, 503);
      assert.ok(Number(headers["retry-after"]) > 0);
      assert.doesNotMatch(JSON.stringify(body), /node\.example|secret/);
    }
    assert.equal((await served.get("/api/v2/blocks/5")).status, 200);
    const status = await served.get("/status");
    assert.deepEqual([status.status, status.body.head, status.body.lag], [200, null, null]);
    await served.close();
  }
});

test("an error of ours is 500 without a word of it, and one line in the log", async () => {
  const lines: string[] = [];
  const logger = pino({ level: "info" }, { write: (line: string) => lines.push(line) });
  const served = await serveChain({
    seed: 23,
    blocks: 2,
    settings: { logger },
    source: (chain) => ({
      ...simulatedSource(chain),
      transaction: () => Promise.reject(new ChainError("internal", "a defect at line 7")),
    }),
  });
  const { status, body } = await served.get(`/api/v2/transactions/0x${"2".repeat(64)}`);
  assert.deepEqual([status, body], [500, { message: "Internal error" }]);
  assert.equal(lines.length, 1);
  await served.close();
});
