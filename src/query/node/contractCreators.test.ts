import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { after, test } from "node:test";
import { serveChain } from "../../../test/support/api.ts";
import { Random } from "../../../test/support/random.ts";
import { simulatedSource } from "../../../test/support/simulatedSource.ts";
import { manualClock, until } from "../../../test/support/waiting.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import type { Source } from "../../chain/source.ts";
import { TransactionReads } from "../../store/read/transactions.ts";
import { ContractCreators, MAX_FRAMES, MAX_TRACED } from "./contractCreators.ts";
import { HeadWatch } from "./headWatch.ts";
import { ReadThrough } from "./readThrough.ts";

const SEED = 4;
const BLOCKS = 60;
const MADE: Hex = `0x${"ab".repeat(20)}`;
const [A, B]: readonly Hex[] = [`0x${"0a".repeat(20)}`, `0x${"0b".repeat(20)}`];

interface Scene {
  readonly height: number;
  readonly fromBlock?: number;
  readonly blocks?: number;
  readonly transactions?: number;
  readonly trace?: (transaction: Hex) => unknown;
  readonly options?: ConstructorParameters<typeof ContractCreators>[2];
  /** Whether the test changes the chain; others share one. */
  readonly isOwn?: boolean;
}

const shared = new Map<string, ReturnType<typeof serveChain>>();
after(async () => {
  for (const served of shared.values()) await (await served).close();
});

function serve(t: TestContext, { fromBlock = 0, blocks = BLOCKS, transactions, isOwn = false }: Scene) {
  const traffic = transactions === undefined ? {} : { transactions: [transactions, transactions] as const };
  const start = () => serveChain({ seed: 8, blocks, fromBlock, traffic });
  if (isOwn) {
    const served = start();
    t.after(async () => (await served).close());
    return served;
  }
  const key = `${fromBlock} ${blocks} ${transactions}`;
  const served = shared.get(key) ?? start();
  shared.set(key, served);
  return served;
}

/** An index, and a node on which a contract appears at some height. */
async function open(t: TestContext, scene: Scene) {
  const { height, fromBlock = 0, trace, options } = scene;
  const served = await serve(t, scene);
  const asked: { heights: number[]; traced: Hex[] } = { heights: [], traced: [] };
  const source: Source = {
    ...simulatedSource(served.chain),
    request: async (method, [subject, at]) => {
      if (method === "eth_getCode") {
        asked.heights.push(Number(at));
        return Number(at) >= height ? "0x6001" : "0x";
      }
      asked.traced.push(subject as Hex);
      return trace?.(subject as Hex);
    },
  };
  const creators = new ContractCreators(new ReadThrough(source, new HeadWatch(source)), served.store, options);
  const tip = (await served.store.latest.blocks.tip())!;
  const find = () => creators.of(fromHex(MADE), { first: fromBlock, tip });
  return { served, asked, find };
}

const creation = (from: Hex, fields: object = {}) => ({ type: "CREATE2", from, to: MADE, input: "0xc0de", ...fields });
const call = (calls: unknown, fields: object = {}) => ({ type: "CALL", from: B, to: A, input: "0x", calls, ...fields });
const FAILED = { error: "execution reverted" };

test(`the block in which code appeared is found, whichever it is (seed ${SEED})`, async (t) => {
  const random = new Random(SEED);
  const heights = [1, 2, BLOCKS, ...Array.from({ length: 5 }, () => random.between(1, BLOCKS))];
  for (const height of heights) {
    const { served, asked, find } = await open(t, { height, trace: () => creation(A!) });
    const hashes = served.chain.at(height)!.block.transactions.map(({ hash }) => hash);
    const found = await find();

    if (hashes.length > 0) assert.ok(hashes.includes(toHex(found!.transaction)), `block ${height}`);
    assert.ok(asked.heights.length <= 2 * 15, `${asked.heights.length} questions`);
    assert.ok(asked.heights.every((asked) => asked >= 0 && asked <= BLOCKS));
  }
});

test("what was there in or before the first indexed block has no creator", async (t) => {
  const genesis = await open(t, { height: 0, trace: () => creation(A!) });
  const older = await open(t, { height: 10, fromBlock: 20, trace: () => creation(A!) });

  assert.equal(await genesis.find(), undefined);
  assert.equal(await older.find(), undefined);
  assert.deepEqual([...genesis.asked.traced, ...older.asked.traced], []);
  assert.deepEqual(older.asked.heights, [19]);
});

test("the creation is that which was not taken back, however deep it stands", async (t) => {
  const deep = Array.from({ length: 1000 }).reduce((inner) => call([inner]), creation(A!));
  const traces = [
    creation(A!),
    call([creation(B!, FAILED), creation(A!)]),
    call([creation(A!), creation(B!, FAILED)]),
    call([call([creation(A!)]), call([call([creation(B!)])], FAILED)]),
    call([call([creation(B!)], FAILED), call([call([creation(A!, { type: "CREATE" })])])]),
    call([call([call([creation(B!)])], FAILED), creation(A!, { to: MADE.toUpperCase().replace("0X", "0x") })]),
    call([{ type: "CALL", from: B, to: MADE, input: "0x" }, creation(B!, { to: B }), creation(A!)]),
    deep,
  ];
  for (const trace of traces) {
    const { find } = await open(t, { height: 30, trace: () => trace });
    const found = await find();
    assert.deepEqual([toHex(found!.creator), toHex(found!.input!)], [A, "0xc0de"]);
  }
});

test("malformed traces are ignored", async (t) => {
  const traces: unknown[] = [
    undefined,
    null,
    7,
    [],
    {},
    call(null),
    call({}),
    call([null]),
    call([7, creation(A!)], FAILED),
    call(Array.from({ length: 300_000 }, () => ({}))),
    creation("0x12"),
    creation(A!, { input: "0xz" }),
    creation(A!, { input: undefined }),
    creation(A!, { to: 5 }),
    creation(A!, FAILED),
  ];
  for (const trace of traces) {
    const { find } = await open(t, { height: 30, trace: () => trace });
    assert.equal(await find(), undefined, JSON.stringify(trace)?.slice(0, 80));
  }
  const long = await open(t, { height: 30, trace: () => creation(A!, { input: `0x${"00".repeat(200_000)}` }) });
  const found = await long.find();
  assert.deepEqual([toHex(found!.creator), found!.input], [A, undefined]);
});

test("a trace that is too long is passed over, and only so many are asked for", async (t) => {
  const tooLong = () => {
    throw new ChainError("limit_exceeded", "too large");
  };
  const { served, asked, find } = await open(t, { height: 30, trace: tooLong });

  assert.equal(await find(), undefined);

  const { block, receipts } = served.chain.at(30)!;
  const succeeded = block.transactions.filter((_, i) => receipts[i]!.status === "0x1");
  assert.ok(succeeded.length > 1);
  const gasOf = (hash: Hex) => Number(receipts[block.transactions.findIndex((tx) => tx.hash === hash)]!.gasUsed);
  assert.deepEqual(
    asked.traced.map(gasOf),
    succeeded.map(({ hash }) => gasOf(hash as Hex)).sort((a, b) => b - a),
  );
  assert.ok(asked.traced.length <= MAX_TRACED);
});

test("a trace of too many calls is skipped, and the next transaction is tried", async (t) => {
  const many = (count: number) => call([creation(A!), ...Array.from({ length: count - 2 }, () => call([]))]);
  const enough = await open(t, { height: 30, trace: () => many(MAX_FRAMES) });
  assert.equal(toHex((await enough.find())!.creator), A);

  const traced: Hex[] = [];
  const trace = (transaction: Hex) => (traced.push(transaction) === 1 ? many(MAX_FRAMES + 1) : creation(B!));
  const over = await open(t, { height: 30, trace });
  const found = await over.find();

  assert.deepEqual([toHex(found!.creator), toHex(found!.transaction)], [B, traced[1]]);
});

test("a large block is read in turns, and its transactions that used the most gas are traced", async (t) => {
  const { served, asked, find } = await open(t, {
    height: 2,
    blocks: 2,
    transactions: 1203,
    trace: () => call([]),
    options: { timeout: 60_000 },
  });
  const sizes: number[] = [];
  const read = served.store.read.bind(served.store);
  served.store.read = (work) =>
    read((session) => {
      const { transactions } = session;
      transactions.at = (positions) => {
        sizes.push(positions.length);
        return TransactionReads.prototype.at.call(transactions, positions);
      };
      return work(session);
    });

  assert.equal(await find(), undefined);

  assert.equal(
    sizes.reduce((sum, size) => sum + size, 0),
    1203,
  );
  assert.ok(Math.max(...sizes) <= 500, `${sizes}`);
  const { block, receipts } = served.chain.at(2)!;
  const gasOf = (hash: string) => Number(receipts[block.transactions.findIndex((tx) => tx.hash === hash)]!.gasUsed);
  const succeeded = block.transactions.filter((_, i) => receipts[i]!.status === "0x1").map(({ hash }) => gasOf(hash));
  assert.deepEqual(asked.traced.map(gasOf), succeeded.sort((a, b) => b - a).slice(0, MAX_TRACED));
});

test("a block that is unwound while it is read is not used", async (t) => {
  const { served, asked, find } = await open(t, {
    height: 2,
    blocks: 2,
    transactions: 1203,
    trace: () => creation(A!),
    options: { timeout: 60_000 },
    isOwn: true,
  });
  const { store } = served;
  const read = store.read.bind(store);
  let reads = 0;
  store.read = async (work) => {
    if (++reads === 3) {
      served.chain.fork(1, 2);
      await served.index();
    }
    return read(work);
  };

  assert.equal(await find(), undefined);

  assert.equal(reads, 5);
  assert.deepEqual(asked.traced, []);
});

test("concurrent requests share one search, which continues after their timeout", async (t) => {
  const gate = Promise.withResolvers<unknown>();
  const { asked, find } = await open(t, { height: 30, trace: () => gate.promise, options: { timeout: 30 } });

  assert.deepEqual(await Promise.all([find(), find(), find()]), [undefined, undefined, undefined]);
  await until("somebody asks for the trace", () => asked.traced.length > 0);
  gate.resolve(creation(A!));
  await until("the search ends", async () => (await find()) !== undefined);

  assert.equal(toHex((await find())!.creator), A);
  assert.equal(asked.traced.length, 1);
});

test("what was not found is searched for again after a pause", async (t) => {
  const clock = manualClock();
  let isReady = false;
  const trace = () => {
    if (!isReady) throw new ChainError("upstream_rejected", "the method does not exist");
    return creation(A!);
  };
  const { asked, find } = await open(t, { height: 30, trace, options: { pause: 40, now: clock.now } });

  assert.equal(await find(), undefined);
  isReady = true;
  assert.equal(await find(), undefined);
  assert.equal(asked.traced.length, 1);
  clock.advance(40);

  assert.equal(toHex((await find())!.creator), A);
});

test("an appearance in a block that the index gave up is searched for again", async (t) => {
  const { served, asked, find } = await open(t, { height: 58, trace: () => creation(A!), isOwn: true });
  assert.ok(await find());
  served.chain.fork(5, 9);
  await served.index();
  const before = asked.traced.length;

  await find();

  assert.ok(asked.traced.length > before);
});
