import assert from "node:assert/strict";
import { test } from "node:test";
import { CURVE, LINE, ONE, sidecarOf, ZERO } from "../../../test/support/blobs.ts";
import { fc } from "../../../test/support/fastCheck.ts";
import { Random } from "../../../test/support/random.ts";
import { BLOB_SIZE, type Sidecar } from "../../chain/block/sidecar.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { decodeSidecar, decodeSidecarHead, encodeSidecar } from "./encodeSidecar.ts";

const RANDOM = { ...ONE, blob: new Random(1).bytes(BLOB_SIZE), proof: new Random(2).bytes(48) };

const plain = ({ version, blobs, commitments, proofs }: Sidecar) => ({
  version,
  blobs: blobs.map(toHex),
  commitments: commitments.map(toHex),
  proofs: proofs.map(toHex),
});

test("any sidecar is read back as it was stored, whole or with the first bytes of its blobs", () => {
  const proven = fc.array(fc.constantFrom(ZERO, ONE, LINE, CURVE, RANDOM), { maxLength: 6 });
  fc.assert(
    fc.property(proven, fc.constantFrom<(0 | 1)[]>(0, 1), (list, version) => {
      const sidecar = sidecarOf(list, version);

      const stored = encodeSidecar(sidecar);

      const blobs = sidecar.blobs.map((blob) => blob.subarray(0, 32));
      assert.deepEqual(plain(decodeSidecar(stored)), plain(sidecar));
      assert.deepEqual(plain(decodeSidecarHead(stored.head)), plain({ ...sidecar, blobs }));
    }),
    { numRuns: 30 },
  );
});

test("blobs that are mostly zeros take little room", () => {
  const { head, body } = encodeSidecar(sidecarOf([ZERO, ZERO, ZERO, ZERO, ZERO, ZERO]));

  assert.ok(body.length < 1000, `${body.length} bytes`);
  assert.equal(head.length, 7 + 6 * (32 + 48 + 48));
});

test("a damaged row is detected", () => {
  const { head, body } = encodeSidecar(sidecarOf([LINE]));
  const other = encodeSidecar(sidecarOf([LINE, ONE])).body;
  const damaged = { code: "store_corrupt" };

  assert.throws(() => decodeSidecarHead(head.subarray(0, 3)), damaged);
  assert.throws(() => decodeSidecarHead(head.subarray(1)), damaged);
  assert.throws(() => decodeSidecar({ head, body: body.subarray(0, 40) }), damaged);
  assert.throws(() => decodeSidecar({ head, body: new Uint8Array(9) }), damaged);
  assert.throws(() => decodeSidecar({ head, body: other }), damaged);
});
