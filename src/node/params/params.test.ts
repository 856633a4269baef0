import assert from "node:assert/strict";
import { test } from "node:test";
import type { RpcError } from "../../jsonrpc/rpcError.ts";
import { blockIdParam, blockNumberParam, requiredBlockId } from "./blockParams.ts";
import {
  addressParam,
  dataParam,
  expectAtMost,
  flagParam,
  hashParam,
  quantityParam,
  readAddress,
  readStorageKey,
} from "./params.ts";

const HASH = `0x${"ab".repeat(32)}`;

function refusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    assert.equal((error as RpcError).code, -32_602);
    return (error as Error).message;
  }
  throw new Error("nothing was refused");
}

test("a hash is refused in geth's words", () => {
  const into = "into Go value of type common.Hash";

  assert.equal(
    refusal(() => hashParam([], 0)),
    "missing value for required argument 0",
  );
  assert.equal(
    refusal(() => hashParam(["10"], 0)),
    `invalid argument 0: json: cannot unmarshal hex string without 0x prefix ${into}`,
  );
  assert.equal(
    refusal(() => hashParam([7], 0)),
    `invalid argument 0: json: cannot unmarshal non-string ${into}`,
  );
  assert.equal(
    refusal(() => hashParam(["0x1"], 0)),
    `invalid argument 0: json: cannot unmarshal hex string of odd length ${into}`,
  );
  assert.equal(
    refusal(() => hashParam([1, "0x1234"], 1)),
    "invalid argument 1: hex string has length 4, want 64 for common.Hash",
  );
  assert.equal(
    refusal(() => hashParam([HASH.replace("a", "g")], 0)),
    `invalid argument 0: json: cannot unmarshal invalid hex string ${into}`,
  );
});

test("a field of an object is named in the refusal", () => {
  const place = { argument: 0, field: "TransactionArgs.from" };

  assert.equal(
    refusal(() => readAddress("01", place)),
    "invalid argument 0: json: cannot unmarshal hex string without 0x prefix into Go struct field TransactionArgs.from of type common.Address",
  );
});

test("quantities have no leading zeros and at most 64 bits", () => {
  const into = "into Go value of type hexutil.Uint";

  assert.equal(quantityParam(["0xff"], 0), 255n);
  assert.equal(
    refusal(() => quantityParam(["0x01"], 0)),
    `invalid argument 0: json: cannot unmarshal hex number with leading zero digits ${into}`,
  );
  assert.equal(
    refusal(() => quantityParam(["0x10000000000000000"], 0)),
    `invalid argument 0: json: cannot unmarshal hex number > 64 bits ${into}`,
  );
});

test("data, addresses and flags are read as they are", () => {
  assert.deepEqual([...dataParam(["0x0102"], 0)], [1, 2]);
  assert.equal(addressParam([`0x${"Ab".repeat(20)}`], 0).length, 20);
  assert.equal(flagParam([null], 0, true), true);
  assert.equal(flagParam([false], 0, true), false);
  assert.equal(
    refusal(() => flagParam(["yes"], 0, true)),
    "invalid argument 0: json: cannot unmarshal string into Go value of type bool",
  );
  assert.equal(
    refusal(() => expectAtMost([1, 2, 3], 2)),
    "too many arguments, want at most 2",
  );
});

test("a block is named by tag, number, hash or object, and is the head when left out", () => {
  assert.deepEqual(blockIdParam([], 0), { tag: "latest" });
  assert.deepEqual(blockIdParam([null], 0), { tag: "latest" });
  assert.deepEqual(blockIdParam(["safe"], 0), { tag: "safe" });
  assert.deepEqual(blockIdParam(["0x10"], 0), { number: 16 });
  assert.deepEqual(blockIdParam([16], 0), { number: 16 });
  assert.deepEqual(blockNumberParam([0], 0), { number: 0 });
  assert.deepEqual(blockIdParam([HASH], 0), { hash: Buffer.alloc(32, 0xab) });
  assert.deepEqual(blockIdParam([{ blockNumber: "0x2" }], 0), { number: 2 });
  assert.deepEqual(blockIdParam([{ blockHash: HASH, requireCanonical: true }], 0), { hash: Buffer.alloc(32, 0xab) });
  assert.deepEqual(blockNumberParam(["pending"], 0), { tag: "pending" });
});

test("a block that is named wrongly is refused in geth's words", () => {
  assert.equal(
    refusal(() => requiredBlockId([], 0)),
    "missing value for required argument 0",
  );
  assert.equal(
    refusal(() => blockIdParam(["2"], 0)),
    "invalid argument 0: hex string without 0x prefix",
  );
  assert.equal(
    refusal(() => blockNumberParam([-2], 0)),
    "invalid argument 0: hex string without 0x prefix",
  );
  assert.equal(
    refusal(() => blockIdParam(["0x02"], 0)),
    "invalid argument 0: hex number with leading zero digits",
  );
  assert.equal(
    refusal(() => blockIdParam(["0xffffffffffffffff"], 0)),
    "invalid argument 0: blocknumber too high",
  );
  assert.equal(
    refusal(() => blockIdParam([5.5], 0)),
    "invalid argument 0: json: cannot unmarshal number into Go value of type string",
  );
  assert.equal(
    refusal(() => blockIdParam([{ blockNumber: "0x1", blockHash: HASH }], 0)),
    "invalid argument 0: cannot specify both BlockHash and BlockNumber, choose one or the other",
  );
});

test("storage keys may be short, and say how many bytes were given", () => {
  assert.deepEqual(readStorageKey("0x1"), { key: Buffer.from("1".padStart(64, "0"), "hex"), given: 1 });
  assert.equal(readStorageKey(HASH).given, 32);
  assert.equal(
    refusal(() => readStorageKey("0xasdf")),
    'invalid hex in storage key: "0xasdf"',
  );
  assert.equal(
    refusal(() => readStorageKey(`${HASH}0`)),
    `storage key too long (want at most 32 bytes): "${HASH}0"`,
  );
});
