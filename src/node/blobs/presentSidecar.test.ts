import assert from "node:assert/strict";
import { test } from "node:test";
import { LINE, ONE, sidecarOf } from "../../../test/support/blobs.ts";
import { presentSidecar } from "./presentSidecar.ts";

const PLACE = {
  blockHash: new Uint8Array(32).fill(0xab),
  blockNumber: 4096,
  txHash: new Uint8Array(32).fill(0x0c),
  txIndex: 0,
};

const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString("hex")}`;

test("2.4: a record has full blobs, and its keys in the order of bsc", () => {
  const record = presentSidecar(sidecarOf([ONE, LINE]), PLACE);

  const expected = {
    blobSidecar: {
      blobs: [hex(ONE.blob), hex(LINE.blob)],
      commitments: [hex(ONE.commitment), hex(LINE.commitment)],
      proofs: [hex(ONE.proof), hex(LINE.proof)],
    },
    blockHash: `0x${"ab".repeat(32)}`,
    blockNumber: "0x1000",
    txHash: `0x${"0c".repeat(32)}`,
    txIndex: "0x0",
  };
  assert.equal(JSON.stringify(record), JSON.stringify(expected));
  assert.equal(record.blobSidecar.blobs[0]?.length, 2 + 2 * 131_072);
});

test("2.4: a truncated record has the first 32 bytes of each blob and all else", () => {
  const full = presentSidecar(sidecarOf([ONE, LINE]), PLACE);

  const truncated = presentSidecar(sidecarOf([ONE, LINE]), PLACE, false);

  const blobs = full.blobSidecar.blobs.map((blob) => blob.slice(0, 66));
  assert.deepEqual(truncated, { ...full, blobSidecar: { ...full.blobSidecar, blobs } });
});
