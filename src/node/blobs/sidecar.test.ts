import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { RLP } from "@ethereumjs/rlp";
import { LINE, ONE, sidecarOf, typed, wrapSidecar, ZERO } from "../../../test/support/blobs.ts";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import { BLOB_SIZE } from "../../chain/block/sidecar.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { versionedHash } from "../../chain/hashing/versionedHash.ts";
import { RpcError } from "../../jsonrpc/rpcError.ts";
import { checkSidecar } from "./checkSidecar.ts";
import { decodeBlobTransaction } from "./sidecar.ts";
import { verifyProofs } from "./verifyProofs.ts";

const FIELDS = [Uint8Array.of(7), Uint8Array.of(1, 2, 3), new Uint8Array(60).fill(9)];
const CANONICAL = typed(RLP.encode(FIELDS));
const POINT = ONE.commitment;

type Input = Bytes | number | Input[];

const encoded = (input: Input) => typed(RLP.encode(input));

function refusal(raw: Bytes, acceptsCellProofs = false): string {
  try {
    decodeBlobTransaction(raw, acceptsCellProofs);
  } catch (error) {
    assert.ok(error instanceof RpcError, String(error));
    assert.equal(error.code, -32_000);
    return error.message;
  }
  return "none";
}

test("a transaction without a wrapper has no sidecar", () => {
  const sent = decodeBlobTransaction(CANONICAL, false);

  assert.deepEqual(sent, { transaction: CANONICAL });
});

test("a wrapper gives the transaction as its hash covers it, and the sidecar", () => {
  const sidecar = sidecarOf([ZERO, ONE, LINE]);

  const sent = decodeBlobTransaction(wrapSidecar(FIELDS, sidecar), false);

  assert.equal(toHex(sent.transaction), toHex(CANONICAL));
  assert.equal(sent.sidecar?.version, 0);
  assert.deepEqual(sent.sidecar.blobs.map(toHex), sidecar.blobs.map(toHex));
  assert.deepEqual(sent.sidecar.commitments.map(toHex), sidecar.commitments.map(toHex));
  assert.deepEqual(sent.sidecar.proofs.map(toHex), sidecar.proofs.map(toHex));
});

test("blobs are not copied out of what was sent", () => {
  const raw = wrapSidecar(FIELDS, sidecarOf([LINE]));

  const { sidecar } = decodeBlobTransaction(raw, false);

  assert.equal(sidecar?.blobs[0]?.buffer, raw.buffer);
});

test("a wrapper with cell proofs is accepted where the network accepts them", () => {
  const raw = wrapSidecar(FIELDS, sidecarOf([ONE], 1));

  const sent = decodeBlobTransaction(raw, true);

  assert.equal(toHex(sent.transaction), toHex(CANONICAL));
  assert.equal(sent.sidecar?.version, 1);
  assert.equal(sent.sidecar.proofs.length, 128);
});

test("where cell proofs are accepted the original wrapper still is", () => {
  const sent = decodeBlobTransaction(wrapSidecar(FIELDS, sidecarOf([ONE])), true);

  assert.equal(sent.sidecar?.version, 0);
});

test("4.3: a wrapper with cell proofs is refused in the words of the specification", () => {
  const raw = wrapSidecar(FIELDS, sidecarOf([ONE], 1));

  assert.equal(refusal(raw), "rlp: expected input list for []kzg4844.Blob");
});

const malformed: readonly (readonly [string, Bytes, string])[] = [
  ["nothing but the type", Uint8Array.of(3), "typed transaction too short"],
  ["another type", Uint8Array.of(2, 0xc0), "transaction type not supported"],
  ["a string", Uint8Array.of(3, 0x83, 1, 2, 3), "rlp: expected List"],
  ["an empty list", Uint8Array.of(3, 0xc0), "unexpected EOF"],
  ["a list cut short", CANONICAL.subarray(0, 40), "rlp: value size exceeds available input length"],
  ["a size cut short", Uint8Array.of(3, 0xf9, 1), "unexpected EOF"],
  ["a size in more bytes than it takes", Uint8Array.of(3, 0xf8, 1, 1), "rlp: non-canonical size information"],
  ["a size with a leading zero", Uint8Array.of(3, 0xf9, 0, 60), "rlp: non-canonical size information"],
  ["bytes after the transaction", Uint8Array.of(...CANONICAL, 1), "rlp: input contains more than one value"],
  [
    "bytes after the wrapper",
    typed(Uint8Array.of(...RLP.encode([FIELDS, [], [], []]), 1)),
    "rlp: input contains more than one value",
  ],
  ["a wrapper with nothing in it", encoded([FIELDS]), "rlp: too few elements for types.blobTxWithBlobs"],
  ["no proofs", encoded([FIELDS, [], []]), "rlp: too few elements for types.blobTxWithBlobs"],
  [
    "a fourth list",
    encoded([FIELDS, [], [], [], []]),
    "rlp: input list has too many elements for types.blobTxWithBlobs",
  ],
  [
    "a short blob",
    encoded([FIELDS, [new Uint8Array(BLOB_SIZE - 1)], [], []]),
    "rlp: input string too short for kzg4844.Blob",
  ],
  [
    "a long blob",
    encoded([FIELDS, [new Uint8Array(BLOB_SIZE + 1)], [], []]),
    "rlp: input string too long for kzg4844.Blob",
  ],
  ["a list for a blob", encoded([FIELDS, [[]], [], []]), "rlp: expected input string or byte for kzg4844.Blob"],
  [
    "a string for the commitments",
    encoded([FIELDS, [], POINT, []]),
    "rlp: expected input list for []kzg4844.Commitment",
  ],
  [
    "a short commitment",
    encoded([FIELDS, [], [Uint8Array.of(5)], []]),
    "rlp: input string too short for kzg4844.Commitment",
  ],
  [
    "a long commitment",
    encoded([FIELDS, [], [new Uint8Array(49)], []]),
    "rlp: input string too long for kzg4844.Commitment",
  ],
  ["a string for the proofs", encoded([FIELDS, [], [], POINT]), "rlp: expected input list for []kzg4844.Proof"],
  [
    "a short proof",
    encoded([FIELDS, [], [POINT], [new Uint8Array(47)]]),
    "rlp: input string too short for kzg4844.Proof",
  ],
  ["a list for a proof", encoded([FIELDS, [], [POINT], [[]]]), "rlp: expected input string or byte for kzg4844.Proof"],
  [
    "an element that leaves its list",
    Uint8Array.of(3, 0xc3, 0xc0, 0xc1, 0x81),
    "rlp: element is larger than containing list",
  ],
];

for (const [name, raw, message] of malformed) {
  test(`${name} is refused: ${message}`, () => {
    assert.equal(refusal(raw), message);
  });
}

const versions: readonly (readonly [string, Input, string])[] = [
  ["version 2", 2, "unsupported blob tx version 2"],
  ["version 0", 0, "unsupported blob tx version 0"],
  ["version 256", 256, "rlp: input string too long for uint8"],
  ["a zero byte for a version", Uint8Array.of(0), "rlp: non-canonical integer (leading zero bytes) for uint8"],
];

for (const [name, version, message] of versions) {
  test(`${name} is refused where cell proofs are accepted: ${message}`, () => {
    assert.equal(refusal(encoded([FIELDS, version, [], [], []]), true), message);
  });
}

test("a version framed as a string is refused where cell proofs are accepted", () => {
  const raw = Uint8Array.of(3, 0xc6, 0xc0, 0x81, 1, 0xc0, 0xc0, 0xc0);

  assert.equal(refusal(raw, true), "rlp: non-canonical size information for uint8");
});

test("a wrapper with a version and no proofs is refused where cell proofs are accepted", () => {
  const raw = encoded([FIELDS, 1, [], []]);

  assert.equal(refusal(raw, true), "rlp: too few elements for types.blobTxWithBlobsV1");
});

function mutate(raw: Bytes, random: Random): Bytes {
  const changed = Uint8Array.from(raw);
  const places = [random.int(100), random.int(changed.length), changed.length - 1 - random.int(130)];
  for (let i = random.between(1, 3); i > 0; i--) changed[random.pick(places)] = random.int(256);
  return random.chance(0.3) ? changed.subarray(0, random.int(changed.length + 1)) : changed;
}

test("whatever is changed in a wrapper, it is decoded or refused, and nothing else happens", () => {
  const seed = firstSeed();
  const cases = Number(process.env.ORIEL_CASES ?? 3000);
  const random = new Random(seed);
  const wrappers = [wrapSidecar(FIELDS, sidecarOf([LINE])), wrapSidecar(FIELDS, sidecarOf([ONE], 1)), CANONICAL];
  const outcomes = new Set<string>();

  for (let i = 0; i < cases; i++) outcomes.add(refusal(mutate(random.pick(wrappers), random), random.chance(0.5)));

  assert.ok(outcomes.has("none") && outcomes.size > 5, `seed ${seed}: ${[...outcomes].join("; ")}`);
});

/** A wrapper of a real client. Skipped if the folder is not given. */
const file = join(process.env.ORIEL_VECTORS ?? "", "execution-apis/eth_sendRawTransaction/send-blob-tx.io");

test("the wrapper of a real client is decoded, checked and verified", { skip: !existsSync(file) }, () => {
  const request = readFileSync(file, "utf8")
    .split("\n")
    .find((line) => line.startsWith(">> "));
  const raw = fromHex(JSON.parse(request!.slice(3)).params[0]);

  const { transaction, sidecar } = decodeBlobTransaction(raw, true);
  const fields = RLP.decode(transaction.subarray(1)) as Uint8Array[][];
  checkSidecar(fields[10]!, sidecar, { maxBlobs: 6 });

  assert.equal(sidecar.version, 1);
  assert.equal(toHex(versionedHash(sidecar.commitments[0]!)), toHex(fields[10]![0]!));
  assert.equal(verifyProofs(sidecar), true);
});
