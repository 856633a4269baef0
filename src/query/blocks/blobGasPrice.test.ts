import assert from "node:assert/strict";
import { test } from "node:test";
import { uintFromBigInt } from "../../chain/encoding/uint.ts";
import { blobGasPrice } from "./blobGasPrice.ts";

test("the blob price follows EIP-4844, and an absurd claim ends", () => {
  const at = (excess: bigint) => blobGasPrice(uintFromBigInt(excess), 3_338_477);
  assert.equal(at(0n), 1n);
  assert.equal(at(2_314_057n), 1n);
  assert.equal(at(2_314_058n), 2n);
  assert.equal(at(10n * 1024n * 1024n), 23n);
  assert.ok(at(178n * 3_338_477n)! > 2n ** 256n);
  assert.equal(at(2n ** 256n - 1n), null);
});
