import assert from "node:assert/strict";
import { test } from "node:test";
import { checksumAddress } from "../src/chain/encoding/checksum.ts";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { fromHex, quantity } from "../src/chain/encoding/hex.ts";
import type { HandleBody } from "../src/jsonrpc/port.ts";
import { demonstrated, SCENE_BLOCKS } from "./support/demonstrated.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import { TracedChain } from "./support/tracedChain.ts";

const SEED = firstSeed();

interface Item {
  readonly [field: string]: unknown;
}

/** All pages of a list; each must have its total. */
async function walk(traced: TracedChain, path: string, size: number): Promise<Item[]> {
  const items: Item[] = [];
  for (let page = 1; ; page++) {
    const { status, body } = await traced.get(`/api/v2${path}?page=${page}&page_size=${size}`);
    assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
    items.push(...(body.items as Item[]));
    if (body.next_page_params !== null) continue;
    assert.equal(body.total_count, items.length, path);
    return items;
  }
}

async function balanceAt(traced: TracedChain, address: string, number: number): Promise<bigint> {
  return number < 0 ? 0n : BigInt(await traced.node.ask<Hex>("eth_getBalance", address, quantity(number)));
}

/** All addresses in transactions and inner calls, and all miners. */
async function allAddresses(traced: TracedChain): Promise<string[]> {
  const found = new Set<string>();
  for (let number = 1; number <= (await traced.height()); number++) {
    const block = await traced.node.ask<{ miner: Hex; transactions: { from: Hex; to: Hex | null }[] }>(
      "eth_getBlockByNumber",
      quantity(number),
      true,
    );
    found.add(block.miner);
    for (const { from, to } of block.transactions) for (const party of [from, to]) if (party !== null) found.add(party);
    for (const { from, to } of await traced.plainCalls(number))
      for (const party of [from, to]) if (party) found.add(party);
  }
  return [...found].map((address) => address.toLowerCase());
}

/** Every balance change is listed, and every listed one matches the node. */
async function expectHistory(traced: TracedChain, address: string, size: number): Promise<number> {
  const items = await walk(traced, `/addresses/${address}/coin-balance-history`, size);
  const height = await traced.height();
  const listed = new Map(items.map((item) => [Number(item.block_number), item]));
  assert.equal(listed.size, items.length, address);
  let [before, changes] = [0n, 0];
  for (let number = 0; number <= height; number++) {
    const value = await balanceAt(traced, address, number);
    const item = listed.get(number);
    if (item !== undefined) assert.equal(item.value, value.toString(), `${address} at ${number}`);
    // Genesis balances come from no transaction.
    else if (number > 0) assert.equal(value, before, `${address} at ${number} is not listed`);
    if (value !== before && number > 0) changes++;
    if (item !== undefined && number > 0)
      assert.equal(item.delta, (value - before).toString(), `${address} at ${number}`);
    before = value;
  }
  return changes;
}

test("the balances of all addresses of the demonstration equal the node's at every block", async (t) => {
  const { node, demonstration } = await demonstrated({ blocks: SCENE_BLOCKS });
  await demonstration.buildPast();
  for (let block = 0; block < 5; block++) await demonstration.live();
  const traced = await TracedChain.over(t, node);
  await traced.settle();
  assert.ok((await traced.height()) >= SCENE_BLOCKS - 1);

  let changes = 0;
  for (const address of await allAddresses(traced)) changes += await expectHistory(traced, address, 7);
  t.diagnostic(`${changes} changes of balances in ${await traced.height()} blocks`);
  assert.ok(changes > 50);
});

test(`balances that contracts move, and each day's last one (seed ${SEED})`, async (t) => {
  const random = new Random(SEED);
  const traced = await TracedChain.open(t);
  for (let block = 0; block < 8; block++) {
    await traced.mine(random, 3);
    await traced.node.ask("evm_increaseTime", random.between(1000, 90_000));
  }
  await traced.settle();
  for (const address of await allAddresses(traced)) {
    await expectHistory(traced, address, random.between(1, 5));
    const { body } = await traced.get(`/api/v2/addresses/${address}/coin-balance-history-by-day`);
    assert.deepEqual(body.items, await dailyBalances(traced, address), `seed ${SEED}: ${address}`);
  }
});

async function dailyBalances(traced: TracedChain, address: string) {
  const days = new Map<string, bigint>();
  const height = await traced.height();
  let [last, value] = [0, 0n];
  for (let number = 0; number <= height; number++) {
    const { timestamp } = await traced.node.ask<{ timestamp: Hex }>("eth_getBlockByNumber", quantity(number), false);
    const day = Math.floor(Number(timestamp) / 86_400);
    // A day without a block ends as the one before.
    for (let empty = number === 0 ? day : last + 1; empty < day; empty++) days.set(dateOf(empty), value);
    [last, value] = [day, await balanceAt(traced, address, number)];
    days.set(dateOf(day), value);
  }
  return [...days].slice(-10).map(([date, balance]) => ({ date, value: balance.toString() }));
}

const dateOf = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10);

test("raw traces and state changes are those of the node", async (t) => {
  const traced = await TracedChain.open(t);
  const hash = await traced.run("0x010200010103040105020002", 5n);
  await traced.settle();
  const height = await traced.height();

  const traces = await walk(traced, `/transactions/${hash}/raw-trace`, 3);
  const plain = await traced.node.ask<Item[]>("debug_traceTransaction", hash, { tracer: "flatCallTracer" });
  assert.ok(plain.length > 3);
  assert.deepEqual(
    traces.map(({ type, action, result, error, subtraces, traceAddress }) => ({
      type,
      action,
      result,
      error,
      subtraces,
      traceAddress,
    })),
    plain.map(({ type, action, result = null, error = null, subtraces, traceAddress }) => ({
      type,
      action,
      result,
      error,
      subtraces,
      traceAddress,
    })),
  );

  const changes = await walk(traced, `/transactions/${hash}/state-changes`, 2);
  const shown = new Map(changes.map((change) => [(change.address as Item).hash, change]));
  for (const address of await allAddresses(traced)) {
    const [before, after] = [await balanceAt(traced, address, height - 1), await balanceAt(traced, address, height)];
    const change = shown.get(checksumAddress(fromHex(address as Hex)));
    const reported = change && [change.balance_before, change.balance_after, change.change];
    const expected = before === after ? undefined : [before, after, after - before].map(String);
    assert.deepEqual(reported, expected, address);
  }
});

/** Answers calls of some methods by itself. */
const answering =
  (method: RegExp, answer: (body: string) => string) =>
  (handle: HandleBody): HandleBody =>
  async (body, isTrusted) => {
    if (!method.test(body)) return handle(body, isTrusted);
    const { id } = JSON.parse(body) as { id: number };
    return `{"jsonrpc":"2.0","id":${id},${answer(body)}}`;
  };

const FRAME = `{"type":"CALL","from":"0x${"11".repeat(20)}","to":"0x${"22".repeat(20)}","value":"0x1","gas":"0x1","gasUsed":"0x0","input":"0x"}`;
const traceOf = (calls: number) => `${FRAME.slice(0, -1)},"calls":[${new Array(calls).fill(FRAME).join()}]}`;

test("a transaction of a million calls is omitted with a reason, and all others are indexed", async (t) => {
  const long = traceOf(1_000_000);
  assert.ok(long.length > 50 << 20);
  let struck = "";
  const around = answering(/debug_trace/, (body) => {
    if (body.includes("ByHash")) return `"result":[{"result":${long}}]`;
    return `"result":${struck !== "" && body.includes(struck) ? long : traceOf(3)}`;
  });
  const traced = await TracedChain.open(t, { around });
  struck = await traced.run("0x0001");
  const other = await traced.run("0x0001");
  await traced.settle();

  const { body } = await traced.get("/status");
  const status = body.traces as unknown as Item;
  assert.deepEqual(
    [status.block, status.internal_transactions, status.untraced_transactions, status.message],
    [await traced.height(), 6, 1, null],
  );
  const refused = await traced.get(`/api/v2/transactions/${struck}/internal-transactions`);
  assert.deepEqual(
    [refused.status, refused.body.message],
    [413, "The request or the data is larger than a stated limit."],
  );
  assert.equal((await traced.get(`/api/v2/transactions/${struck}/raw-trace`)).status, 413);
  assert.equal((await walk(traced, `/transactions/${other}/internal-transactions`, 2)).length, 3);
  assert.equal((await traced.get("/api/v2/internal-transactions")).body.total_count, 6);
});

test("a readable trace of over 100,000 calls is omitted as well", async (t) => {
  const around = answering(/debug_traceBlockByHash/, () => `"result":[{"result":${traceOf(100_001)}}]`);
  const traced = await TracedChain.open(t, { around });
  await traced.settle();

  const { body } = await traced.get("/status");
  assert.equal((body.traces as unknown as Item).untraced_transactions, 1);
});

test("a node without traces is reported, and other answers are unaffected", async (t) => {
  const around = answering(
    /debug_trace|trace_block/,
    () => `"error":{"code":-32601,"message":"the method does not exist"}`,
  );
  const traced = await TracedChain.open(t, { around });
  const hash = await traced.run("0x0001");
  await traced.settle();

  for (const path of ["raw-trace", "state-changes"]) {
    const { status, body } = await traced.get(`/api/v2/transactions/${hash}/${path}`);
    assert.deepEqual([status, body.message], [502, "The node refused the call."], path);
  }
  assert.match(traced.errors[0]!, /block 1 is not traced: .*method does not exist/);
});

test("trace_block and the call tracer agree", async (t) => {
  const random = new Random(SEED);
  const node = { isFlat: false };
  const traced = await TracedChain.open(t, {
    around: (handle) => async (body, isTrusted) => {
      const { id, method, params } = JSON.parse(body.startsWith("[") ? "{}" : body);
      if (!node.isFlat || !String(method).includes("trace")) return handle(body, isTrusted);
      const error = { code: -32601, message: "the method does not exist" };
      if (method !== "trace_block") return JSON.stringify({ jsonrpc: "2.0", id, error });
      const config = { tracer: "flatCallTracer" };
      const blocks = await traced.node.ask<{ result: Item[] }[]>("debug_traceBlockByNumber", params[0], config);
      return JSON.stringify({ jsonrpc: "2.0", id, result: blocks.flatMap(({ result }) => result) });
    },
  });
  for (let blocks = 0; blocks < 6; blocks++) await traced.mine(random, 3);
  await traced.settle();
  node.isFlat = true;
  const flat = await traced.fromScratch();

  const read = (store: typeof flat) =>
    store.read(async ({ traces }) => {
      const calls = await traces.at(await traces.all().slice(0, await traces.all().count()));
      return calls.map(({ index, type, gas, gasUsed, error, mined, ...call }) => ({
        ...call,
        type: type.slice(0, 6),
        hasFailed: error !== undefined,
        transaction: mined.transaction.hash,
      }));
    });
  const [ours, theirs] = [await read(traced.store), await read(flat)];
  assert.ok(ours.length > 0);
  assert.deepEqual(theirs, ours, `seed ${SEED}`);
  await flat.close();
});
