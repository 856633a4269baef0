import assert from "node:assert/strict";
import { test } from "node:test";
import { keccak256, toHex, toRlp } from "viem";
import { sign } from "viem/accounts";
import { ONE, sidecarOf } from "../../../test/support/blobs.ts";
import { CHAIN_ID, DevelopmentNode } from "../../../test/support/developmentNode.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { versionedHash } from "../../chain/hashing/versionedHash.ts";

type Rlp = Hex | readonly Rlp[];

const TO: Hex = `0x${"0c".repeat(20)}`;

/** Unsigned: only checked when mined. */
const AUTHORIZATION: Rlp = ["0x", TO, "0x", "0x", "0x01", "0x01"];

interface Fields {
  readonly nonce?: bigint;
  readonly tip?: bigint;
  readonly cap?: bigint;
  readonly gas?: bigint;
  readonly to?: Hex;
  readonly data?: Hex;
  /** Fields after the access list. */
  readonly rest?: readonly Rlp[];
}

const integer = (value: bigint | number): Hex => (BigInt(value) === 0n ? "0x" : toHex(value));

/** Signs transactions that client libraries refuse to build. */
async function signedRlp(node: DevelopmentNode, type: Hex, fields: Fields): Promise<readonly Rlp[]> {
  const { nonce = 0n, tip = 1n, cap = 10n ** 10n, gas = 100_000n, to = TO, data = "0x", rest = [] } = fields;
  const numbers = [BigInt(CHAIN_ID), nonce, tip, cap, gas].map(integer);
  const unsigned: readonly Rlp[] = [...numbers, to, "0x", data, [], ...rest];
  const [account] = node.node.accounts;
  const hash = keccak256(`${type}${toRlp(unsigned as never).slice(2)}`);
  const { r, s, yParity } = await sign({ hash, privateKey: account!.privateKey });
  return [...unsigned, integer(yParity!), integer(BigInt(r)), integer(BigInt(s))];
}

async function refusalOf(node: DevelopmentNode, type: Hex, fields: Fields, sidecar: readonly Rlp[] = []) {
  const signed = await signedRlp(node, type, fields);
  const rlp = toRlp((sidecar.length === 0 ? signed : [signed, ...sidecar]) as never);
  return node.ask("eth_sendRawTransaction", `${type}${rlp.slice(2)}`).then(
    () => "accepted",
    ({ message }: Error) => message,
  );
}

test("errors of raw transactions have geth's messages, which clients match on", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const cases: [string, Hex, Fields][] = [
    ["max priority fee per gas higher than max fee per gas", "0x02", { tip: 10n ** 11n }],
    ["max fee per gas higher than 2^256-1", "0x02", { cap: 2n ** 256n }],
    ["nonce has max value", "0x02", { nonce: 2n ** 64n - 1n }],
    ["rlp: input string too long for uint64", "0x02", { nonce: 2n ** 64n }],
    ["insufficient funds for gas * price + value", "0x02", { cap: 2n ** 250n }],
    ["rlp: input string too short for common.Address", "0x02", { to: "0x0102" }],
    [
      "max initcode size exceeded: code size 49153, limit 49152",
      "0x02",
      { to: "0x", gas: 10n ** 7n, data: `0x${"00".repeat(49_153)}` },
    ],
    ["EIP-7702 transaction with empty auth list", "0x04", { rest: [[]] }],
    ["rlp: input string too short for common.Address", "0x04", { to: "0x", rest: [[AUTHORIZATION]] }],
  ];

  for (const [words, type, fields] of cases) {
    const message = await refusalOf(node, type, fields);
    assert.equal(message, words);
  }
});

test("a blob transaction is refused for its blobs as geth refuses it, before anything else about it", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const { blobs, commitments, proofs } = sidecarOf([ONE]);
  const hash = toHex(versionedHash(ONE.commitment));
  const wrong: Hex = `0x02${hash.slice(4)}`;
  const sidecar = [blobs, commitments, proofs].map((list) => list.map((bytes) => toHex(bytes)));
  const withHashes = (hashes: readonly Hex[], fields: Fields = {}) => ({ ...fields, rest: [integer(10), hashes] });

  assert.equal(
    await refusalOf(node, "0x03", withHashes(new Array(7).fill(hash)), sidecar),
    "too many blobs in transaction: have 7, permitted 6",
  );
  assert.equal(await refusalOf(node, "0x03", withHashes([]), sidecar), "blobless blob transaction");
  assert.equal(await refusalOf(node, "0x03", withHashes([])), "missing sidecar in blob transaction");
  assert.equal(
    await refusalOf(node, "0x03", withHashes([wrong]), sidecar),
    `blob 0: computed hash ${hash} mismatches transaction one ${wrong}`,
  );
  assert.equal(
    await refusalOf(node, "0x03", withHashes([hash], { to: "0x" }), sidecar),
    "rlp: input string too short for common.Address",
  );
  assert.equal(
    await refusalOf(node, "0x03", withHashes([hash], { tip: 10n ** 11n }), sidecar),
    "max priority fee per gas higher than max fee per gas",
  );
});
