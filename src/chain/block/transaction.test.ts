import assert from "node:assert/strict";
import { test } from "node:test";
import { Common, Hardfork, Mainnet } from "@ethereumjs/common";
import type { TypedTxData } from "@ethereumjs/tx";
import { createTx } from "@ethereumjs/tx";
import { createAddressFromString, generateAddress } from "@ethereumjs/util";
import { fc } from "../../../test/support/fastCheck.ts";
import { quantity, toHex } from "../encoding/hex.ts";
import { WireReader } from "../encoding/wire.ts";
import { createdAddress, transactionHash } from "./block.ts";
import { decodeTransaction } from "./transaction.ts";

const REFUSED = { code: "upstream_invalid" };

/** The other library requires a KZG implementation for blob transactions, but hashing does not use it. */
const common = new Common({
  chain: Mainnet,
  hardfork: Hardfork.Prague,
  customCrypto: { kzg: {} as NonNullable<Common["customCrypto"]["kzg"]> },
});

const hexOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map(toHex);
const upTo = (bits: number) =>
  fc
    .integer({ min: 0, max: bits })
    .chain((size) => fc.bigInt({ min: 0n, max: 2n ** BigInt(size) - 1n }))
    .map(quantity);
const signaturePart = fc.bigInt({ min: 1n, max: 2n ** 254n }).map(quantity);
const address = hexOf(20);
const parity = fc.constantFrom("0x0", "0x1");
const accessList = fc.array(fc.record({ address, storageKeys: fc.array(hexOf(32), { maxLength: 3 }) }), {
  maxLength: 3,
});

const base = {
  hash: hexOf(32),
  from: address,
  to: fc.option(address),
  nonce: upTo(63),
  gas: upTo(60),
  value: upTo(256),
  input: fc.uint8Array({ maxLength: 300 }).map(toHex),
  r: signaturePart,
  s: signaturePart,
};
const fees = { maxFeePerGas: upTo(128), maxPriorityFeePerGas: fc.constant("0x0"), gasPrice: upTo(64) };
const typed = { ...base, chainId: fc.constant("0x1"), yParity: parity, accessList };
const authorization = fc.record({
  chainId: upTo(64),
  address,
  nonce: upTo(63),
  yParity: parity,
  r: signaturePart,
  s: signaturePart,
});

const TRANSACTIONS = {
  "legacy before EIP-155": fc.record({ ...base, gasPrice: upTo(128), v: fc.constantFrom("0x1b", "0x1c") }),
  "legacy after EIP-155": fc.record({ ...base, gasPrice: upTo(128), v: fc.constantFrom("0x25", "0x26") }),
  "type 1": fc.record({ ...typed, type: fc.constant("0x1"), gasPrice: upTo(128) }),
  "type 2": fc.record({ ...typed, ...fees, type: fc.constant("0x2") }),
  "type 3": fc.record({
    ...typed,
    ...fees,
    type: fc.constant("0x3"),
    to: address,
    maxFeePerBlobGas: upTo(128),
    blobVersionedHashes: fc.array(
      hexOf(31).map((rest) => `0x01${rest.slice(2)}`),
      { minLength: 1, maxLength: 6 },
    ),
  }),
  "type 4": fc.record({
    ...typed,
    ...fees,
    type: fc.constant("0x4"),
    to: address,
    authorizationList: fc.array(authorization, { minLength: 1, maxLength: 3 }),
  }),
};

/** The same transaction in the other library, which takes `v` as parity and no `gasPrice` beside the fee caps. */
function theirs(wire: Record<string, unknown>): string {
  const { hash: _hash, from: _from, yParity, gasPrice, ...rest } = wire;
  const price = wire.maxFeePerGas === undefined ? { gasPrice } : {};
  const data = {
    ...rest,
    ...price,
    type: wire.type ?? "0x0",
    gasLimit: wire.gas,
    data: wire.input,
    v: wire.v ?? yParity,
  };
  return toHex(createTx({ ...data, to: wire.to ?? undefined } as TypedTxData, { common }).hash());
}

for (const [name, wires] of Object.entries(TRANSACTIONS)) {
  test(`the hash of a transaction, ${name}, is that of another library`, () => {
    fc.assert(
      fc.property(wires, (wire) => {
        const tx = decodeTransaction(wire, new WireReader());

        assert.equal(toHex(transactionHash(tx)), theirs(wire));
        assert.equal(toHex(tx.hash), wire.hash);
        assert.equal(tx.to && toHex(tx.to), wire.to);
        assert.equal(tx.extra, undefined);
      }),
    );
  });
}

test("a typed transaction may carry v, yParity or both", () => {
  const [wire] = fc.sample(TRANSACTIONS["type 2"], { numRuns: 1, seed: 5 });
  const { yParity, ...bare } = wire!;
  const hash = (changes: object) =>
    toHex(transactionHash(decodeTransaction({ ...bare, ...changes }, new WireReader())));

  assert.equal(hash({ yParity: "0x1" }), hash({ v: "0x1" }));
  assert.equal(hash({ yParity: "0x1" }), hash({ v: "0x1", yParity: "0x1" }));
  assert.equal(hash({ v: "0x1", yParity: "0x0" }), hash({ v: "0x1" }));
});

test("fields no type has are kept as they came", () => {
  const [wire] = fc.sample(TRANSACTIONS["type 2"], { numRuns: 1, seed: 6 });

  const tx = decodeTransaction({ ...wire, type: "0x7e", mint: "0x01", sourceHash: null }, new WireReader());

  assert.equal(tx.type, 0x7e);
  assert.deepEqual({ ...tx.extra }, { mint: "0x01", sourceHash: null });
});

test("a transaction of another block is refused, and one that says it stands elsewhere in it is noted", () => {
  const [wire] = fc.sample(TRANSACTIONS["type 1"], { numRuns: 1, seed: 7 });
  const mismatchesOf = (copy: object) => {
    const mismatches: string[] = [];
    const at = { blockHash: "0xab", blockNumber: "0x5", timestamp: "0x6", index: 2, mismatches };
    decodeTransaction({ ...wire, ...copy }, new WireReader(), at);
    return mismatches.join();
  };

  const spelledOtherwise = { blockNumber: 5, blockTimestamp: 6, transactionIndex: "0x02" };
  assert.equal(mismatchesOf({ blockHash: "0xAB", ...spelledOtherwise }), "");
  assert.throws(() => mismatchesOf({ blockHash: "0xac" }), REFUSED);
  assert.match(mismatchesOf({ blockNumber: "0x6" }), /^transaction.blockNumber: expected "0x5", .* "0x6"$/);
  assert.match(mismatchesOf({ blockTimestamp: "0x7" }), /^transaction.blockTimestamp: /);
  assert.match(mismatchesOf({ transactionIndex: "0x3" }), /^transaction.transactionIndex: /);
  assert.equal(mismatchesOf({ v: "0x1", yParity: "0x01" }), "");
  assert.match(mismatchesOf({ v: "0x1", yParity: "0x0" }), /^transaction.yParity: /);
});

test("a field that is missing or malformed is refused", () => {
  const [wire] = fc.sample(TRANSACTIONS["type 4"], { numRuns: 1, seed: 8 });
  for (const field of ["hash", "from", "nonce", "gas", "value", "input"]) {
    for (const value of [undefined, null, "", "0x0g", 5.5, {}]) {
      assert.throws(
        () => decodeTransaction({ ...wire, [field]: value }, new WireReader()),
        REFUSED,
        `${field} ${value}`,
      );
    }
  }
  for (const field of ["accessList", "authorizationList"]) {
    for (const value of ["0x", {}, [null], [{}]]) {
      assert.throws(
        () => decodeTransaction({ ...wire, [field]: value }, new WireReader()),
        REFUSED,
        `${field} ${value}`,
      );
    }
  }
});

test("the address a transaction creates is that of another library", () => {
  fc.assert(
    fc.property(TRANSACTIONS["type 2"], (wire) => {
      const tx = decodeTransaction(wire, new WireReader());

      const expected = generateAddress(createAddressFromString(wire.from).bytes, tx.nonce);

      assert.equal(toHex(createdAddress(tx)), toHex(expected));
    }),
  );
});
