import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../support/api.ts";
import type { PlainLog } from "../support/plainLogs.ts";
import { plainLogs } from "../support/plainLogs.ts";
import { Random } from "../support/random.ts";
import { meterReads } from "../support/readMeter.ts";
import { expectedTransaction, pick, transactionsOf } from "../support/restOracle.ts";
import { firstSeed } from "../support/seed.ts";
import type { SimulatedChain } from "../support/simulatedChain.ts";
import type { Site } from "../support/site.ts";
import { openSite, walk } from "../support/site.ts";

const SEED = firstSeed();
const LONG = { transactions: [1, 5], addresses: 8, long: 0.3, extraFields: true } as const;

const STANDARD = new Set(
  `blockHash blockNumber blockTimestamp transactionIndex type hash from to nonce gas value input gasPrice maxFeePerGas
   maxPriorityFeePerGas maxFeePerBlobGas chainId v r s yParity accessList blobVersionedHashes authorizationList
   transactionHash status root cumulativeGasUsed gasUsed effectiveGasPrice contractAddress logsBloom logs blobGasUsed
   blobGasPrice address topics data logIndex removed`.split(/\s+/),
);

const othersOf = (wire: object) => Object.entries(wire).filter(([name]) => !STANDARD.has(name));

/** The whole record of each transaction, newest first. */
function plainTransactions(chain: SimulatedChain): Json[] {
  return Array.from({ length: chain.length }, (_, number) => number)
    .flatMap((number) => {
      const mined = chain.at(number)!;
      return mined.block.transactions.map((tx, at): Json => {
        const record = expectedTransaction(tx, mined.receipts[at]!, mined, chain.head.number);
        const others = [...othersOf(tx), ...othersOf(mined.receipts[at]!)];
        return others.length === 0 ? record : { ...record, extra: Object.fromEntries(others) };
      });
    })
    .reverse();
}

/** As lists have it. */
function listed(record: Json, { extra } = record): Json {
  const isOver = (list: unknown, max: number) => ((list ?? []) as unknown[]).length > max;
  // Those of the transaction and of its receipt are counted apart, and one of them is in both.
  const isLong = JSON.stringify(extra ?? {}).length > 1024;
  return {
    ...record,
    ...(isOver(record.authorization_list, 6) && { authorization_list: null }),
    ...(isOver(record.blob_versioned_hashes, 32) && { blob_versioned_hashes: null }),
    ...(isLong && { extra: null }),
  };
}

async function expectTransactions(site: Site, path: string, expected: readonly Json[], size: number): Promise<void> {
  const items = await walk(site, path, size);
  assert.deepEqual(pick(items, expected), expected, `seed ${SEED} ${path}`);
}

async function expectLogs(site: Site, path: string, expected: readonly PlainLog[], size: number): Promise<void> {
  const items = await walk(site, path, size);
  assert.deepEqual(pick(items, expected), expected, `seed ${SEED} ${path}`);
}

test(`every page of a chain with long transactions is the node's (seed ${SEED})`, async (t) => {
  const random = new Random(SEED);
  const site = await openSite(t, { seed: SEED, blocks: 25, traffic: LONG });
  const records = plainTransactions(site.chain);
  const logs = plainLogs(site.chain);
  const sender = String(records[0]!.from);
  const ofSender = new Set(transactionsOf(site.chain, sender));
  const isListed = (record: Json) => ofSender.has(String(record.hash));

  await expectTransactions(
    site,
    "transactions",
    records.map((record) => listed(record)),
    random.between(5, 40),
  );
  await expectTransactions(
    site,
    `addresses/${sender}/transactions`,
    records.filter(isListed).map((record) => listed(record)),
    random.between(2, 10),
  );
  for (const record of records) {
    const { body } = await site.fetch(`transactions/${record.hash}`);
    assert.deepEqual(pick(body, record), record, `seed ${SEED} ${record.hash}`);
    const own = logs.filter(({ transaction_hash }) => transaction_hash === record.hash);
    await expectLogs(site, `transactions/${record.hash}/logs`, own, random.pick([7, 100, 1000]));
  }
  for (const [emitter, emitted] of Map.groupBy(logs, ({ address }) => address)) {
    await expectLogs(site, `addresses/${emitter}/logs`, emitted.toReversed(), random.pick([30, 500]));
  }
});

test(`long transactions of a block are listed in the same form from the node and from the index (seed ${SEED})`, async (t) => {
  const site = await openSite(t, { seed: SEED, blocks: 2, traffic: { ...LONG, transactions: [8, 8], long: 0.7 } });
  site.chain.mine(3);
  const paths = [3, 4, 5].map((number) => `blocks/${number}/transactions`);
  const ask = () => Promise.all(paths.map(async (path) => (await site.list(path)).items));
  // Fields that only the index has are absent before.
  const reported = ["from", "to", "created_contract", "method", "decoded_input", "transaction_types", "tx_types"];
  const isPlain = ([name]: [string, unknown]) => ![...reported, "token_transfers_overflow"].includes(name);
  const plain = (items: Json[]) => items.map((item) => Object.fromEntries(Object.entries(item).filter(isPlain)));
  const before = (await ask()).map(plain);

  await site.index();

  assert.deepEqual((await ask()).map(plain), before);
});

test("no page of a list reads what it does not show", async (t) => {
  const site = await openSite(t, { seed: 3, blocks: 60, traffic: { ...LONG, long: 0.5 } });
  const { database } = site.store;
  const [whole] = await database.all(
    "SELECT (SELECT sum(length(body)) FROM tx_part) + (SELECT sum(length(body)) FROM log_chunk)",
  );
  const logs = plainLogs(site.chain);
  const byTransaction = [...Map.groupBy(logs, ({ transaction_hash }) => transaction_hash)];
  const [max, many] = byTransaction.toSorted(([, a], [, b]) => b.length - a.length)[0]!;
  const emitter = logs.find(({ data }) => data.length > 2000)!.address;
  const meter = meterReads(database);

  for (const [path, size] of [
    ["transactions", 1000],
    ["main-page/transactions", 6],
    [`addresses/${site.chain.at(1)!.block.transactions[0]!.from}/transactions`, 1000],
    ["blocks", 1000],
    ["blocks/5/transactions", 1000],
  ] as const) {
    const [{ items }, { bytes, longest }] = await meter(() => site.list(path, { page_size: size }));
    const inputs = items.map(({ raw_input }) => String(raw_input ?? "").length / 2);
    const shown = inputs.reduce((sum, size) => sum + size, 0);
    // A row has at most 9 KiB; its input, its block (read once) and addresses come on top.
    const max = { longest: Math.max(9 << 10, ...inputs) + 8, bytes: items.length * (10 << 10) + shown };
    assert.ok(longest <= max.longest && bytes < max.bytes, `${path} read ${bytes}, ${longest} at once`);
    assert.ok(bytes < (whole![0] as number), path);
  }

  const lastPage = Math.ceil(many.length / 10);
  const [last, ofLast] = await meter(() => site.list(`transactions/${max}/logs`, { page: lastPage, page_size: 10 }));
  assert.equal(last.items.length, many.length - 10 * (lastPage - 1));
  assert.ok(many.length > 300 && ofLast.bytes < 40 << 10, `${ofLast.bytes} bytes for the last of ${many.length} logs`);

  const [emitted, ofEmitted] = await meter(() => site.list(`addresses/${emitter}/logs`, { page_size: 1000 }));
  const shown = emitted.items.reduce((sum, { data }) => sum + String(data).length / 2, 0);
  // Beside what is shown, the row of each transaction and the chunk of each log.
  assert.ok(ofEmitted.bytes < shown + emitted.items.length * (11 << 10), `${ofEmitted.bytes} bytes for ${shown} shown`);
});
