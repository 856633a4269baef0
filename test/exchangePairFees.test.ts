import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { STEADY_BLOCKS } from "../src/query/exchange/poolWindow.ts";
import { RISES_AFTER } from "../src/store/stages/exchange/pairFee.ts";
import { ExchangeChain } from "./support/exchange/chain.ts";
import { exchangeCode } from "./support/exchange/contracts.ts";
import { IndexedExchange } from "./support/exchange/indexed.ts";
import type { ForkedPair } from "./support/exchange/pairFork.ts";
import { PairFork, routed } from "./support/exchange/pairFork.ts";
import { expectDone } from "./support/exchange/scene.ts";
import { fingerprint } from "./support/fingerprint/fingerprint.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import { compile } from "./support/solidity.ts";

const SEED = firstSeed();
const ROUNDS = Number(process.env.ORIEL_CASES ?? 8);
const random = new Random(SEED);

const DEPTH = [10n ** 14n, 10n ** 24n] as const;

let chain: ExchangeChain;
let indexed: IndexedExchange;
let fork: PairFork;
let usd: Hex;

type Entry = Readonly<Record<string, string>>;

before(async () => {
  chain = await ExchangeChain.open();
  fork = await PairFork.deploy(chain);
  usd = await fork.deployToken("USD", 6);
  const exchange = {
    factories: [{ name: "PancakeSwap", address: fork.factory }],
    stables: [usd],
    wrappedCoin: undefined,
  };
  indexed = await IndexedExchange.open(chain, { ...exchange, priceDepth: 1000 });
});

after(async () => {
  await indexed?.close();
  await chain?.close();
});

/** A new token of 18 decimals with a pair that has 100 million dollars. */
async function openPair(exchange = fork): Promise<ForkedPair & { readonly token: Hex }> {
  const token = await exchange.deployToken("NEW", 18);
  if (exchange !== fork) await chain.send(chain.builder, usd, "mint(address,uint256)", exchange.trader, 10n ** 20n);
  const pair = await exchange.open(usd, token, usd < token ? DEPTH : [DEPTH[1], DEPTH[0]]);
  return { ...pair, token };
}

async function data<T = Entry>(url: string): Promise<T> {
  const { status, body } = await indexed.get<{ data: T }>(`/api/v1${url}`);
  assert.equal(status, 200, `${url}: ${JSON.stringify(body)}`);
  return body.data;
}

interface Quoted {
  readonly amountOutUnits: string;
  readonly routes: readonly { readonly hops: readonly (Entry & { isEstimate: boolean })[] }[];
}

/** The fee of a pair as lists and quotes have it, and whether the quote says that it is exact. */
async function feeOf({ address, token }: ForkedPair & { readonly token: Hex }, filter = "known") {
  const { feeTier } = await data(`/pools/${address}`);
  const quote = await data<Quoted>(`/quote?tokenIn=${usd}&tokenOut=${token}&amount=1000000000&exchanges=${filter}`);
  const [hop] = quote.routes.flatMap(({ hops }) => hops);
  assert.equal(hop!.feeTier, feeTier);
  return { fee: Number(feeTier), isExact: !hop!.isEstimate };
}

async function exactly(pair: ForkedPair, from: Hex, paid: bigint, basisPoints: bigint, exchange = fork) {
  const [reserve0, reserve1] = await exchange.reserves(pair);
  const isFirst = from === pair.tokens[0];
  return exchange.swap(
    pair,
    from,
    paid,
    routed(isFirst ? [reserve0, reserve1] : [reserve1, reserve0], paid, basisPoints),
  );
}

test("the fee of a fork is assumed until a swap pays exactly, and then what the pair takes", async () => {
  const pair = await openPair();
  await indexed.observe(3);
  const unknown = await feeOf(pair);
  // One percent less than the pair would pay, then exactly as much.
  expectDone(await chain.mine([await exactly(pair, usd, 10n ** 9n, 125n)]));
  await indexed.index();
  const overpaid = await feeOf(pair);
  expectDone(await chain.mine([fork.swap(pair, usd, 10n ** 9n, 10n ** 18n)]));
  await indexed.index();
  const generous = await feeOf(pair);
  const height = chain.height;
  expectDone(await chain.mine([await exactly(pair, usd, 10n ** 9n, 25n)]));
  await indexed.index();

  assert.deepEqual(unknown, { fee: 3000, isExact: false });
  assert.deepEqual(overpaid, { fee: 12_500, isExact: true }, "as a pair of this fee would be seen");
  assert.deepEqual(generous, { fee: 12_500, isExact: true });
  assert.deepEqual(await feeOf(pair), { fee: 2500, isExact: true });
  const day = await data(`/pools/${pair.address}`);
  assert.ok(Math.abs(Number(day.fees24Usd) - Number(day.volumeUsd24) * 0.0025) < 1e-6);
  const sister = await openPair();
  await indexed.observe(3);
  assert.deepEqual(await feeOf(sister), { fee: 2500, isExact: false }, "that of the other pairs of the factory");
  await chain.rewind(height);
  await chain.idle(2);
  await indexed.index();
  assert.deepEqual(await feeOf(pair), { fee: 12_500, isExact: true }, "a reorg takes it back");
});

test(`quotes through a fork are what its pairs pay, whoever trades and however much (seed ${SEED})`, async () => {
  const pair = await openPair();
  const fee = BigInt(random.pick([5, 16, 17, 20, 25, 30]));
  expectDone(await chain.mine([fork.setFee(pair, fee)]));
  await indexed.observe(3);
  let quotes = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const where = `seed ${SEED}, round ${round}, fee ${fee}`;
    const from = random.pick(pair.tokens);
    const paid = (from === usd ? 1n : 10n ** 10n) * BigInt(random.between(1, 10 ** 10)) + BigInt(random.int(1e9));
    const slack = random.chance(0.5) ? 0n : BigInt(random.int(500));
    expectDone(await chain.mine([await exactly(pair, from, paid, fee + slack)]));
    if (random.chance(0.3)) {
      await chain.rewind(chain.height - 1);
      await chain.mine([await exactly(pair, from, paid + 1n, fee + BigInt(random.int(2)))]);
    }
    await indexed.index();
    const reported = await feeOf({ ...pair, token: pair.tokens.find((token) => token !== usd)! });
    assert.ok(reported.fee >= 100 * Number(fee) || !reported.isExact, where);
    if (!reported.isExact || reported.fee > 100 * Number(fee)) continue;
    const [into, out] = random.chance(0.5) ? pair.tokens : pair.tokens.toReversed();
    const amount = (into === usd ? 1n : 10n ** 12n) * BigInt(random.between(1, 10 ** 12));
    const quote = await data<Quoted>(`/quote?tokenIn=${into}&tokenOut=${out}&amount=${amount}`);
    const output = BigInt(quote.amountOutUnits);
    const passes = [output, output + 1n].map((taken) => fork.lets(pair, into!, amount, taken));
    assert.deepEqual(await Promise.all(passes), [true, false], where);
    quotes++;
  }
  assert.ok(quotes > 0, `${quotes} quotes`);
  const fresh = await IndexedExchange.open(chain);
  await fresh.index();
  assert.equal(await indexed.store.read(fingerprint), await fresh.store.read(fingerprint));
  await fresh.close();
});

test("a fee that falls is seen at once, and one that rises once it lasts", async () => {
  const pair = await openPair();
  const trade = async (basisPoints: bigint) => {
    expectDone(await chain.mine([await exactly(pair, usd, 10n ** 10n, basisPoints)]));
    await indexed.index();
    return feeOf(pair);
  };
  await trade(25n);
  await indexed.observe(3);
  expectDone(await chain.mine([fork.setFee(pair, 20n)]));
  const fallen = await trade(20n);
  expectDone(await chain.mine([fork.setFee(pair, 30n)]));
  const rising = [];
  for (let swaps = 0; swaps < RISES_AFTER; swaps++) rising.push((await trade(30n)).fee);

  assert.deepEqual(fallen, { fee: 2000, isExact: true });
  assert.deepEqual(rising, [...Array(RISES_AFTER - 1).fill(2000), 3000]);
  assert.deepEqual(await feeOf(pair), { fee: 3000, isExact: true });
});

test("swaps of a few smallest units, of both tokens, and flash swaps tell no fee", async () => {
  const pair = await openPair();
  const [reserve0, reserve1] = await fork.reserves(pair);
  const isFirst = usd === pair.tokens[0];
  const [dollars, tokens] = isFirst ? [reserve0, reserve1] : [reserve1, reserve0];
  const few = routed([tokens, dollars], 10n ** 13n, 25n);
  const flash = (back0: bigint, back1: bigint) =>
    chain.intent(
      chain.builder,
      fork.trader,
      "flashV2(address,uint256,uint256,uint256,uint256)",
      pair.address,
      ...(isFirst ? [0n, 10n ** 18n, back0, back1] : [10n ** 18n, 0n, back1, back0]),
    );
  expectDone(
    await chain.mine([
      fork.swap(pair, pair.token, 10n ** 13n, few),
      flash(1n, 11n * 10n ** 17n),
      flash(0n, 11n * 10n ** 17n),
    ]),
  );
  await indexed.observe(3);

  assert.ok(few < 10_000n);
  assert.equal((await feeOf(pair)).isExact, false);
});

test("a configured fee, and that of published code, are what they are said to be", async () => {
  const published = await PairFork.deploy(chain, exchangeCode().UniswapV2Factory);
  const pair = await openPair(published);
  await indexed.observe(3);
  const reported = await feeOf(pair, "all");

  assert.deepEqual(reported, { fee: 3000, isExact: true });
});

/** Says of itself that it is a pair, and logs any reserves and swaps. */
const LIAR = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

contract Liar {
  event PairCreated(address indexed token0, address indexed token1, address pair, uint256 count);
  event Sync(uint112 reserve0, uint112 reserve1);
  event Swap(address indexed sender, uint256 in0, uint256 in1, uint256 out0, uint256 out1, address indexed to);

  address public token0;
  address public token1;

  function factory() external view returns (address) { return address(this); }
  function getPair(address, address) external view returns (address) { return address(this); }
  function balanceOf(address) external pure returns (uint256) { return type(uint256).max; }
  function totalSupply() external pure returns (uint256) { return 1; }

  function open(address a, address b) external {
    (token0, token1) = a < b ? (a, b) : (b, a);
    emit PairCreated(token0, token1, address(this), 1);
  }

  function lie(uint112[4] calldata reserves, uint256[4] calldata amounts) external {
    emit Sync(reserves[0], reserves[1]);
    emit Sync(reserves[2], reserves[3]);
    emit Swap(msg.sender, amounts[0], amounts[1], amounts[2], amounts[3], msg.sender);
  }
}
`;

test("pairs that lie have a fee that nobody trusts, and change no other", async () => {
  const honest = await openPair();
  expectDone(await chain.mine([await exactly(honest, usd, 10n ** 9n, 25n)]));
  await chain.idle(STEADY_BLOCKS);
  await indexed.observe(3);
  const reported = await feeOf(honest);
  const { priceUsd } = await data(`/tokens/${honest.token}/price`);
  const liar = await chain.deploy(compile(LIAR).Liar!.bytecode);
  await chain.send(chain.builder, liar, "open(address,address)", usd, honest.token);
  const huge = 2n ** 112n - 1n;
  for (const [reserves, amounts] of [
    [
      [1000n, 1000n, 2000n, 500n],
      [1000n, 0n, 0n, 500n],
    ],
    [
      [huge, huge, huge, huge],
      [2n ** 256n - 1n, 0n, 0n, 2n ** 256n - 1n],
    ],
    [
      [0n, 0n, 0n, 0n],
      [0n, 0n, 0n, 0n],
    ],
    [
      [10n ** 20n, 10n ** 20n, 10n ** 20n + 5n, 1n],
      [5n, 0n, 0n, 10n ** 20n - 1n],
    ],
    [
      [10n ** 20n, 10n ** 20n, 2n * 10n ** 20n, 10n ** 20n - 2n],
      [10n ** 20n, 0n, 0n, 2n],
    ],
    [
      [1n, 1n, 2n, 0n],
      [1n, 0n, 0n, 1n],
    ],
  ] as const) {
    await chain.send(chain.builder, liar, "lie(uint112[4],uint256[4])", reserves, amounts);
    await indexed.observe(3);
    const { dex, feeTier, fees24Usd } = await data(`/pools/${liar}`);
    assert.match(dex!, /^unknown-/);
    assert.ok(Number(feeTier) >= 0 && Number(feeTier) <= 1e6);
    assert.equal(fees24Usd, "0");
    await data(`/quote?tokenIn=${usd}&tokenOut=${honest.token}&amount=1000000&exchanges=all`);
  }
  await chain.idle(STEADY_BLOCKS);
  await indexed.observe(3);

  assert.deepEqual(await feeOf(honest), reported);
  assert.equal((await data(`/tokens/${honest.token}/price`)).priceUsd, priceUsd);
});
