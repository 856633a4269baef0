import assert from "node:assert/strict";
import { test } from "node:test";
import { checksumAddress } from "../src/chain/encoding/checksum.ts";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { fromHex, toHex } from "../src/chain/encoding/hex.ts";
import { uintToBigInt } from "../src/chain/encoding/uint.ts";
import { Indexer } from "../src/indexer/indexer.ts";
import { AUDITED_STAGES, STAGES } from "../src/indexer/stages.ts";
import { TraceFollower } from "../src/indexer/traces/traceFollower.ts";
import { IN_MEMORY } from "../src/store/engine/databases.ts";
import { openStore } from "../src/store/openStore.ts";
import { auditTraces } from "../src/store/stages/traces/traceAudit.ts";
import type { MinedCall } from "../src/store/stages/traces/traceReads.ts";
import { verifyBlock } from "../src/store/stages/verifyBlock.ts";
import type { Store } from "../src/store/store.ts";
import type { OrdinalList } from "../src/store/tables/list.ts";
import type { Json } from "./support/api.ts";
import { autocommit } from "./support/autocommit.ts";
import { CHAIN_ID } from "./support/developmentNode.ts";
import { fingerprint } from "./support/fingerprint/fingerprint.ts";
import { indexTraced } from "./support/indexTraced.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import type { PlainCall } from "./support/tracedChain.ts";
import { TracedChain } from "./support/tracedChain.ts";
import { until } from "./support/waiting.ts";

const CASES = Number(process.env.ORIEL_CASES ?? 1);
const SEED = firstSeed();

const plainOf = ({ mined, ...call }: MinedCall): PlainCall => ({
  type: call.type,
  index: call.index,
  depth: call.depth,
  from: toHex(call.from),
  to: call.to && toHex(call.to),
  value: uintToBigInt(call.value),
  gas: call.gas,
  gasUsed: call.gasUsed,
  error: call.error,
  isUndone: call.isUndone,
  block: mined.block.header.number,
  transaction: toHex(mined.transaction.hash),
  transactionIndex: mined.index,
});

/** Every list of calls against what the node traces now. */
async function expectCalls(traced: TracedChain, store: Store, label: string): Promise<number> {
  const plain: PlainCall[] = [];
  for (let number = 1; number <= (await traced.height()); number++) plain.push(...(await traced.plainCalls(number)));
  await store.read(async ({ traces }) => {
    const read = async (list: OrdinalList) => (await traces.at(await list.slice(0, await list.count()))).map(plainOf);
    assert.deepEqual(await read(traces.all()), plain, `${label}: all`);
    for (let from = 0; from < plain.length; from += 3) {
      const some = (await traces.at(await traces.all().slice(from, from + 2))).map(plainOf);
      assert.deepEqual(some, plain.slice(from, from + 2), `${label}: from ${from}`);
    }
    for (const block of new Set(plain.map((call) => call.block))) {
      const expected = plain.filter((call) => call.block === block);
      assert.deepEqual(await read(await traces.ofBlock(block)), expected, `${label}: block ${block}`);
      for (const index of new Set(expected.map((call) => call.transactionIndex))) {
        const own = expected.filter((call) => call.transactionIndex === index);
        const list = await traces.ofTransaction(block, index);
        assert.deepEqual(await read(list!), own, `${label}: transaction ${index} of block ${block}`);
      }
    }
    for (const address of new Set(plain.flatMap(({ from, to }) => (to === null ? [from] : [from, to])))) {
      const expected = plain.filter(({ from, to }) => from === address || to === address);
      assert.deepEqual(await read(await traces.ofAddress(fromHex(address))), expected, `${label}: ${address}`);
    }
  });
  return plain.length;
}

async function expectSame(traced: TracedChain, label: string): Promise<void> {
  const scratch = await traced.fromScratch();
  assert.equal(await traced.store.read(fingerprint), await scratch.read(fingerprint), label);
  await scratch.close();
  assert.deepEqual(await traced.store.read((session) => auditTraces(session)), [], label);
  for (let number = 0; number <= (await traced.height()); number++) {
    const problems = await traced.store.read((session) => verifyBlock(session, number, AUDITED_STAGES));
    assert.deepEqual(problems, [], `${label}: block ${number}`);
  }
}

test(`internal calls of ${CASES} random chains with reorgs are what the node traces (seed ${SEED})`, async (t) => {
  for (let seed = SEED; seed < SEED + CASES; seed++) {
    const random = new Random(seed);
    const traced = await TracedChain.open(t);
    let calls = 0;
    for (let round = 0; round < 3; round++) {
      const snapshot = await traced.node.ask("evm_snapshot");
      for (let blocks = random.between(1, 6); blocks > 0; blocks--) await traced.mine(random);
      if (random.chance(0.8)) await traced.settle();
      if (random.chance(0.7)) await traced.node.ask("evm_revert", snapshot);
      for (let blocks = random.between(1, 6); blocks > 0; blocks--) await traced.mine(random);
      await traced.settle();
      calls = await expectCalls(traced, traced.store, `seed ${seed}, round ${round}`);
    }
    await expectSame(traced, `seed ${seed}`);
    t.diagnostic(`${calls} calls in ${await traced.height()} blocks`);
    assert.ok(calls > 0, `seed ${seed}`);
  }
});

interface Item {
  readonly [field: string]: unknown;
}

/** All pages of a list by their cursors; every page must have the same total. */
async function walk(traced: TracedChain, path: string, size: number): Promise<Item[]> {
  const { items, totals } = await walkPages(traced, path, size);
  assert.deepEqual([...totals], [items.length], path);
  return items;
}

async function walkPages(traced: TracedChain, path: string, size: number) {
  const items: Item[] = [];
  const totals = new Set<unknown>();
  for (let next: Record<string, string> | null = { page_size: String(size) }; next !== null; ) {
    const { status, body }: { status: number; body: Json } = await traced.get(
      `/api/v2${path}${path.includes("?") ? "&" : "?"}${new URLSearchParams(next)}`,
    );
    assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
    items.push(...(body.items as Item[]));
    totals.add(body.total_count);
    next = body.next_page_params as Record<string, string> | null;
  }
  return { items, totals };
}

test(`lists say why transactions failed, as their records do, through reorgs (seed ${SEED})`, async (t) => {
  const random = new Random(SEED);
  const traced = await TracedChain.open(t);
  const failing = async () => {
    await traced.run("0x0700");
    await traced.mine(random);
    await traced.settle();
  };
  await failing();
  const snapshot = await traced.node.ask("evm_snapshot");
  await failing();
  await traced.node.ask("evm_revert", snapshot);
  await traced.mine(random);
  await failing();
  await traced.node.ask("evm_setAutomine", true);
  const nonce = Number(await traced.node.ask("eth_getTransactionCount", traced.node.account.address, "latest"));
  await traced.node.send({ to: undefined, data: "0xfe", gas: 100_000n, nonce });
  await traced.settle();

  const listed = await walk(traced, "/transactions", 3);

  const failed = listed.filter(({ status }) => status === "error");
  const results = new Set<unknown>();
  for (const { hash, result } of failed) {
    const trace = await traced.node.ask<{ error: string }>("debug_traceTransaction", hash, { tracer: "callTracer" });
    assert.equal(result, trace.error);
    assert.equal(((await traced.get(`/api/v2/transactions/${hash}`)).body as Item).result, trace.error);
    results.add(result);
  }
  assert.ok(results.size > 1, `${[...results]}`);
  await expectSame(traced, `seed ${SEED}`);
});

const shown = (address: Hex | null) => address && checksumAddress(fromHex(address));

function expectedItem(call: PlainCall): Item {
  const creates = call.type.startsWith("create");
  return {
    block_number: call.block,
    transaction_hash: call.transaction,
    transaction_index: call.transactionIndex,
    index: call.index,
    depth: call.depth,
    type: call.type,
    from: shown(call.from),
    to: creates ? null : shown(call.to),
    created_contract: creates ? shown(call.to) : null,
    value: call.value.toString(),
    gas_limit: String(call.gas),
    success: call.error === undefined && !call.isUndone,
    error: call.error ?? (call.isUndone ? "parent call failed" : null),
  };
}

function servedItem({ timestamp, gas_used, from, to, created_contract, ...item }: Item): Item {
  assert.ok(typeof timestamp === "string" && typeof gas_used === "string");
  const hashOf = (address: unknown) => (address as { hash: string } | null)?.hash ?? null;
  return { ...item, from: hashOf(from), to: hashOf(to), created_contract: hashOf(created_contract) };
}

test("every list of internal transactions is served whole, whatever its pages are", async (t) => {
  const random = new Random(SEED);
  const traced = await TracedChain.open(t);
  for (let blocks = 0; blocks < 8; blocks++) await traced.mine(random, 3);
  await traced.run("0x010200010103040105020002");
  await traced.run("0x090109020901");
  await traced.settle();
  const plain: PlainCall[] = [];
  for (let number = 1; number <= (await traced.height()); number++) plain.push(...(await traced.plainCalls(number)));
  const lists: [path: string, expected: readonly PlainCall[]][] = [["/internal-transactions", plain.toReversed()]];
  for (const block of new Set(plain.map((call) => call.block))) {
    lists.push([`/blocks/${block}/internal-transactions`, plain.filter((call) => call.block === block)]);
  }
  const all: PlainCall[] = [];
  for (let number = 1; number <= (await traced.height()); number++) {
    all.push(...(await traced.plainCalls(number, "all")));
  }
  assert.ok(all.some(({ type }) => type === "delegatecall") && all.length > plain.length);
  for (const hash of new Set(all.map((call) => call.transaction))) {
    lists.push([`/transactions/${hash}/internal-transactions`, all.filter((call) => call.transaction === hash)]);
  }
  for (const address of new Set(plain.flatMap(({ from, to }) => (to === null ? [from] : [from, to])))) {
    const own = plain.filter(({ from, to }) => from === address || to === address);
    lists.push([`/addresses/${address}/internal-transactions`, own.toReversed()]);
  }
  for (const [path, expected] of lists) {
    const items = await walk(traced, path, random.between(1, 7));
    assert.deepEqual(items.map(servedItem), expected.map(expectedItem), `seed ${SEED}: ${path}`);
  }
  await expectCounts(traced, plain);
  await expectActions(traced, plain);
  for (const role of ["from", "to"] as const) {
    const items = await walkPages(traced, `/addresses/${traced.actor}/internal-transactions?filter=${role}`, 3);
    const own = plain.filter((call) => call[role] === traced.actor).toReversed();
    assert.deepEqual([items.totals, items.items.map(servedItem)], [new Set([null]), own.map(expectedItem)], role);
  }
});

/** Blocks and addresses say how long their lists are. */
async function expectCounts(traced: TracedChain, plain: readonly PlainCall[]): Promise<void> {
  const { body } = await traced.get("/api/v2/blocks?items_count=50");
  const blocks = body.items as { height: number; internal_transactions_count: number }[];
  assert.equal(blocks.length, (await traced.height()) + 1);
  for (const { height, internal_transactions_count } of blocks) {
    const count = plain.filter(({ block }) => block === height).length;
    const one = await traced.get(`/api/v2/blocks/${height}`);
    assert.deepEqual([internal_transactions_count, one.body.internal_transactions_count], [count, count]);
  }
  const tabs = await traced.get(`/api/v2/addresses/${traced.actor}/tabs-counters`);
  const own = plain.filter(({ from, to }) => from === traced.actor || to === traced.actor);
  assert.equal(tabs.body.internal_transactions_count, own.length);
}

async function action(traced: TracedChain, parameters: string) {
  const { body } = await traced.get(`/api?module=account&action=txlistinternal${parameters}`);
  return body as unknown as { status: string; message: string; result: Item[] };
}

async function expectActions(traced: TracedChain, plain: readonly PlainCall[]): Promise<void> {
  const keyOf = ({ transaction, index, type }: PlainCall) => `${transaction} ${index} ${type}`;
  const read = async (parameters: string) => {
    const { status, result } = await action(traced, parameters);
    return [status, result.map(({ hash, traceId, type }) => `${hash} ${traceId} ${type}`)];
  };
  const [first, last] = [plain[0]!, plain.at(-1)!];
  assert.deepEqual(await read("&sort=asc"), ["1", plain.map(keyOf)]);
  const ofLast = plain.filter(({ transaction }) => transaction === last.transaction);
  assert.deepEqual(await read(`&txhash=${last.transaction}`), ["1", ofLast.map(keyOf)]);
  const own = plain.filter(({ from, to, block }) => [from, to].includes(traced.actor) && block > first.block);
  const range = `&address=${traced.actor}&startblock=${first.block + 1}`;
  assert.deepEqual(await read(`${range}&sort=asc`), ["1", own.map(keyOf)]);
  assert.deepEqual(await read(`${range}&page=2&offset=3`), ["1", own.toReversed().slice(3, 6).map(keyOf)]);
  assert.deepEqual(await read(`&address=0x${"77".repeat(20)}`), ["0", []]);
  assert.equal((await action(traced, "&txhash=0x12")).message, "Invalid txhash format");
  assert.match((await action(traced, "&include_zero_value=true")).message, /not indexed/);
}

test("CALLCODE is distinguished from CALL in the module/action API", async (t) => {
  const traced = await TracedChain.open(t, {
    around: (handle) => async (body, isTrusted) => {
      const answer = await handle(body, isTrusted);
      return body.includes("debug_trace") ? answer?.replaceAll('"type":"CALL"', '"type":"CALLCODE"') : answer;
    },
  });
  await traced.run("0x0001");
  await traced.settle();

  const { result } = await action(traced, "");

  assert.ok(result.length > 0);
  for (const { type, callType } of result) assert.deepEqual([type, callType], ["callcode", "callcode"]);
});

test("who created a contract is known from the index, without old states and without a search", async (t) => {
  const asked: string[] = [];
  const traced = await TracedChain.open(t, {
    around: (handle) => (body, isTrusted) => {
      asked.push(...[...body.matchAll(/"method":"(\w+)"/g)].map(([, method]) => method!));
      return handle(body, isTrusted);
    },
  });
  const hash = await traced.run("0x0101");
  await traced.settle();
  const made = (await traced.plainCalls(await traced.height())).find(({ type }) => type === "create")!;

  const { body } = await traced.get(`/api/v2/addresses/${made.to}`);
  const contract = await traced.get(`/api/v2/smart-contracts/${made.to}`);
  const creation = await traced.get(`/api?module=contract&action=getcontractcreation&contractaddresses=${made.to}`);

  assert.deepEqual([body.creator_address_hash, body.creation_transaction_hash], [shown(traced.actor), hash]);
  const [row] = creation.body.result as unknown as Item[];
  assert.deepEqual([row?.contractFactory, row?.txHash], [traced.actor, hash]);
  assert.equal(contract.body.creation_bytecode, row?.creationBytecode);
  assert.match(String(row?.creationBytecode), /^0x60/);
  assert.equal(asked.filter((method) => method === "debug_traceTransaction").length, 1);
  assert.ok(asked.filter((method) => method === "eth_getCode").length < 6, "no search by heights");
});

test("a node that cannot trace keeps nothing waiting but traces, and says why", async (t) => {
  let isRefused = true;
  const traced = await TracedChain.open(t, {
    around: (handle) => async (body, isTrusted) => {
      if (!isRefused || !body.includes("trace")) return handle(body, isTrusted);
      const { id } = JSON.parse(body) as { id: number };
      return JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32000, message: "missing trie node" } });
    },
  });
  const hash = await traced.run("0x0101");
  await traced.settle();

  const status = async () => (await traced.get("/status")).body.traces as unknown as Item | null;
  assert.equal((await traced.store.latest.blocks.tip())?.number, await traced.height());
  assert.match(
    String((await status())?.message),
    /block 1 is not traced: .*missing trie node.*; use a node that keeps all states \(an archive node\), or leave --traces out/,
  );
  const { body } = await traced.get("/api/v2/internal-transactions");
  assert.deepEqual([body.total_count, body.block_number], [0, 0]);
  const refused = await traced.get(`/api/v2/transactions/${hash}/internal-transactions`);
  assert.deepEqual(
    [refused.status, refused.body.message],
    [503, "Internal transactions are indexed up to block 0, not yet of block 2."],
  );
  assert.equal((await action(traced, "")).status, "2");

  isRefused = false;
  await until("the traces are there", async () => {
    await traced.settle();
    return (await status())?.block === (await traced.height());
  });
  assert.equal((await status())?.message, null);
  assert.equal(traced.errors.length, 1);
  assert.equal((await traced.get("/api/v2/internal-transactions")).body.total_count, 1);
});

test("where the node does not trace, a transaction has the calls that the index keeps", async (t) => {
  let isRefused = false;
  const traced = await TracedChain.open(t, {
    around: (handle) => async (body, isTrusted) => {
      if (!isRefused || !body.includes("trace")) return handle(body, isTrusted);
      const { id } = JSON.parse(body) as { id: number };
      return JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32000, message: "missing trie node" } });
    },
  });
  const hash = await traced.run("0x010109020001");
  await traced.settle();
  isRefused = true;

  const items = await walk(traced, `/transactions/${hash}/internal-transactions`, 2);

  isRefused = false;
  const kept = await traced.plainCalls(await traced.height());
  assert.ok(kept.length > 1);
  assert.deepEqual(items.map(servedItem), kept.map(expectedItem));
});

test(`untraced transactions are read from the node, and lists say how far traces are (seed ${SEED})`, async (t) => {
  const random = new Random(SEED);
  const refused = { code: -32000, message: "too busy" };
  const traced = await TracedChain.open(t, {
    around: (handle) => async (body, isTrusted) => {
      // The stage gives the node more time than a request does.
      if (!body.includes("30s")) return handle(body, isTrusted);
      const { id } = JSON.parse(body) as { id: number };
      return JSON.stringify({ jsonrpc: "2.0", id, error: refused });
    },
  });
  for (let blocks = 0; blocks < 6; blocks++) await traced.mine(random, 3);
  await traced.run("0x010200010103040105020002");
  await traced.settle();
  const height = await traced.height();
  let calls = 0;

  for (let number = 1; number <= height; number++) {
    const plain = await traced.plainCalls(number);
    const items = await walk(traced, `/blocks/${number}/internal-transactions`, random.between(1, 5));
    assert.deepEqual(items.map(servedItem), plain.map(expectedItem), `seed ${SEED}: block ${number}`);
    for (const hash of new Set(plain.map((call) => call.transaction))) {
      const own = await walk(traced, `/transactions/${hash}/internal-transactions`, random.between(1, 5));
      const all = await traced.plainCalls(number, "all");
      const expected = all.filter((call) => call.transaction === hash);
      assert.deepEqual(own.map(servedItem), expected.map(expectedItem), `seed ${SEED}: ${hash}`);
    }
    calls += plain.length;
  }
  assert.ok(calls > 5);
  for (const path of ["internal-transactions", `addresses/${traced.actor}/internal-transactions`]) {
    const { body } = await traced.get(`/api/v2/${path}`);
    assert.deepEqual([body.total_count, body.block_number], [0, 0], path);
  }
  const { body } = await traced.get(`/api/v2/blocks/${height}`);
  assert.equal(body.internal_transactions_count, null);
});

test("damage of the stage is found by its audit", async (t) => {
  const traced = await TracedChain.open(t);
  for (const script of ["0x01010301", "0x020205010001", "0x00010002"] as const) await traced.run(script);
  const damages = [
    "DELETE FROM trace_call WHERE position = (SELECT max(position) FROM trace_call)",
    "UPDATE trace_call SET body = (SELECT max(body) FROM trace_call) WHERE body = (SELECT min(body) FROM trace_call)",
    "DELETE FROM trace_creation WHERE position = (SELECT min(position) FROM trace_creation)",
    "INSERT INTO trace_creation (address, position) VALUES (1, 7)",
    "UPDATE trace_block SET calls = calls + 1 WHERE number = (SELECT max(number) FROM trace_block)",
    "UPDATE trace_block SET untraced = 1 WHERE number = (SELECT max(number) FROM trace_block)",
    "UPDATE trace_address SET value = x'00' || substr(value, 2) WHERE id = 2",
    "DELETE FROM trace_address_hash WHERE value = 1",
    "DELETE FROM trace_address_call_tail WHERE owner = 1",
    "UPDATE stage SET digest = x'00' WHERE name = 'traces'",
  ];
  for (const damage of damages) {
    const store = await traced.fromScratch();
    assert.deepEqual(await store.read((session) => auditTraces(session)), []);
    await autocommit(store.database).run(damage);
    assert.ok((await store.read((session) => auditTraces(session))).length > 0, damage);
    await store.close();
  }
});

test("an index that had no traces gets those of its older blocks, and one that loses them gets them again", async (t) => {
  const traced = await TracedChain.open(t);
  for (const script of ["0x01010301", "0x020205010001", "0x00010002"] as const) await traced.run(script);
  const store = await openStore(IN_MEMORY, CHAIN_ID);
  const plain = new Indexer({ store, source: traced.source, stages: STAGES });
  while ((await plain.step()) !== "idle");
  assert.equal(await store.latest.traces.tip(), undefined);
  const scratch = await traced.fromScratch();
  const expected = await scratch.read(fingerprint);
  const follow = async () => {
    const traces = new TraceFollower({ store, source: traced.source });
    await indexTraced(new Indexer({ store, source: traced.source, stages: STAGES, traces }), traces)();
  };

  await follow();
  assert.equal(await store.read(fingerprint), expected);
  await autocommit(store.database).run("UPDATE stage SET version = 0 WHERE name = 'traces'");
  await traced.node.ask("evm_mine");
  await follow();
  await follow();
  const again = await traced.fromScratch();
  assert.equal(await store.read(fingerprint), await again.read(fingerprint));
  for (const one of [store, scratch, again]) await one.close();
});

test("a contract that a contract made is one in lists, as on its record", async (t) => {
  const traced = await TracedChain.open(t);
  await traced.run("0x0101");
  await traced.settle();
  const [call] = (await walk(traced, "/internal-transactions", 5)).filter(({ type }) => type === "create");
  const { hash, is_contract } = call!.created_contract as { hash: string; is_contract: unknown };

  const { body } = await traced.get(`/api/v2/addresses/${hash}`);
  const named = await traced.get(`/api/v2/search?q=${hash}`);

  assert.deepEqual([is_contract, body.is_contract], [true, true]);
  assert.equal((named.body.items as Item[])[0]!.type, "contract");
});
