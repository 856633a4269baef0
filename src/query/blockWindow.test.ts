import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { firstSeed } from "../../test/support/seed.ts";
import { SimulatedChain } from "../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../test/support/simulatedSource.ts";
import type { TrafficOptions } from "../../test/support/simulatedTraffic.ts";
import { fromHex, toHex } from "../chain/encoding/hex.ts";
import { IN_MEMORY } from "../store/engine/databases.ts";
import { openStore } from "../store/openStore.ts";
import type { Store } from "../store/store.ts";
import { StoreReader } from "../store/storeReader.ts";
import type { BlockWindow } from "./blockWindow.ts";
import { BATCH_SIZE } from "./blockWindow.ts";
import type { QueryContext } from "./context.ts";
import { openQueryContext } from "./context.ts";
import { readAddressHistory } from "./transactions/addressHistory.ts";

const SEED = firstSeed();
const ALL: BlockWindow = { fromBlock: 0, toBlock: Number.MAX_SAFE_INTEGER, order: "desc", skip: 0, limit: 10_000 };

class BusyChain {
  readonly chain: SimulatedChain;
  readonly store: Store;
  readonly context: QueryContext;

  private constructor(chain: SimulatedChain, store: Store) {
    this.chain = chain;
    this.store = store;
    this.context = openQueryContext({ store });
  }

  static async open(blocks: number, transactions: number, other: Partial<TrafficOptions> = {}): Promise<BusyChain> {
    const one = { addresses: 1, miners: 1, fresh: 0, logs: [0, 0] as const };
    const traffic = { ...one, transactions: [transactions, transactions] as const, ...other };
    const chain = new SimulatedChain({ seed: SEED, traffic });
    chain.mine(blocks);
    const opened = new BusyChain(chain, await openStore(IN_MEMORY, chain.chainId));
    await opened.append(0);
    return opened;
  }

  async append(from: number): Promise<void> {
    const { chain, store } = this;
    const blocks = await simulatedSource(chain).blocks(from, chain.length - from);
    await store.append({ head: chain.length, blocks });
  }

  async reorganize(depth: number): Promise<void> {
    const kept = this.chain.length - depth;
    this.chain.fork(depth, depth + 1);
    await this.store.unwind(kept - 1);
    await this.append(kept);
  }

  get address(): string {
    return this.chain.at(1)!.block.transactions[0]!.from;
  }

  hashes(): string[] {
    const blocks = Array.from({ length: this.chain.length }, (_, at) => this.chain.at(at)!);
    const all = blocks.flatMap(({ block, receipts }) =>
      block.transactions.map((tx, at) => ({ tx, made: receipts[at]! })),
    );
    const isParty = ({ tx, made }: (typeof all)[number]) =>
      tx.from === this.address ||
      tx.to === this.address ||
      (made.status !== "0x0" && made.contractAddress === this.address);
    return all
      .filter(isParty)
      .map(({ tx }) => tx.hash)
      .reverse();
  }

  async history(
    window = ALL,
    role: "any" | "from" = "any",
    limits?: { searched: number; input: number },
  ): Promise<string[]> {
    const { rows, decode } = await readAddressHistory(this.context, fromHex(this.address), role, window, limits);
    return rows.map((row) => {
      const { hashes, hashAt } = decode(row).record;
      return toHex(hashes.subarray(hashAt, hashAt + 32));
    });
  }

  /** Runs something between batches. Returns the number of batches. */
  async between<T>(
    history: () => Promise<T>,
    other: (part: number) => Promise<unknown>,
  ): Promise<{ read: T; parts: number }> {
    let parts = 0;
    const { read } = StoreReader.prototype;
    this.store.read = async (work) => {
      const result = await read.call(this.store, work);
      await other(parts++);
      return result as Awaited<ReturnType<typeof work>>;
    };
    try {
      return { read: await history(), parts };
    } finally {
      this.store.read = read;
    }
  }

  close(): Promise<void> {
    return this.store.close();
  }
}

async function serveOthers(store: StoreReader, history: () => Promise<unknown>): Promise<string> {
  let served = "";
  const { read } = StoreReader.prototype;
  const others: Promise<void>[] = [];
  store.read = (work) => {
    const part = read.call(store, (session) => {
      served += "p";
      return work(session);
    });
    others.push(
      read.call(store, async () => {
        served += "o";
      }) as Promise<void>,
    );
    return part as ReturnType<typeof work>;
  };
  await history();
  store.read = read;
  await Promise.all(others);
  return served;
}

test(`a history of 10,000 rows, and a search through it, yield between parts (seed ${SEED})`, async () => {
  const busy = await BusyChain.open(105, 100);
  const expected = busy.hashes().slice(0, ALL.limit);

  const whole = await serveOthers(busy.store, async () => assert.deepEqual(await busy.history(), expected));
  const none = { ...ALL, skip: ALL.limit * 10 };
  const search = await serveOthers(busy.store, async () => assert.deepEqual(await busy.history(none, "from"), []));

  assert.equal(expected.length, ALL.limit);
  const parts = ALL.limit / BATCH_SIZE;
  assert.match(whole, new RegExp(`^(po){${parts}}$`));
  assert.match(search, new RegExp(`^(po){${parts},}$`));
  await busy.close();
});

describe(`a history in parts (seed ${SEED})`, () => {
  let busy: BusyChain;
  before(async () => {
    busy = await BusyChain.open(100, 20);
  });
  after(() => busy.close());

  test("excludes blocks added during the query", async () => {
    const expected = busy.hashes();
    const { read, parts } = await busy.between(
      () => busy.history(),
      async () => {
        busy.chain.mine();
        await busy.append(busy.chain.length - 1);
      },
    );

    assert.deepEqual(read, expected);
    assert.equal(parts, Math.ceil(expected.length / BATCH_SIZE));
  });

  test("is read again where a reorg comes between", async () => {
    const { read, parts } = await busy.between(
      () => busy.history(),
      async (part) => part === 3 && busy.reorganize(20),
    );

    assert.deepEqual(read, busy.hashes());
    assert.equal(parts, 4 + Math.ceil(read.length / BATCH_SIZE));
  });

  test("is not read again where a reorg is above its blocks", async () => {
    const window = { ...ALL, toBlock: busy.chain.length - 15 };
    const expected = await busy.history(window);
    const { read, parts } = await busy.between(
      () => busy.history(window),
      () => busy.reorganize(2),
    );

    assert.deepEqual(read, expected);
    assert.equal(parts, Math.ceil(expected.length / BATCH_SIZE));
  });

  test("is refused where blocks are replaced again and again", async () => {
    const history = () => busy.history();
    const refused = busy.between(history, () => busy.reorganize(3));

    await assert.rejects(refused, { code: "upstream_unavailable", message: /blocks were replaced/ });
  });
});

test(`what has to be searched and what is sent is limited, in words (seed ${SEED})`, async () => {
  const busy = await BusyChain.open(12, 100, { long: 0.05 });
  const limits = (searched: number, input = 1 << 30) => ({ searched, input });
  const refuses = (searched: number, input?: number) =>
    busy.history({ ...ALL, skip: 1_000_000 }, "from", limits(searched, input));
  const count = busy.hashes().length;

  assert.ok(count > 1100);
  assert.deepEqual(await refuses(count), []);
  await assert.rejects(refuses(1000), {
    code: "limit_exceeded",
    message: "over 1000 items would have to be searched; ask for fewer blocks",
  });
  assert.equal((await busy.history({ ...ALL, limit: 900 }, "from", limits(1000))).length, 900);
  await assert.rejects(busy.history(ALL, "any", limits(1000, 5000)), {
    code: "limit_exceeded",
    message: "the transactions have over 5000 bytes of input; ask for fewer",
  });
  assert.equal((await busy.history(ALL, "any", limits(1000))).length, count);
  await busy.close();
});
