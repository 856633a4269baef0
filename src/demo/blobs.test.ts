import assert from "node:assert/strict";
import { test } from "node:test";
import { checkSidecar } from "../node/blobs/checkSidecar.ts";
import { verifyProofs } from "../node/blobs/verifyProofs.ts";
import { MAX_TEXT, sidecarOf, versionedHash } from "./blobs.ts";

test("blobs that repeat a text have commitments and proofs that hold", () => {
  const sidecar = sidecarOf(["a batch", "x".repeat(MAX_TEXT)]);

  assert.doesNotThrow(() => checkSidecar(sidecar.commitments.map(versionedHash), sidecar, { maxBlobs: 6 }));
  assert.equal(verifyProofs(sidecar), true);
  assert.equal(verifyProofs({ ...sidecar, commitments: sidecar.commitments.toReversed() }), false);
});

test("a text that does not fit a field element is refused", () => {
  assert.throws(() => sidecarOf(["x".repeat(MAX_TEXT + 1)]), /1 to 31 bytes/);
});
