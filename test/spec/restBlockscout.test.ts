import assert from "node:assert/strict";
import { test } from "node:test";
import { formatEther } from "ethers";
import { openQueryContext } from "../../src/query/context.ts";
import { listHotContracts } from "../../src/query/contracts/hotContracts.ts";
import type { Json } from "../support/api.ts";
import { serveChain } from "../support/api.ts";
import { ChainOracle } from "../support/chainOracle.ts";
import { plainLogs } from "../support/plainLogs.ts";
import { Random } from "../support/random.ts";
import { firstSeed } from "../support/seed.ts";
import { simulatedPlainState } from "../support/simulatedState.ts";
import { openSite, walk } from "../support/site.ts";

/** Requests and computations of Blockscout's front end. */

const SEED = firstSeed();
const TRAFFIC = { addresses: 6, fresh: 0.1, transactions: [0, 6] as const, logs: [0, 5] as const };

test("a share of an account is its balance in coins divided by total_supply", async (t) => {
  const site = await openSite(t, { seed: 7, blocks: 15, traffic: TRAFFIC });

  const { items, total_supply } = await site.list("addresses");

  assert.ok(items.length > 3);
  for (const { coin_balance, percentage } of items) {
    const share = (Number(formatEther(String(coin_balance))) / Number(total_supply)) * 100;
    assert.ok(Math.abs(share - Number(percentage)) < 0.001, `${share} ${percentage}`);
  }
});

test("the static reward of a block with blobs is what the chain pays", async (t) => {
  const blockReward = 5n;
  const site = await openSite(t, { seed: 8, blocks: 40, settings: { blockReward } });
  const { items } = await site.list("blocks", { page_size: 1000 });
  const mined = items.filter(({ height, blob_transactions_count }) => Number(height) > 0 && blob_transactions_count);

  assert.ok(mined.length > 0);
  for (const { height, rewards, transaction_fees, burnt_fees, burnt_blob_fees } of mined) {
    const total = (rewards as Json[]).reduce((sum, { reward }) => sum + BigInt(String(reward)), 0n);
    const fees = BigInt(String(transaction_fees));
    assert.ok(BigInt(String(burnt_blob_fees)) > 0n);
    assert.equal(total - fees + BigInt(String(burnt_fees)), blockReward, `block ${height}`);
  }
});

test("indexing is finished once internal transactions are there too", async (t) => {
  const served = await serveChain({ seed: 45, blocks: 9, traces: true });
  t.after(() => served.close());
  const status = async () => (await served.get("/api/v2/main-page/indexing-status")).body;
  const before = await status();
  served.chain.mine(20);
  await served.indexBlocks();

  assert.deepEqual([before.finished_indexing, before.finished_indexing_blocks], [true, true]);
  const during = await status();
  assert.deepEqual([during.finished_indexing, during.finished_indexing_blocks], [false, true]);
  await served.index();
  assert.equal((await status()).finished_indexing, true);
});

test(`/transactions?method= has the calls of functions, by selector or name (seed ${SEED})`, async (t) => {
  const random = new Random(SEED);
  const site = await openSite(t, { seed: SEED, blocks: 40, traffic: TRAFFIC });
  const oracle = await ChainOracle.read(site.chain, simulatedPlainState(site.chain));
  const calls = oracle.transactions
    .map((mined) => ({ hash: mined.tx.hash, input: String(mined.tx.input), shown: oracle.listed(mined) }))
    .filter(({ shown }) => (shown.transaction_types as string[]).includes("contract_call"))
    .toReversed();
  const selectors = [...new Set(calls.map(({ input }) => input.slice(0, 10)))];
  assert.ok(selectors.length > 1);
  const expected = (some: readonly string[]) =>
    calls.filter(({ input }) => some.includes(input.slice(0, 10))).map(({ hash }) => hash);
  for (let at = 0; at < 8; at++) {
    const some = random.shuffle([...selectors]).slice(0, random.between(1, 3));
    const path = `transactions?method=${some.map((one) => (random.chance(0.5) ? one : one.toUpperCase().replace("X", "x"))).join()}`;

    const items = await walk(site, path, random.between(1, 20));

    assert.deepEqual(
      items.map(({ hash }) => hash),
      expected(some),
      path,
    );
  }
  const transfers = await walk(site, "transactions?method=transfer", 50);
  assert.deepEqual(
    transfers.map(({ hash }) => hash),
    expected(["0xa9059cbb"]),
  );
  for (const query of [
    "method=0x12",
    "method=noSuchFunctionAnywhere",
    "method=a,,b",
    "method=transfer&filter=pending",
  ]) {
    assert.equal((await site.fetch(`transactions?${query}`)).status, 422, query);
  }
});

test(`/addresses/{address}/logs?topic= has the logs with a topic in any place (seed ${SEED})`, async (t) => {
  const random = new Random(SEED);
  const site = await openSite(t, { seed: SEED, blocks: 40, traffic: TRAFFIC });
  const logs = plainLogs(site.chain).toReversed();
  for (let at = 0; at < 12; at++) {
    const { address, topics } = random.pick(logs.filter((log) => log.topics.some((topic) => topic !== null)));
    const topic = random.pick(topics.filter((one) => one !== null))!;

    const items = await walk(site, `addresses/${address}/logs?topic=${topic}`, random.between(1, 9));

    const expected = logs.filter((log) => log.address === address && log.topics.includes(topic));
    assert.deepEqual(
      items.map(({ block_number, index }) => [block_number, index]),
      expected.map(({ block_number, index }) => [block_number, index]),
    );
  }
  const unseen = `0x${"ab".repeat(20)}`;
  assert.deepEqual((await site.list(`addresses/${unseen}/logs?topic=0x${"1".repeat(64)}`)).items, []);
  assert.equal((await site.fetch(`addresses/${unseen}/logs?topic=0x12`)).status, 422);
});

test("/internal-transactions?transaction_hash= has those of one transaction", async (t) => {
  const site = await openSite(t, { seed: 9, blocks: 30, traces: true, traffic: TRAFFIC });
  const { items } = await site.list("internal-transactions", { page_size: 1000 });
  const hashes = [...new Set(items.map(({ transaction_hash }) => transaction_hash))].slice(0, 5);

  assert.ok(hashes.length > 1);
  for (const hash of hashes) {
    const asked = await site.list(`internal-transactions?transaction_hash=${hash}`);
    assert.deepEqual(asked, await site.list(`transactions/${hash}/internal-transactions`));
    assert.ok(asked.items.length > 0);
  }
  const unknown = `0x${"1".repeat(64)}`;
  assert.deepEqual((await site.list(`internal-transactions?transaction_hash=${unknown}`)).items, []);
  assert.equal((await site.fetch("internal-transactions?transaction_hash=0x1")).status, 422);
});

test("every transaction has a summary, whose variables are records as elsewhere", async (t) => {
  const site = await openSite(t, { seed: 11, blocks: 25, traffic: TRAFFIC });
  const { items } = await site.list("transactions", { page_size: 1000 });
  const templates = new Set<string>();

  for (const { hash, status, value, to } of items) {
    const { body } = await site.fetch(`transactions/${hash}/summary`);
    const [summary, ...others] = (body.data as Json).summaries as Json[];
    const template = String(summary!.summary_template);
    const variables = summary!.summary_template_variables as Record<string, { type: string; value: unknown }>;
    templates.add(template);

    assert.deepEqual([body.success, others], [true, []]);
    assert.equal(template.startsWith("Failed"), status === "error", template);
    const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!).filter((name) => name !== "native");
    assert.deepEqual(new Set(names), new Set(Object.keys(variables)), template);
    const { summary: whole } = (await site.fetch(`transactions/${hash}`)).body as { summary: Json };
    assert.deepEqual(
      [whole.summary_template, whole.summary_template_variables],
      [template, summary!.summary_template_variables],
    );
    const [action, ...more] = whole.actions as Json[];
    if (action?.type === "transfer" && more.length === 0) {
      const { items: moved } = await site.list(`transactions/${hash}/token-transfers`);
      const [given] = action.given as Json[];
      assert.equal((given!.token as Json).address, (moved[0]!.token as Json).address);
      assert.deepEqual(action.to, moved.find(({ to: party }) => (party as Json).hash === (action.to as Json).hash)?.to);
    }
    if (action?.type === "send") {
      assert.deepEqual(variables.address!.value, to);
      assert.equal(Number(variables.amount!.value), Number(formatEther(String(value))));
    }
  }
  for (const start of ["Failed", "Transferred", "Called", "Created", "Sent"]) {
    assert.ok(
      [...templates].some((template) => template.startsWith(start)),
      `${start} ${[...templates]}`,
    );
  }
  const pending = site.chain.submit();
  assert.equal((await site.fetch(`transactions/${pending}/summary`)).status, 200);
  assert.equal((await site.fetch(`transactions/0x${"1".repeat(64)}/summary`)).status, 404);
  assert.equal((await site.fetch("transactions/0x12/summary")).status, 422);
});

test("/withdrawals are those of all blocks, and of an address, newest first", async (t) => {
  const random = new Random(SEED);
  const site = await openSite(t, {
    seed: 12,
    blocks: 30,
    fromBlock: 3,
    traffic: { withdrawals: [0, 3], addresses: 4 },
  });
  const expected: Json[] = [];
  for (let number = site.chain.head.number; number >= 3; number--) {
    expected.push(...(await site.list(`blocks/${number}/withdrawals`)).items.toReversed());
  }
  assert.ok(expected.length > 10);
  const receivers = new Set(expected.map(({ receiver }) => (receiver as Json).hash));

  assert.deepEqual(await walk(site, "withdrawals", random.between(1, 9)), expected);
  for (const address of receivers) {
    const own = expected.filter(({ receiver }) => (receiver as Json).hash === address);
    assert.deepEqual(await walk(site, `addresses/${address}/withdrawals`, random.between(1, 9)), own);
  }
  for (const { block_number, timestamp } of expected) {
    assert.equal(timestamp, (await site.fetch(`blocks/${block_number}`)).body.timestamp);
  }
  const without = await openSite(t, { seed: 13, blocks: 300, traffic: { withdrawals: [0, 0], transactions: [0, 1] } });
  assert.deepEqual((await without.list("withdrawals")).items, []);
});

test("/stats/hot-smart-contracts are the contracts that were called most in a time", async (t) => {
  const site = await openSite(t, { seed: 14, blocks: 60, traffic: { ...TRAFFIC, transactions: [1, 6] } });
  const { items: transactions } = await site.list("transactions", { page_size: 1000 });
  const newest = Date.parse(String((await site.fetch(`blocks/${site.chain.head.number}`)).body.timestamp));
  for (const [scale, seconds] of Object.entries({ "5m": 300, "1h": 3600, "1d": 86_400 })) {
    const since = transactions.filter(({ timestamp }) => Date.parse(String(timestamp)) > newest - seconds * 1000);
    const counts = new Map<unknown, { count: number; gas: bigint }>();
    for (const { to, gas_used } of since) {
      if ((to as Json | null)?.is_contract !== true) continue;
      const { count, gas } = counts.get((to as Json).hash) ?? { count: 0, gas: 0n };
      counts.set((to as Json).hash, { count: count + 1, gas: gas + BigInt(String(gas_used)) });
    }

    const items = await walk(site, `stats/hot-smart-contracts?scale=${scale}`, 3);
    const byGas = await walk(site, `stats/hot-smart-contracts?scale=${scale}&sort=total_gas_used&order=asc`, 2);

    const figures = (some: readonly Json[]) =>
      some.map(({ contract_address, transactions_count, total_gas_used }) => [
        (contract_address as Json).hash,
        { count: Number(transactions_count), gas: BigInt(String(total_gas_used)) },
      ]);
    assert.deepEqual(new Map(figures(items) as [unknown, { count: number; gas: bigint }][]), counts, scale);
    assert.deepEqual(
      items.map(({ transactions_count }) => Number(transactions_count)),
      [...counts.values()].map(({ count }) => count).sort((a, b) => b - a),
    );
    assert.deepEqual(
      byGas.map(({ total_gas_used }) => Number(total_gas_used)),
      [...counts.values()].map(({ gas }) => Number(gas)).sort((a, b) => a - b),
    );
  }
  assert.equal((await site.fetch("stats/hot-smart-contracts?scale=2h")).status, 422);
});

test("more transactions than the limit are not scanned for hot contracts: 413", async (t) => {
  const served = await serveChain({ seed: 15, blocks: 20, traffic: { transactions: [1, 2] } });
  t.after(() => served.close());
  const network = openQueryContext({ store: served.store });
  t.after(() => network.decoder.close());
  const request = { page: 1, pageSize: 50, cursor: undefined };
  const by = { scale: "30d", sort: "transactions_count", order: "desc" } as const;

  await assert.rejects(listHotContracts(network, by, request, 5), { code: "limit_exceeded" });
});

test("metadata are read anew on request, a key is not needed, and other methods are refused", async (t) => {
  const site = await openSite(t, { seed: 16, blocks: 30, traffic: { logs: [0, 6] } });
  const [transfer] = (await site.list("token-transfers?type=ERC-721")).items;
  const token = String((transfer!.token as Json).address);
  const { token_id } = transfer!.total as Json;
  const ask = async (method: "GET" | "PATCH" | "POST", path: string, payload = "") => {
    const { statusCode, body } = await site.app.inject({ method, url: `/api/v2/${path}`, payload });
    return [statusCode, (JSON.parse(body) as Json).message];
  };
  const path = `tokens/${token}/instances/${token_id}/refetch-metadata`;

  assert.deepEqual(await ask("PATCH", path, '{"recaptcha_response":"x"}'), [200, "OK"]);
  assert.equal((await ask("PATCH", `tokens/${token}/instances/${2n ** 255n}/refetch-metadata`))[0], 404);
  assert.equal((await ask("PATCH", `tokens/${token}/instances/x/refetch-metadata`))[0], 422);
  assert.deepEqual(await ask("POST", "key", "{}"), [200, "OK"]);
  assert.equal((await ask("GET", path))[0], 405);
  assert.equal((await ask("GET", "key"))[0], 405);
});
