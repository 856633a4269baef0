import assert from "node:assert/strict";
import { test } from "node:test";
import { createBlockHeader } from "@ethereumjs/block";
import { Common, Hardfork, Mainnet } from "@ethereumjs/common";
import { fc } from "../../../test/support/fastCheck.ts";
import { quantity, toHex } from "../encoding/hex.ts";
import { WireReader } from "../encoding/wire.ts";
import { AMSTERDAM_FIELDS, decodeHeader, headerHash } from "./header.ts";

const REFUSED = { code: "upstream_invalid" };

const hexOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map(toHex);
const upTo = (bits: number) =>
  fc
    .integer({ min: 0, max: bits })
    .chain((size) => fc.bigInt({ min: 0n, max: 2n ** BigInt(size) - 1n }))
    .map(quantity);

const frontier = {
  number: upTo(53),
  hash: hexOf(32),
  parentHash: hexOf(32),
  sha3Uncles: hexOf(32),
  miner: hexOf(20),
  stateRoot: hexOf(32),
  transactionsRoot: hexOf(32),
  receiptsRoot: hexOf(32),
  logsBloom: hexOf(256),
  difficulty: upTo(100),
  gasLimit: upTo(63),
  gasUsed: fc.constant("0x0"),
  timestamp: upTo(53),
  extraData: fc.uint8Array({ maxLength: 32 }).map(toHex),
  mixHash: hexOf(32),
  nonce: hexOf(8),
  size: upTo(30),
};
const london = { ...frontier, baseFeePerGas: upTo(80) };
const shanghai = { ...london, withdrawalsRoot: hexOf(32) };
const cancun = { ...shanghai, blobGasUsed: upTo(53), excessBlobGas: upTo(80), parentBeaconBlockRoot: hexOf(32) };
const prague = { ...cancun, requestsHash: hexOf(32) };

const amsterdam = { ...prague, blockAccessListHash: hexOf(32), slotNumber: upTo(63) };

const FORKS = {
  [Hardfork.Chainstart]: fc.record(frontier),
  [Hardfork.London]: fc.record(london),
  [Hardfork.Shanghai]: fc.record(shanghai),
  [Hardfork.Cancun]: fc.record(cancun),
  [Hardfork.Prague]: fc.record(prague),
  [Hardfork.Amsterdam]: fc.record(amsterdam),
};

function theirs(wire: Record<string, string>, hardfork: Hardfork): string {
  const common = new Common({ chain: Mainnet, hardfork });
  const data = { ...wire, uncleHash: wire.sha3Uncles, coinbase: wire.miner, transactionsTrie: wire.transactionsRoot };
  const header = createBlockHeader(
    { ...data, receiptTrie: wire.receiptsRoot } as Parameters<typeof createBlockHeader>[0],
    { common, skipConsensusFormatValidation: true },
  );
  return toHex(header.hash());
}

for (const [hardfork, wires] of Object.entries(FORKS)) {
  test(`the hash of a ${hardfork} header is that of another library`, () => {
    fc.assert(
      fc.property(wires, (wire) => {
        const header = decodeHeader(wire, new WireReader());

        assert.equal(toHex(headerHash(header)), theirs(wire, hardfork as Hardfork));
        assert.equal(toHex(header.hash), wire.hash);
        assert.deepEqual(Object.keys(header.extra ?? {}), "slotNumber" in wire ? AMSTERDAM_FIELDS : []);
      }),
    );
  });
}

test("fields of later forks may be null, and fields of no fork are kept", () => {
  const [wire] = fc.sample(FORKS[Hardfork.London], { numRuns: 1, seed: 1 });

  const header = decodeHeader(
    { ...wire, withdrawalsRoot: null, withdrawals: null, requestsHash: null, milliTimestamp: "0x1" },
    new WireReader(),
  );

  assert.equal(toHex(headerHash(header)), theirs(wire!, Hardfork.London));
  assert.deepEqual({ ...header.extra }, { milliTimestamp: "0x1" });
});

test("a header field that is missing or malformed is refused", () => {
  const [wire] = fc.sample(FORKS[Hardfork.Prague], { numRuns: 1, seed: 2 });
  const optional = new Set(["difficulty", "mixHash", "nonce"]);
  for (const field of Object.keys(prague).filter((key) => key !== "size")) {
    const values = [7.5, "", "0x0g", "0x ", [], {}];
    if (field in frontier && !optional.has(field)) values.push(undefined as never, null as never);
    for (const value of values) {
      assert.throws(() => decodeHeader({ ...wire, [field]: value }, new WireReader()), REFUSED, `${field} ${value}`);
    }
  }
  for (const field of ["uncles", "withdrawals"]) {
    for (const value of [{}, "0x", [null], ["0x"]]) {
      assert.throws(() => decodeHeader({ ...wire, [field]: value }, new WireReader()), REFUSED, `${field} ${value}`);
    }
  }
});

test("a size or total difficulty that cannot be read is left out, with a note", () => {
  const [wire] = fc.sample(FORKS[Hardfork.Prague], { numRuns: 1, seed: 3 });
  for (const field of ["size", "totalDifficulty"]) {
    for (const value of [7.5, "", "0x0g", [], {}]) {
      const mismatches: string[] = [];

      const header = decodeHeader({ ...wire, [field]: value }, new WireReader(), mismatches);

      assert.match(mismatches.join(), new RegExp(`^block.${field}: expected `));
      assert.ok(!header[field as "size"]);
    }
  }
});

test("fields of Amsterdam that cannot be read are no part of the hash", () => {
  const [wire] = fc.sample(FORKS[Hardfork.Prague], { numRuns: 1, seed: 4 });
  for (const odd of [{ slotNumber: "0x5" }, { blockAccessListHash: "0x12" }, { blockAccessListHash: null }]) {
    const header = decodeHeader({ ...wire, ...odd }, new WireReader());

    assert.equal(toHex(headerHash(header)), theirs(wire!, Hardfork.Prague));
  }
});
