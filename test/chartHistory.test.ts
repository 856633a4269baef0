import assert from "node:assert/strict";
import { test } from "node:test";
import { serveChain } from "./support/api.ts";
import { addressTopics } from "./support/chainOracle.ts";
import type { PlainBlock, PlainChain } from "./support/plainChain.ts";
import { blocksOf } from "./support/plainChain.ts";
import { plainTransfers } from "./support/plainLedger.ts";
import type { PlainLog } from "./support/plainLogs.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import { activeIn, feeOf } from "./support/statsOracle.ts";

const SEED = firstSeed();
const CASES = Number(process.env.ORIEL_CASES ?? 1);
const HOUR = 3600;
const DAY = 24 * HOUR;
const STEPS: Readonly<Record<string, readonly [step: number, periods: number]>> = {
  "24h": [HOUR, 24],
  "7d": [6 * HOUR, 28],
  "30d": [DAY, 30],
};

const settings = { web: { coin: "ETH", isTestnet: false, others: [] } };

const TITLES = [
  "Transactions",
  "New addresses",
  "Token transfers",
  "Contracts created by transactions",
  "Gas used",
  "Fees",
] as const;

type Series = Readonly<Record<(typeof TITLES)[number], number | bigint>>;

const big = (hex: unknown): bigint => BigInt(hex as string);

/** Addresses of transactions, of contracts they created, of logs, and of their topics. */
function addressesOf({ block, receipts }: PlainBlock): string[] {
  const parties = block.transactions.flatMap(({ from, to }) => [from, to]);
  const others = receipts.flatMap(({ contractAddress, logs }) => [
    contractAddress,
    ...logs.flatMap((log) => [log.address, ...addressTopics(log as unknown as PlainLog)]),
  ]);
  return [...parties, ...others].filter((address) => address !== null && address !== undefined) as string[];
}

/** What happened in each block, recomputed from its JSON. */
function factsOf(chain: PlainChain, since: number): Series[] {
  const known = new Set<string>();
  const transfers = plainTransfers(chain);
  return blocksOf(chain, since).map((block) => {
    const before = known.size;
    const moves = transfers.filter(({ block: number }) => number === block.number);
    for (const address of addressesOf(block)) known.add(address);
    const { receipts } = block;
    return {
      Transactions: receipts.length,
      "New addresses": known.size - before,
      "Token transfers": moves.length,
      "Contracts created by transactions": receipts.filter(
        (one) => one.contractAddress !== null && one.status !== "0x0",
      ).length,
      "Gas used": big(block.block.gasUsed),
      Fees: receipts.reduce((sum, receipt) => sum + feeOf(receipt), 0n),
    };
  });
}

/** By the start of the period, which follows from the latest time so far. */
function sumUp(chain: PlainChain, since: number, step: number): Map<number, Map<string, bigint>> {
  const sums = new Map<number, Map<string, bigint>>();
  const facts = factsOf(chain, since);
  let latest = 0;
  for (const [at, { block }] of blocksOf(chain, since).entries()) {
    latest = Math.max(latest, Number(block.timestamp));
    const start = Math.floor(latest / step) * step;
    const sum = sums.get(start) ?? new Map<string, bigint>();
    for (const [name, value] of Object.entries(facts[at]!)) sum.set(name, (sum.get(name) ?? 0n) + BigInt(value));
    sums.set(start, sum);
  }
  return sums;
}

/** Values of the table under each chart. */
function readTables(page: string): Map<string, Map<number, string>> {
  const tables = new Map<string, Map<number, string>>();
  for (const [, title, rows] of page.matchAll(/<summary>([^<]+) as a table<\/summary>([\s\S]*?)<\/details>/g)) {
    const values = [...rows!.matchAll(/<tr data-time="(\d+)">.*?<data value="([^"]*)"/g)];
    tables.set(title!, new Map(values.map(([, time, value]) => [Number(time), value!])));
  }
  return tables;
}

/** By day, or the mean of the days that have blocks. */
function expectActive(chain: PlainChain, since: number, shown: ReadonlyMap<number, string>, message: string): void {
  const days = new Map<number, PlainBlock[]>();
  let latest = 0;
  for (const block of blocksOf(chain, since)) {
    latest = Math.max(latest, Number(block.block.timestamp));
    const start = Math.floor(latest / DAY) * DAY;
    days.set(start, [...(days.get(start) ?? []), block]);
  }
  const starts = [...shown.keys()];
  const step = starts.length > 1 ? starts[1]! - starts[0]! : DAY;
  assert.ok(step % DAY === 0 && starts.at(-1)! + step > latest, message);
  for (const [start, value] of shown) {
    const counts = [...days].filter(([day]) => day >= start && day < start + step).map(([, made]) => activeIn(made));
    const mean = counts.reduce((sum, count) => sum + count, 0) / Math.max(counts.length, 1);
    assert.equal(value, String(Math.round(mean)), `${new Date(start * 1000).toISOString()}, ${message}`);
  }
}

const coins = (wei: bigint) => (Number(wei) / 1e18).toPrecision(9);

test(`charts are the sums of blocks by period, also after a fork (seed ${SEED})`, async () => {
  for (let seed = SEED; seed < SEED + CASES; seed++) {
    const random = new Random(seed);
    const since = seed % 2 === 0 ? 40 : 0;
    const blockTime = random.pick([[1, 40] as const, [200, 900] as const, [9000, 40_000] as const]);
    const traffic = { blockTime, honestTokens: 3, transactions: [0, 8] as const };
    const served = await serveChain({ seed, blocks: 120, fromBlock: since, tokens: true, traffic, settings });
    for (let round = 0; round < 2; round++) {
      for (const range of ["24h", "7d", "30d", "all"]) {
        const headers = { accept: "text/html" };
        const { body: page } = await served.app.inject({ url: `/charts?range=${range}`, headers });
        const tables = readTables(page);
        const times = [...tables.get("Transactions")!.keys()];
        const [step, most] = STEPS[range] ?? [times.length > 1 ? times[1]! - times[0]! : HOUR, 60];
        const sums = sumUp(served.chain, since, step);
        const newest = Math.max(...sums.keys());

        assert.ok(times.length <= most && times.at(-1) === newest, `${range}: ${times.length} periods`);
        assert.ok(times.every((time, at) => time === times[0]! + at * step));
        // Nothing that happened in the range is left out, apart from genesis.
        const missing = [...sums].filter(
          ([time, sum]) => time > newest - most * step && !times.includes(time) && sum.get("Transactions") !== 0n,
        );
        assert.deepEqual(missing, [], range);
        const active = tables.get("Active addresses");
        assert.equal(active === undefined, range === "24h");
        if (active !== undefined) expectActive(served.chain, since, active, `${range}, seed ${seed}`);
        for (const title of TITLES) {
          if (since > 0 && title === "Token transfers") continue;
          for (const time of times) {
            const expected = sums.get(time)?.get(title) ?? 0n;
            const shown = tables.get(title)!.get(time)!;
            const [one, other] =
              title === "Fees" ? [Number(shown).toPrecision(9), coins(expected)] : [shown, String(expected)];
            assert.equal(one, other, `${title} of ${new Date(time * 1000).toISOString()}, ${range}, seed ${seed}`);
          }
        }
      }
      const depth = random.int(20);
      served.chain.fork(depth, depth + random.int(6));
      await served.index();
    }
    await served.close();
  }
});
