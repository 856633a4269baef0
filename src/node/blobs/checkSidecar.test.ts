import assert from "node:assert/strict";
import { test } from "node:test";
import { LINE, ONE, sidecarOf, ZERO } from "../../../test/support/blobs.ts";
import type { Sidecar } from "../../chain/block/sidecar.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { versionedHash } from "../../chain/hashing/versionedHash.ts";
import { RpcError } from "../../jsonrpc/rpcError.ts";
import { checkSidecar } from "./checkSidecar.ts";

const SIDECAR = sidecarOf([ONE, LINE]);
const HASHES = SIDECAR.commitments.map(versionedHash);
const LIMITS = { maxBlobs: 6 };

function refusal(hashes: readonly Bytes[], sidecar: Sidecar | undefined): string {
  try {
    checkSidecar(hashes, sidecar, LIMITS);
  } catch (error) {
    assert.ok(error instanceof RpcError, String(error));
    assert.equal(error.code, -32_000);
    return error.message;
  }
  return "none";
}

test("the versioned hash of the commitment of an empty blob is the known one", () => {
  assert.equal(
    toHex(versionedHash(ZERO.commitment)),
    "0x010657f37554c781402a22917dee2f75def7ab966d7b770905398eba3c444014",
  );
});

test("a sidecar that has what the hashes name passes, with one proof per blob or per cell", () => {
  assert.equal(refusal(HASHES, SIDECAR), "none");
  assert.equal(refusal(HASHES, sidecarOf([ONE, LINE], 1)), "none");
});

test("a transaction without a sidecar is refused", () => {
  assert.equal(refusal(HASHES, undefined), "missing sidecar in blob transaction");
});

test("a transaction without blobs is refused", () => {
  assert.equal(refusal([], SIDECAR), "blobless blob transaction");
});

test("a transaction with more blobs than a block may have is refused", () => {
  const sidecar = sidecarOf(new Array(7).fill(ONE));

  const message = refusal(sidecar.commitments.map(versionedHash), sidecar);

  assert.equal(message, "too many blobs in transaction: have 7, permitted 6");
});

test("a sidecar with another number of blobs is refused", () => {
  const message = refusal(HASHES, { ...SIDECAR, blobs: [ONE.blob] });

  assert.equal(message, "invalid number of 1 blobs compared to 2 blob hashes");
});

test("a sidecar with another number of commitments is refused", () => {
  const message = refusal(HASHES, { ...SIDECAR, commitments: [] });

  assert.equal(message, "invalid number of 0 blob commitments compared to 2 blob hashes");
});

test("a commitment whose hash the transaction does not have is refused", () => {
  const message = refusal(HASHES, { ...SIDECAR, commitments: [ONE.commitment, ZERO.commitment] });

  const computed = "0x010657f37554c781402a22917dee2f75def7ab966d7b770905398eba3c444014";
  assert.equal(message, `blob 1: computed hash ${computed} mismatches transaction one ${toHex(HASHES[1]!)}`);
});

test("a sidecar with another number of proofs is refused", () => {
  assert.equal(refusal(HASHES, { ...SIDECAR, proofs: [] }), "invalid number of 0 blob proofs expected 2");
  assert.equal(refusal(HASHES, { ...SIDECAR, version: 1 }), "invalid number of 2 blob proofs expected 256");
});

test("what is wrong in several ways is refused for the first in the order of geth", () => {
  const worst = { ...SIDECAR, blobs: [], commitments: [], proofs: [] };
  const wrongCommitments = { ...SIDECAR, commitments: [ZERO.commitment, ZERO.commitment], proofs: [] };

  assert.equal(refusal([], undefined), "missing sidecar in blob transaction");
  assert.equal(refusal(HASHES, worst), "invalid number of 0 blobs compared to 2 blob hashes");
  assert.match(refusal(HASHES, wrongCommitments), /^blob 0: computed hash/);
});
