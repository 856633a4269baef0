import assert from "node:assert/strict";
import type { Hex } from "../../../src/chain/encoding/hex.ts";
import { toHex } from "../../../src/chain/encoding/hex.ts";
import type { ExchangeDriver } from "./driver.ts";
import type { IndexedExchange } from "./indexed.ts";
import { wholeTokens } from "./plain.ts";
import type { ScenePool, SceneToken } from "./scene.ts";

const TOPICS = {
  transfer: "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
  mintPair: "0x4c209b5fc8ad50758f13e2e1088ba56a560dff690a1c6fef26394f4c03821c4f",
  burnPair: "0xdccd412f0b1252819cb1fd330b93224ca42612892bb3f4f789976e6d81936496",
  mint: "0x7a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde",
  burn: "0x0c396cd989a39f4459b5fa1aed6a9a8dcdbc45908acfd67e028cd568da98982c",
  collect: "0x70935338e69775456a85ddef226c395fb668b63fa0115f5f20610b388e6ca9c0",
  increase: "0x3067048beee31b25b2f1681f88dac838c8bba36af25bfb2b7cf7473a5847e35f",
  decrease: "0x26f6a048ee9138f2c0ce266f322cb99228e8d619ae2bff30c67f8dcf9d2377b4",
  collected: "0x40d0efd1a53d60ecbf40971b9daf7dc90178c3aadc7aab1765632738fa8b8f01",
} as const;

type Pair = readonly [bigint, bigint];

interface PlainLog {
  readonly emitter: Hex;
  readonly name: keyof typeof TOPICS | undefined;
  readonly topics: readonly bigint[];
  readonly words: readonly bigint[];
  readonly block: number;
  readonly index: number;
}

interface Flow {
  readonly type: string;
  readonly block: number;
  readonly index: number;
  readonly shares?: bigint;
  readonly amounts?: Pair;
}

const NAMES = new Map(Object.entries(TOPICS).map(([name, topic]) => [topic as string, name as keyof typeof TOPICS]));

/** What positions and holders of shares got and gave by the receipts: oldest first, by "manager id", "pool owner ticks" or "pool holder". */
export class PlainLiquidity {
  readonly flows = new Map<string, Flow[]>();
  /** Tokens that someone gave to someone else. */
  readonly handedOn = new Set<string>();
  readonly #pools: ReadonlyMap<string, ScenePool>;
  readonly #manager: Hex;

  constructor({ chain, scene }: ExchangeDriver) {
    this.#pools = new Map(scene.pools.map((pool) => [pool.address, pool]));
    this.#manager = scene.v3.positions;
    for (let number = 0; number <= chain.height; number++) {
      let index = 0;
      for (const { logs } of chain.node.context.chain.expectBlock(number).receipts) {
        const parsed = logs.map((log): PlainLog => {
          const wordsOf = (bytes: Uint8Array) =>
            (toHex(bytes).slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`));
          const [first, ...topics] = wordsOf(log.topics);
          const name = NAMES.get(`0x${(first ?? 0n).toString(16).padStart(64, "0")}`);
          const emitter = toHex(log.address);
          return { emitter, name, topics, words: wordsOf(log.data), block: number, index: index++ };
        });
        for (const [at, log] of parsed.entries()) this.#apply(parsed, at, log);
      }
    }
  }

  #add(key: string, flow: Flow): void {
    const known = this.flows.get(key);
    if (known === undefined) this.flows.set(key, [flow]);
    else known.push(flow);
  }

  #apply(logs: readonly PlainLog[], at: number, log: PlainLog): void {
    const version = this.#pools.get(log.emitter)?.version;
    if (version === 2 && log.name === "transfer") this.#moveShares(logs, at, log);
    if (version === 3 && (log.name === "mint" || log.name === "burn" || log.name === "collect")) {
      const amounts = log.words.slice(-2) as unknown as Pair;
      const isNothing = log.name === "burn" ? log.words[0] === 0n : amounts.every((amount) => amount === 0n);
      const [owner, ...ticks] = [addressOf(log.topics[0]!), ...log.topics.slice(1).map(signed)];
      if (isNothing && log.name !== "mint") return;
      this.#add([log.emitter, owner, ...ticks].join(" "), { type: log.name, ...placeOf(log), amounts });
    }
    if (log.emitter === this.#manager) this.#manage(logs, at, log);
  }

  /** The manager logs right after the pool did. */
  #manage(logs: readonly PlainLog[], at: number, { name, topics, words }: PlainLog): void {
    const key = `${this.#manager} ${topics.at(-1)}`;
    const before = (wanted: "mint" | "burn" | "collect") =>
      logs.slice(0, at).findLast((one) => one.name === wanted && this.#pools.has(one.emitter));
    if (name === "transfer" && topics[0] !== 0n && topics[1] !== 0n && topics[0] !== topics[1]) this.handedOn.add(key);
    if (name === "increase") {
      this.#add(key, { type: "mint", ...placeOf(before("mint")!), amounts: [words[1]!, words[2]!] });
    }
    if (name === "decrease" && words[0]! > 0n) {
      this.#add(key, { type: "burn", ...placeOf(before("burn")!), amounts: [words[1]!, words[2]!] });
    }
    const paid = name === "collected" ? before("collect") : undefined;
    const amounts = paid && (paid.words.slice(-2) as unknown as Pair);
    if (paid && amounts?.some((amount) => amount > 0n)) {
      this.#add(key, { type: "collect", ...placeOf(paid), amounts });
    }
  }

  #moveShares(logs: readonly PlainLog[], at: number, log: PlainLog): void {
    const [from, to] = log.topics.map(addressOf) as [Hex, Hex];
    const [shares] = log.words as [bigint];
    if (from === to) return;
    const pair = log.emitter;
    const later = logs.slice(at + 1).filter(({ emitter }) => emitter === pair);
    const isMint = (one: PlainLog) => one.name === "transfer" && one.topics[0] === 0n;
    const next = later.find((one) => isMint(one) || one.name === "mintPair" || one.name === "burnPair");
    if (BigInt(to) !== 0n) {
      const amounts = BigInt(from) === 0n && next?.name === "mintPair" ? (next.words as unknown as Pair) : undefined;
      const type = amounts === undefined ? "transfer_in" : "mint";
      this.#add(`${pair} ${to}`, { type, ...placeOf(log), shares, ...(amounts && { amounts }) });
    }
    if (BigInt(from) === 0n) return;
    const burn = to === pair ? later.findIndex(({ name }) => name === "burnPair") : -1;
    const gone = later
      .slice(0, Math.max(burn, 0))
      .findLast(({ name, topics }) => name === "transfer" && topics[0] === BigInt(pair) && topics[1] === 0n);
    const amounts = gone && (later[burn]!.words.map((all) => (all * shares) / gone.words[0]!) as unknown as Pair);
    const type = amounts === undefined ? "transfer_out" : "burn";
    this.#add(`${pair} ${from}`, { type, ...placeOf(log), shares, ...(amounts && { amounts }) });
  }
}

const placeOf = ({ block, index }: PlainLog) => ({ block, index });
const addressOf = (word: bigint): Hex => `0x${(word % 2n ** 160n).toString(16).padStart(40, "0")}`;
const signed = (word: bigint) => BigInt.asIntN(24, word);

interface Named {
  readonly id: string;
  readonly pool: string;
  readonly token0Amount: string;
  readonly token1Amount: string;
  readonly uncollected0: string | null;
  readonly uncollected1: string | null;
}

interface Shown {
  readonly type: string;
  readonly block_number: number;
  readonly log_index: number;
  readonly shares: string | null;
  readonly token0Amount: string | null;
  readonly token1Amount: string | null;
  readonly valueUsd: string | null;
}

interface Gave {
  readonly id: string;
  readonly cost: string;
  readonly deposited0: string | null;
  readonly deposited1: string | null;
  readonly withdrawn0: string | null;
  readonly withdrawn1: string | null;
  readonly fees0: string | null;
  readonly worthUsd: string | null;
  readonly heldUsd: string | null;
  readonly profitUsd: string | null;
}

/** Prices by block, of those blocks that were asked when they were the newest. */
export type Prices = ReadonlyMap<number, ReadonlyMap<string, number>>;

async function pagesOf<T>(indexed: IndexedExchange, url: string): Promise<T[]> {
  const found: T[] = [];
  for (let page = 1; ; page++) {
    const { status, body } = await indexed.get<{ data: T[]; meta: { total: number } }>(
      `/api/v1${url}page_size=5&page_num=${page}`,
    );
    assert.equal(status, 200, url);
    found.push(...body.data);
    if (body.data.length < 5) {
      assert.equal(body.meta.total, found.length, url);
      return found;
    }
  }
}

/** A node that is busy does not always say what can be collected. */
async function readAnswered(indexed: IndexedExchange, user: Hex): Promise<[Named[], Gave[]]> {
  for (let tries = 0; ; tries++) {
    const positions = await pagesOf<Named>(indexed, `/users/${user}/positions?`);
    const profits = await pagesOf<Gave>(indexed, `/users/${user}/profits?`);
    const isAnswered =
      positions.every(({ uncollected0 }) => uncollected0 !== null) &&
      profits.every(({ id, fees0 }) => fees0 !== null || !id.includes(":"));
    if (isAnswered || tries === 20) return [positions, profits];
  }
}

/** Histories and profits of all positions of a user; counts what was seen. */
export async function expectLiquidity(
  driver: ExchangeDriver,
  indexed: IndexedExchange,
  user: Hex,
  prices: Prices,
  seen: Record<string, number>,
): Promise<void> {
  const plain = new PlainLiquidity(driver);
  const now = prices.get(driver.chain.height)!;
  const [positions, profits] = await readAnswered(indexed, user);
  assert.deepEqual(
    profits.map(({ id }) => id),
    positions.map(({ id }) => id),
  );
  const page = `/address/${user}?tab=positions`;
  const { payload } = await indexed.app.inject({ url: page, headers: { accept: "text/html" } });
  const rows = payload.match(/against holding/g)?.length ?? 0;
  const known = profits.slice(0, 25).flatMap(({ profitUsd }) => profitUsd ?? []);
  assert.ok(rows <= known.length && rows >= known.filter((profit) => profit !== "0").length, `${page}: ${rows}`);
  const count = (what: string) => {
    seen[what] = (seen[what] ?? 0) + 1;
  };
  for (const [at, position] of positions.entries()) {
    const pool = driver.scene.pools.find(({ address }) => address === position.pool.toLowerCase())!;
    const tokens = [pool.token0, pool.token1] as const;
    const [first, second, third] = position.id.toLowerCase().split(":");
    const key = third !== undefined ? `${first} ${user} ${second} ${third}` : `${first} ${second ?? user}`;
    const flows = plain.flows.get(key) ?? [];
    const whole = (amount: bigint, side: 0 | 1) => wholeTokens(amount, tokens[side].decimals);
    const expected = flows.map(({ type, block, index, shares, amounts }) => ({
      ...{ type, block_number: block, log_index: index, shares: shares === undefined ? null : String(shares) },
      token0Amount: amounts === undefined ? null : whole(amounts[0], 0),
      token1Amount: amounts === undefined ? null : whole(amounts[1], 1),
    }));
    const where = `${user}: ${position.id}`;
    const shown = await pagesOf<Shown>(indexed, `/users/${user}/liquidity?position=${position.id}&`);
    assert.deepEqual(
      shown.map(({ type, block_number, log_index, shares, token0Amount, token1Amount }) => {
        return { type, block_number, log_index, shares, token0Amount, token1Amount };
      }),
      expected.reverse(),
      where,
    );
    for (const event of shown) {
      count(event.type);
      const then = prices.get(event.block_number);
      if (event.token0Amount === null) assert.equal(event.valueUsd, null, where);
      else if (then !== undefined) {
        const value = worthOf([event.token0Amount, event.token1Amount!], tokens, then);
        if (value === undefined) assert.equal(event.valueUsd, null, where);
        else {
          assertNear(event.valueUsd, value, `${where} at ${event.block_number}`);
          count("valued");
        }
      }
    }
    const gave = profits[at]!;
    const isMoved = plain.handedOn.has(key) || flows.some(({ type }) => type.startsWith("transfer"));
    assert.equal(gave.cost, isMoved ? "transferred" : "known", where);
    const sum = (types: readonly string[], side: 0 | 1) =>
      flows.reduce((all, { type, amounts }) => (types.includes(type) ? all + (amounts?.[side] ?? 0n) : all), 0n);
    const out = pool.version === 2 ? ["burn"] : ["collect"];
    const [in0, in1, out0, out1] = [sum(["mint"], 0), sum(["mint"], 1), sum(out, 0), sum(out, 1)];
    const { deposited0, deposited1, withdrawn0, withdrawn1, worthUsd, heldUsd, profitUsd } = gave;
    assert.deepEqual(
      [deposited0, deposited1, withdrawn0, withdrawn1],
      [whole(in0, 0), whole(in1, 1), whole(out0, 0), whole(out1, 1)],
      where,
    );
    if (pool.version === 3) {
      const units = 10 ** (tokens[0].decimals ?? 0);
      const fees = Number(position.uncollected0) + Number(out0 - sum(["burn"], 0)) / units;
      assertNear(gave.fees0, fees, where);
    }
    const [had0, had1] = [
      Number(position.token0Amount) + Number(position.uncollected0),
      Number(position.token1Amount) + Number(position.uncollected1),
    ];
    const worth = worthOf([String(had0), String(had1)], tokens, now);
    const put = worthOf([deposited0!, deposited1!], tokens, now);
    const taken = worthOf([withdrawn0!, withdrawn1!], tokens, now);
    if (worth === undefined || put === undefined || taken === undefined || isMoved) {
      assert.equal(profitUsd, null, where);
      count("without");
      continue;
    }
    assertNear(worthUsd, worth, where);
    assertNear(heldUsd, put - taken, where, put);
    assertNear(profitUsd, worth + taken - put, where, put + worth);
    count("profits");
  }
}

/** Undefined if something has no price. */
function worthOf(
  amounts: readonly [string, string],
  tokens: readonly [SceneToken, SceneToken],
  prices: ReadonlyMap<string, number>,
): number | undefined {
  const values = amounts.map((amount, at) => {
    const price = prices.get(tokens[at as 0 | 1].address) ?? 0;
    return Number(amount) === 0 ? 0 : price === 0 ? Number.NaN : Number(amount) * price;
  });
  const sum = values[0]! + values[1]!;
  return Number.isNaN(sum) ? undefined : sum;
}

function assertNear(shown: string | null, expected: number, where: string, scale = Math.abs(expected)): void {
  assert.ok(
    shown !== null && Math.abs(Number(shown) - expected) <= 1e-6 + 1e-8 * scale,
    `${where}: ${shown}, not ${expected}`,
  );
}

export async function readPrices(indexed: IndexedExchange, driver: ExchangeDriver): Promise<Map<string, number>> {
  const prices = new Map<string, number>();
  for (const { address } of Object.values(driver.scene.tokens)) {
    const { body } = await indexed.get<{ data: { priceUsd: string } }>(`/api/v1/tokens/${address}/price`);
    prices.set(address, Number(body.data.priceUsd));
  }
  return prices;
}
