import assert from "node:assert/strict";
import type { Hex } from "../../../src/chain/encoding/hex.ts";
import { toHex } from "../../../src/chain/encoding/hex.ts";
import type { Json } from "../api.ts";
import { POOL_TOPICS } from "../simulatedPools.ts";
import type { Ask, Entity, Kind } from "./askSubgraph.ts";
import { askSubgraph, expectNear, whole } from "./askSubgraph.ts";
import type { ExchangeDriver } from "./driver.ts";
import type { IndexedExchange } from "./indexed.ts";
import { plainEvents, plainWindow, wholeTokens } from "./plain.ts";
import type { ScenePool } from "./scene.ts";
import { expectValues } from "./subgraphValues.ts";

interface PlainEvent {
  readonly type: string;
  readonly pool: ScenePool;
  readonly timestamp: number;
  readonly shown: Entity;
}

const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const TYPES = new Map<string, string>([
  [POOL_TOPICS.swapV2, "swap"],
  [POOL_TOPICS.mintV2, "mint"],
  [POOL_TOPICS.burnV2, "burn"],
  [POOL_TOPICS.swapV3, "swap"],
  [POOL_TOPICS.mintV3, "mint"],
  [POOL_TOPICS.burnV3, "burn"],
  [POOL_TOPICS.collect, "collect"],
]);

const addressOf = (word: string): Hex => `0x${word.slice(-40)}`;
const tickOf = (word: string): string => String(BigInt.asIntN(24, BigInt(word)));

interface PlainLog {
  readonly address: Hex;
  readonly topics: readonly string[];
  readonly words: readonly bigint[];
}

/** What the subgraphs' schemas say of every event, by the receipts of the chain. */
function plainSubgraphEvents({ chain, scene }: ExchangeDriver, kind: Kind): PlainEvent[] {
  const pools = new Map(
    scene.pools.filter(({ version }) => `v${version}` === kind).map((pool) => [pool.address, pool]),
  );
  const events: PlainEvent[] = [];
  for (let number = 0; number <= chain.height; number++) {
    const { header, transactions, receipts } = chain.node.context.chain.expectBlock(number);
    let logIndex = -1;
    for (const [index, receipt] of receipts.entries()) {
      const transaction = transactions[index]!;
      const hash = toHex(transaction.hash);
      const counts = new Map<string, number>();
      const logs = receipt.logs.map(({ address, topics, data }): PlainLog => {
        const all = toHex(topics).slice(2).match(/.{64}/g) ?? [];
        const words = toHex(data).slice(2).match(/.{64}/g) ?? [];
        return {
          address: toHex(address),
          topics: all.map((each) => `0x${each}`),
          words: words.map((each) => BigInt(`0x${each}`)),
        };
      });
      for (const [at, log] of logs.entries()) {
        logIndex++;
        const [pool, type] = [pools.get(log.address), TYPES.get(log.topics[0] ?? "")];
        if (pool === undefined || type === undefined) continue;
        if (kind === "v3" && type === "burn" && log.words[0] === 0n) continue;
        const own = counts.get(type) ?? 0;
        counts.set(type, own + 1);
        const fields = kind === "v2" ? fieldsV2(type, pool, log, logs.slice(0, at)) : fieldsV3(type, pool, log);
        const origin = toHex(transaction.from);
        const shown = {
          id: `${hash}-${kind === "v2" ? own : logIndex}`,
          transaction: { id: hash, blockNumber: String(number), timestamp: String(header.timestamp) },
          timestamp: String(header.timestamp),
          logIndex: String(logIndex),
          [kind === "v2" ? "pair" : "pool"]: { id: pool.address },
          ...(kind === "v2" ? type === "swap" && { from: origin } : type !== "collect" && { origin }),
          ...fields,
        };
        events.push({ type, pool, timestamp: header.timestamp, shown });
      }
    }
  }
  return events;
}

function fieldsV2(type: string, { token0, token1 }: ScenePool, log: PlainLog, before: readonly PlainLog[]): Entity {
  const [a = 0n, b = 0n, c = 0n, d = 0n] = log.words;
  const sender = addressOf(log.topics[1]!);
  if (type === "swap") {
    const inputs = { amount0In: whole(a, token0), amount1In: whole(b, token1) };
    const outputs = { amount0Out: whole(c, token0), amount1Out: whole(d, token1) };
    return { sender, to: addressOf(log.topics[2]!), ...inputs, ...outputs };
  }
  const amounts = { amount0: whole(a, token0), amount1: whole(b, token1) };
  const zero = type === "mint" ? 1 : 2;
  const moved = before.findLast(
    ({ address, topics }) => address === log.address && topics[0] === TRANSFER && BigInt(topics[zero]!) === 0n,
  )!;
  const to = addressOf(type === "mint" ? moved.topics[2]! : log.topics[2]!);
  return { sender, to, liquidity: wholeTokens(moved.words[0]!, 18), ...amounts };
}

function fieldsV3(type: string, { token0, token1 }: ScenePool, { topics, words }: PlainLog): Entity {
  const [a = 0n, b = 0n, c = 0n, d = 0n, e = 0n] = words;
  const tokens = { token0: { id: token0.address }, token1: { id: token1.address } };
  if (type === "swap") {
    const parties = { sender: addressOf(topics[1]!), recipient: addressOf(topics[2]!) };
    const price = { sqrtPriceX96: String(c), tick: String(BigInt.asIntN(24, e)) };
    return {
      ...tokens,
      ...parties,
      amount0: whole(BigInt.asIntN(256, a), token0),
      amount1: whole(BigInt.asIntN(256, b), token1),
      ...price,
    };
  }
  const range = { owner: addressOf(topics[1]!), tickLower: tickOf(topics[2]!), tickUpper: tickOf(topics[3]!) };
  const [amount, amount0, amount1] =
    type === "burn" ? [a, b, c] : [b, type === "mint" ? c : b, type === "mint" ? d : c];
  const amounts = { amount0: whole(amount0, token0), amount1: whole(amount1, token1) };
  if (type === "collect") return { ...tokens, ...range, ...amounts };
  return {
    ...tokens,
    ...range,
    amount: String(amount),
    ...amounts,
    ...(type === "mint" && { sender: addressOf(`0x${a.toString(16)}`.padStart(42, "0")) }),
  };
}

/** Selects what an entity has. */
function selectionOf(entity: Entity): string {
  const fields = Object.entries(entity).map(([name, value]) => {
    return typeof value === "object" && value !== null ? `${name} ${selectionOf(value as Entity)}` : name;
  });
  return `{ ${fields.join(" ")} }`;
}

/** Compares both subgraphs with receipts, contracts and the exchange data API. */
export async function expectSubgraphs(indexed: IndexedExchange, driver: ExchangeDriver, label: string): Promise<void> {
  for (const kind of ["v2", "v3"] as const) {
    const where = `${label}: ${kind}`;
    const ask = async (query: string, variables?: Json) => {
      const { data, errors } = await askSubgraph(indexed.app, kind, query, variables);
      assert.deepEqual(errors, undefined, `${where}: ${query}`);
      return data as Readonly<Record<string, readonly Entity[]>>;
    };
    await expectEvents(ask, plainSubgraphEvents(driver, kind), kind, where);
    await expectPools(ask, indexed, driver, kind, where);
    await expectPeriods(ask, driver, kind, where);
    await expectValues(ask, indexed, driver, kind, where);
  }
}

const PAGE = 40;

async function expectEvents(ask: Ask, events: readonly PlainEvent[], kind: Kind, where: string): Promise<void> {
  for (const [type, own] of Object.entries(Object.groupBy(events, (event) => event.type))) {
    const all = own!.map(({ shown }) => shown);
    const list = async (condition: string, direction: "asc" | "desc") => {
      const found: Entity[] = [];
      for (let skip = 0; ; skip += PAGE) {
        const page = `first: ${PAGE}, skip: ${skip}, orderBy: timestamp, orderDirection: ${direction}`;
        const rows = (await ask(`{ ${type}s(${page}, where: {${condition}}) ${selectionOf(all[0]!)} }`))[`${type}s`]!;
        found.push(...rows);
        if (rows.length < PAGE) return found;
      }
    };

    assert.deepEqual(await list("", "asc"), all, `${where}: ${type}s`);
    const [{ pool, timestamp }] = own!.slice(own!.length >> 1) as [PlainEvent];
    const ofPool = own!.filter((event) => event.pool === pool);
    const name = kind === "v2" ? "pair" : "pool";
    const late = ofPool.filter((event) => event.timestamp >= timestamp).map(({ shown }) => shown);
    const early = ofPool.filter((event) => event.timestamp < timestamp).map(({ shown }) => shown);
    const condition = `${name}: "${pool.address}"`;
    assert.deepEqual(await list(`${condition}, timestamp_gte: ${timestamp}`, "desc"), late.toReversed(), where);
    assert.deepEqual(await list(`${name}_in: ["${pool.address}"], timestamp_lt: ${timestamp}`, "asc"), early, where);
    const { id } = all.at(-1)!;
    assert.deepEqual((await ask(`{ ${type}(id: "${id}") { id } }`))[type], { id });
  }
  await expectTransactions(ask, events, where);
}

async function expectTransactions(ask: Ask, events: readonly PlainEvent[], where: string): Promise<void> {
  const idOf = ({ shown }: PlainEvent) => (shown.transaction as { id: string }).id;
  const hashes = [...new Set(events.map(idOf))];
  const types = [...new Set(events.map(({ type }) => type))];
  const selected = types.map((type) => `${type}s { id }`).join(" ");
  const page = "first: 50, orderBy: timestamp, orderDirection: desc";
  const { transactions } = await ask(`{ transactions(${page}) { id ${selected} } }`);

  const expected = hashes
    .toReversed()
    .slice(0, 50)
    .map((id) => {
      const own = events.filter((event) => idOf(event) === id);
      const lists = types.map((type) => {
        const some = own.filter((event) => event.type === type);
        return [`${type}s`, some.map(({ shown }) => ({ id: shown.id }))] as const;
      });
      return { id, ...Object.fromEntries(lists) };
    });
  assert.deepEqual(transactions, expected, `${where}: transactions`);
}

async function expectPools(ask: Ask, indexed: IndexedExchange, driver: ExchangeDriver, kind: Kind, where: string) {
  const { chain, scene } = driver;
  const reading = await driver.reading();
  const events = plainEvents(chain, scene.pools);
  const own = scene.pools.filter(({ version }) => `v${version}` === kind);
  const name = kind === "v2" ? "pairs" : "pools";
  const common =
    "id txCount volumeToken0 volumeToken1 volumeUSD token0Price token1Price token0 { id symbol decimals } token1 { id }";
  const special =
    kind === "v2"
      ? "reserve0 reserve1 totalSupply locked: reserveUSD"
      : "feeTier liquidity sqrtPrice tick locked: totalValueLockedUSD";
  const answer = await ask(`{ ${name} { ${common} ${special} } }`);
  const found = answer[name]!;
  assert.deepEqual(
    found.map(({ id }) => id),
    own.map(({ address }) => address).sort(),
    where,
  );
  for (const entity of found) {
    const { address, token0, token1, fee } = own.find((one) => one.address === entity.id)!;
    const label = `${where}: ${address}`;
    const all = plainWindow(events, address, -1, Number.POSITIVE_INFINITY);
    assert.deepEqual(
      [entity.txCount, entity.volumeToken0, entity.volumeToken1],
      [String(all.transactions), whole(all.volume0, token0), whole(all.volume1, token1)],
      label,
    );
    const symbol = token0.symbol === "" ? "unknown" : token0.symbol;
    assert.deepEqual(entity.token0, { id: token0.address, symbol, decimals: String(token0.decimals ?? 0) }, label);
    assert.deepEqual(entity.token1, { id: token1.address }, label);
    const units = 10 ** ((token0.decimals ?? 0) - (token1.decimals ?? 0));
    if (kind === "v2") {
      const { reserve0, reserve1, supply } = reading.pairs.get(address)!;
      const expected = [whole(reserve0, token0), whole(reserve1, token1), wholeTokens(supply, 18)];
      assert.deepEqual([entity.reserve0, entity.reserve1, entity.totalSupply], expected, label);
      expectNear(entity.token1Price, (Number(reserve1) / Number(reserve0)) * units, label);
      expectNear(Number(entity.token0Price) * Number(entity.token1Price), 1, label);
    } else {
      const { liquidity, sqrtPrice, tick } = reading.pools.get(address)!;
      const expected = [fee, liquidity, sqrtPrice, tick].map(String);
      assert.deepEqual([entity.feeTier, entity.liquidity, entity.sqrtPrice, entity.tick], expected, label);
      expectNear(entity.token1Price, (Number(sqrtPrice) / 2 ** 96) ** 2 * units, label);
      expectNear(Number(entity.token0Price) * Number(entity.token1Price), 1, label);
    }
    const { body } = await indexed.get<{ data: Readonly<Record<string, string>> }>(`/api/v1/pools/${address}`);
    expectNear(entity.locked, Number(body.data.tvlUsd), label);
  }
}

const PERIODS = {
  v2: [
    {
      list: "pairDayDatas",
      step: 86_400,
      pool: "pairAddress",
      time: "date",
      volume: "dailyVolume",
      count: "dailyTxns",
    },
    {
      list: "pairHourDatas",
      step: 3600,
      pool: "pair",
      time: "hourStartUnix",
      volume: "hourlyVolume",
      count: "hourlyTxns",
    },
  ],
  v3: [
    { list: "poolDayDatas", step: 86_400, pool: "pool", time: "date", volume: "volume", count: "txCount" },
    { list: "poolHourDatas", step: 3600, pool: "pool", time: "periodStartUnix", volume: "volume", count: "txCount" },
  ],
} as const;

/** Days and hours of a pool by receipts, and by its contract after the last block of each. */
async function expectPeriods(ask: Ask, driver: ExchangeDriver, kind: Kind, where: string): Promise<void> {
  const { chain, scene } = driver;
  const events = plainEvents(chain, scene.pools);
  const times = Array.from({ length: chain.height + 1 }, (_, number) => {
    return chain.node.context.chain.expectBlock(number).header.timestamp;
  });
  const used = (address: Hex) => events.filter((event) => event.pool === address).length;
  const own = scene.pools.filter(({ version }) => `v${version}` === kind);
  const pool = own.toSorted((one, other) => used(other.address) - used(one.address))[0]!;
  const { address, token0, token1 } = pool;
  for (const { list, step, pool: name, time, volume, count } of PERIODS[kind]) {
    const starts = [
      ...new Set(events.filter((one) => one.pool === address).map((one) => one.timestamp - (one.timestamp % step))),
    ];
    const expected: Entity[] = [];
    for (const start of starts.sort((one, other) => one - other)) {
      const figures = plainWindow(events, address, start - 1, start + step - 1);
      const block = times.findLastIndex((at) => at < start + step);
      const reading = await driver.reading(block);
      const { reserve0, reserve1 } = reading.pairs.get(address) ?? { reserve0: 0n, reserve1: 0n };
      const { liquidity, sqrtPrice, tick } = reading.pools.get(address) ?? {};
      expected.push({
        id: `${address}-${start / step}`,
        [time]: start,
        [`${volume}Token0`]: whole(figures.volume0, token0),
        [`${volume}Token1`]: whole(figures.volume1, token1),
        [count]: String(figures.transactions),
        ...(kind === "v2"
          ? { reserve0: whole(reserve0, token0), reserve1: whole(reserve1, token1) }
          : { liquidity: String(liquidity), sqrtPrice: String(sqrtPrice), tick: String(tick) }),
      });
    }
    const read = async (conditions: string, page: string) => {
      const query = `{ ${list}(where: { ${name}: "${address}" ${conditions} }, ${page}) ${selectionOf(expected[0]!)} }`;
      return (await ask(query))[list];
    };
    assert.deepEqual(await read("", "first: 1000"), expected, `${where}: ${list}`);
    const middle = starts[starts.length >> 1]!;
    const late = expected.filter((one) => (one[time] as number) > middle);
    assert.deepEqual(
      await read(`${time}_gt: ${middle}`, `orderBy: ${time}, orderDirection: desc`),
      late.toReversed(),
      where,
    );
    assert.deepEqual(
      await read(`${time}_lte: ${middle + 1}`, "skip: 1"),
      expected.slice(1, expected.length - late.length),
      where,
    );
    const { id } = expected.at(-1)!;
    assert.deepEqual((await ask(`{ ${list.slice(0, -1)}(id: "${id}") { id } }`))[list.slice(0, -1)], { id }, where);
  }
}
