import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hex } from "../src/chain/encoding/hex.ts";
import type { Intent } from "../src/demo/intent.ts";
import { exchangeCode } from "./support/exchange/contracts.ts";
import { ExchangeDriver } from "./support/exchange/driver.ts";
import { exchangeSettings, IndexedExchange } from "./support/exchange/indexed.ts";
import { wholeTokens } from "./support/exchange/plain.ts";
import type { ScenePool, SceneToken } from "./support/exchange/scene.ts";
import { NEVER } from "./support/exchange/scene.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";

interface Hop {
  readonly pool: string;
  readonly poolType: string;
  readonly feeTier: string;
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly amountIn: string;
  readonly amountOut: string;
}

interface Quote {
  readonly amountIn: string;
  readonly amountOut: string;
  readonly amountOutUnits: string;
  readonly priceImpactPercent: string;
  readonly routes: readonly { readonly amountIn: string; readonly amountOut: string; readonly hops: readonly Hop[] }[];
}

const SEED = firstSeed();
const QUOTES = Number(process.env.ORIEL_CASES ?? 12);

/** The contracts that a wallet would ask. */
class OnChain {
  readonly driver: ExchangeDriver;
  readonly #quoter: Hex;

  private constructor(driver: ExchangeDriver, quoter: Hex) {
    this.driver = driver;
    this.#quoter = quoter;
  }

  static async open(driver: ExchangeDriver): Promise<OnChain> {
    const { v3, tokens } = driver.scene;
    const types = ["address", "address"];
    return new OnChain(
      driver,
      await driver.chain.deploy(exchangeCode().QuoterV2, types, v3.factory, tokens.WETH.address),
    );
  }

  /** By the router or the quoter; undefined if the pool refuses, or does not take all of it. */
  async output(pool: ScenePool, tokenIn: SceneToken, amount: bigint): Promise<bigint | undefined> {
    const { chain, scene } = this.driver;
    const tokenOut = pool.token0 === tokenIn ? pool.token1 : pool.token0;
    const path = [tokenIn.address, tokenOut.address];
    const ask = async () => {
      if (pool.version === 2) {
        return (await chain.call(scene.v2.router, chain.height, "getAmountsOut(uint256,address[])", amount, path))[3];
      }
      const signature = "quoteExactInputSingle((address,address,uint256,uint24,uint160))";
      const words = await chain.call(this.#quoter, chain.height, signature, [...path, amount, pool.fee, 0n]);
      // At the end of all prices the pool did not take all of it.
      return words[1]! <= 4_295_128_740n || words[1]! >= 2n ** 160n - 2n ** 152n ? undefined : words[0];
    };
    return ask().catch(() => undefined);
  }

  /** The most that one or two pools give for it, by asking all of them. */
  async best(from: SceneToken, to: SceneToken, amount: bigint): Promise<bigint> {
    const { pools } = this.driver.scene;
    const has = (pool: ScenePool, token: SceneToken) => pool.token0 === token || pool.token1 === token;
    let best = 0n;
    for (const first of pools.filter((pool) => has(pool, from))) {
      const output = await this.output(first, from, amount);
      if (output === undefined || output === 0n) continue;
      if (has(first, to)) {
        if (output > best) best = output;
        continue;
      }
      const between = first.token0 === from ? first.token1 : first.token0;
      for (const second of pools.filter((pool) => has(pool, to) && has(pool, between))) {
        const last = (await this.output(second, between, output)) ?? 0n;
        if (last > best) best = last;
      }
    }
    return best;
  }

  tokenAt(address: string): SceneToken {
    return Object.values(this.driver.scene.tokens).find((token) => token.address === address.toLowerCase())!;
  }

  units(amount: string, { decimals }: SceneToken): bigint {
    const [whole, rest = ""] = amount.split(".");
    return BigInt(whole + rest.padEnd(decimals ?? 0, "0"));
  }

  /** Sends the swaps of a quote, in its order; answers what came of the last token. */
  async execute(quote: Quote, to: SceneToken): Promise<bigint> {
    const { chain, scene } = this.driver;
    const from = chain.actors[1]!;
    const balance = async () => (await chain.call(to.address, chain.height, "balanceOf(address)", from.address))[0]!;
    const intents = quote.routes.flatMap(({ hops }) =>
      hops.map((hop): Intent => {
        const amount = this.units(hop.amountIn, this.tokenAt(hop.tokenIn));
        const [into, out] = [hop.tokenIn.toLowerCase() as Hex, hop.tokenOut.toLowerCase() as Hex];
        if (hop.poolType === "v2") {
          const signature = "swapExactTokensForTokens(uint256,uint256,address[],address,uint256)";
          return chain.intent(from, scene.v2.router, signature, amount, 0n, [into, out], from.address, NEVER);
        }
        const signature = "exactInputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))";
        const terms = [into, out, Number(hop.feeTier), from.address, NEVER, amount, 0n, 0n];
        return chain.intent(from, scene.v3.router, signature, terms);
      }),
    );
    const before = await balance();
    const { receipts } = await chain.mine(intents);
    assert.ok(
      receipts.every(({ status }) => status === 1),
      "every swap of the quote is possible",
    );
    return (await balance()) - before;
  }
}

test(`${QUOTES} quotes are what the contracts pay, and no less than the best one or two pools (seed ${SEED})`, async (t) => {
  const random = new Random(SEED);
  const driver = await ExchangeDriver.open(random);
  const indexed = await IndexedExchange.open(driver.chain, exchangeSettings(driver.scene));
  t.after(async () => {
    await indexed.close();
    await driver.close();
  });
  const onChain = await OnChain.open(driver);
  await indexed.observe();
  const start = driver.chain.height;
  const seen = { direct: 0, twoHops: 0, split: 0, better: 0, none: 0 };
  // The router cannot swap a token that takes a fee of its own without saying so.
  const { DTT: _, ...plain } = driver.scene.tokens;

  for (let done = 0; done < QUOTES; done++) {
    await driver.act(random.between(1, 6));
    if (random.chance(0.15)) await driver.rewind(Math.max(driver.chain.height - random.between(1, 3), start));
    await indexed.index();
    const from = random.pick(Object.values(plain));
    const to = random.pick(Object.values(plain).filter((token) => token !== from));
    const amount =
      (from.unit * BigInt(random.pick([1, 100, 5000, 60_000, 400_000]))) / BigInt(random.pick([1, 7, 1000])) + 1n;
    const url = `/api/v1/quote?tokenIn=${from.address}&tokenOut=${to.address}&amount=${amount}`;
    const { status, body } = await indexed.get<{ data: Quote }>(url);
    const where = `seed ${SEED}, quote ${done}: ${amount} ${from.symbol} to ${to.symbol}`;
    assert.equal(status, 200, where);
    const { data: quote } = body;
    const best = await onChain.best(from, to, amount);
    const quoted = BigInt(quote.amountOutUnits);
    assert.ok(quoted >= best, `${where}: ${quoted}, ${best} by one route`);
    assert.equal(quote.amountIn, wholeTokens(amount, from.decimals), where);
    if (quote.routes.length === 0) {
      assert.equal(best, 0n, where);
      seen.none++;
      continue;
    }
    assert.equal(
      quote.routes.reduce((sum, route) => sum + BigInt(route.amountIn), 0n),
      amount,
      where,
    );
    const [first] = quote.routes;
    const hop = first!.hops[0]!;
    const pool = driver.scene.pools.find(({ address }) => address === hop.pool.toLowerCase())!;
    const output = await onChain.output(pool, from, BigInt(first!.amountIn));
    assert.equal(hop.amountOut, wholeTokens(output!, onChain.tokenAt(hop.tokenOut).decimals), where);
    assert.equal(await onChain.execute(quote, to), quoted, where);
    if (quote.routes.length > 1) seen.split++;
    if (quoted > best) seen.better++;
    for (const { hops } of quote.routes) seen[hops.length === 1 ? "direct" : "twoHops"]++;
  }

  t.diagnostic(JSON.stringify(seen));
  assert.ok(seen.direct > 0 && seen.twoHops > 0 && seen.split > 0 && seen.better > 0, JSON.stringify(seen));
});

test("a quote needs two tokens of pools and an amount", async (t) => {
  const driver = await ExchangeDriver.open(new Random(1));
  const indexed = await IndexedExchange.open(driver.chain, exchangeSettings(driver.scene));
  t.after(async () => {
    await indexed.close();
    await driver.close();
  });
  await indexed.index();
  const { USDA, WETH } = driver.scene.tokens;
  const ask = async (query: string) => indexed.get<{ data: Quote }>(`/api/v1/quote?${query}`);
  const pair = `tokenIn=${USDA.address}&tokenOut=${WETH.address}`;

  for (const query of [
    "",
    pair,
    `${pair}&amount=0`,
    `${pair}&amount=-1`,
    `${pair}&amount=1.5`,
    `${pair}&amount=${2n ** 128n}`,
  ]) {
    assert.equal((await ask(query)).status, 400, query);
  }
  assert.equal((await ask(`tokenIn=${USDA.address}&tokenOut=${USDA.address}&amount=1`)).status, 400);
  assert.equal((await ask(`tokenIn=${USDA.address}&tokenOut=${driver.scene.lens}&amount=1`)).status, 404);
  const tooLarge = (await ask(`${pair}&amount=${2n ** 128n - 1n}`)).body.data;
  assert.deepEqual([tooLarge.amountOutUnits, tooLarge.routes], ["0", []], "no pool takes that much");
});
