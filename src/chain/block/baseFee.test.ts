import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import { uintFromBigInt, uintFromNumber } from "../encoding/uint.ts";
import type { FeeMarket } from "./baseFee.ts";
import { ETHEREUM, inferFeeMarket, nextBaseFee } from "./baseFee.ts";
import type { Header } from "./header.ts";

const SEED = firstSeed();
const CASES = Number(process.env.ORIEL_CASES ?? 200);
const GWEI = 1_000_000_000n;

type Fees = Pick<Header, "baseFeePerGas" | "gasLimit" | "gasUsed">;

const headerOf = (fee: bigint, gasUsed: number, gasLimit: number): Fees => ({
  baseFeePerGas: uintFromBigInt(fee),
  gasUsed,
  gasLimit: uintFromNumber(gasLimit),
});

/** EIP-1559 as specified, independent of the code under test. */
function specified(fee: bigint, used: number, limit: number, { elasticity, denominator }: FeeMarket): bigint {
  const target = BigInt(Math.floor(limit / Number(elasticity)));
  const [over, under] = [BigInt(used) - target, target - BigInt(used)];
  if (over > 0n) {
    const delta = (fee * over) / target / denominator;
    return fee + (delta === 0n ? 1n : delta);
  }
  return fee - (fee * under) / target / denominator;
}

function chainOf(random: Random, market: FeeMarket, first: bigint, length: number): Fees[] {
  const headers: Fees[] = [];
  let fee = first;
  for (let i = 0; i < length; i++) {
    const [used, limit] = [random.between(0, 60_000_000), 60_000_000];
    headers.push(headerOf(fee, used, limit));
    fee = specified(fee, used, limit, market);
  }
  return headers;
}

test("the next base fee follows EIP-1559, and a chain without one has none", () => {
  const after = (fee: number | undefined, gasUsed: number, gasLimit = 30_000_000) =>
    nextBaseFee(
      {
        ...(fee !== undefined && { baseFeePerGas: uintFromNumber(fee) }),
        gasUsed,
        gasLimit: uintFromNumber(gasLimit),
      },
      ETHEREUM,
    );

  assert.equal(after(1_000_000_000, 15_000_000), 1_000_000_000n);
  assert.equal(after(1_000_000_000, 30_000_000), 1_125_000_000n);
  assert.equal(after(1_000_000_000, 0), 875_000_000n);
  assert.equal(after(1_000_000_000, 10_000_000), 958_333_334n);
  assert.equal(after(1, 15_000_001), 2n);
  assert.equal(after(0, 0), 0n);
  assert.equal(after(7, 0, 0), 7n);
  assert.equal(after(7, 0, 1), 7n);
  assert.equal(after(undefined, 5), undefined);
});

test(`any fee market is found from the blocks it made (seed ${SEED})`, () => {
  const random = new Random(SEED).fork("markets");
  for (let i = 0; i < CASES; i++) {
    const elasticity = BigInt(random.between(1, 32));
    const market = { elasticity, denominator: BigInt(random.between(2, 1000)) };
    const headers = chainOf(random, market, BigInt(random.between(1, 100)) * GWEI, 21);

    assert.deepEqual(inferFeeMarket(headers), market);
  }
});

test(`the fee of the next block of an Optimism-like chain is predicted exactly (seed ${SEED})`, () => {
  const random = new Random(SEED).fork("optimism");
  for (const denominator of [50n, 250n]) {
    const market = { elasticity: 6n, denominator };
    for (const first of [GWEI, 1_000_000n, 1000n]) {
      const headers = chainOf(random, market, first, 22);
      const next = headers.pop()!;

      const inferred = inferFeeMarket(headers)!;

      assert.notEqual(inferred, ETHEREUM);
      assert.deepEqual(uintFromBigInt(nextBaseFee(headers.at(-1)!, inferred)!), next.baseFeePerGas);
    }
  }
});

test("blocks that fit many markets are Ethereum's, and so are none at all", () => {
  assert.equal(inferFeeMarket([]), ETHEREUM);
  assert.equal(inferFeeMarket([headerOf(GWEI, 5, 30_000_000)]), ETHEREUM);
  const idle = Array.from({ length: 21 }, () => headerOf(7n, 0, 30_000_000));
  assert.equal(inferFeeMarket(idle), ETHEREUM);
});

test("one block with an arbitrary base fee does not hide the rule of the others", () => {
  const headers = chainOf(new Random(1), ETHEREUM, GWEI, 21);
  const [before, after] = [headers.slice(0, 10), chainOf(new Random(2), ETHEREUM, 77n * GWEI, 11)];

  assert.equal(inferFeeMarket([...before, ...after]), ETHEREUM);
});

test("a fee that a chain sets in another way follows no market", () => {
  const random = new Random(3);
  const headers = Array.from({ length: 21 }, () =>
    headerOf(BigInt(random.between(1_000_000, 1_000_000_000)), random.between(0, 60_000_000), 60_000_000),
  );

  assert.equal(inferFeeMarket(headers), undefined);
});
