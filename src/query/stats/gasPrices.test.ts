import assert from "node:assert/strict";
import { test } from "node:test";
import type { Header } from "../../chain/block/header.ts";
import { uintFromNumber } from "../../chain/encoding/uint.ts";
import { nextBaseFee } from "./gasPrices.ts";

test("the next base fee follows EIP-1559, and a chain without one has none", () => {
  const after = (fee: number | undefined, gasUsed: number, gasLimit = 30_000_000) =>
    nextBaseFee({
      ...(fee !== undefined && { baseFeePerGas: uintFromNumber(fee) }),
      gasUsed,
      gasLimit: uintFromNumber(gasLimit),
    } as Header);

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
