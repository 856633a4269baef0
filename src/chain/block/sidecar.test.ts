import assert from "node:assert/strict";
import { test } from "node:test";
import { LINE, ONE, sidecarOf, ZERO } from "../../../test/support/blobs.ts";
import { SimulatedChain } from "../../../test/support/simulatedChain.ts";
import { toHex } from "../encoding/hex.ts";
import { WireReader } from "../encoding/wire.ts";
import { versionedHash } from "../hashing/versionedHash.ts";
import { decodeBlock } from "./block.ts";
import type { Sidecar } from "./sidecar.ts";
import { decodeShownSidecar } from "./sidecar.ts";

const PROVEN = [ONE, ZERO, LINE];
const names = PROVEN.map(({ commitment }) => versionedHash(commitment));

function shown({ version, blobs, commitments, proofs }: Sidecar): Record<string, unknown> {
  const field = version === 0 ? "proofs" : "cellProofs";
  return { blobs: blobs.map(toHex), commitments: commitments.map(toHex), [field]: proofs.map(toHex) };
}

const decode = (wire: Record<string, unknown>) => decodeShownSidecar(wire, names, new WireReader());

test("a sidecar inside a transaction is read in both versions, beside its fields or in one of its own", () => {
  for (const version of [0, 1] as const) {
    const sidecar = sidecarOf(PROVEN, version);
    for (const wire of [shown(sidecar), { sidecar: shown(sidecar) }]) {
      const read = decode(wire)!.sidecar!;

      assert.equal(read.version, version);
      for (const list of ["blobs", "commitments", "proofs"] as const) {
        assert.deepEqual(read[list].map(toHex), sidecar[list].map(toHex));
      }
    }
  }
  assert.equal(decode({ hash: "0x12", blobs: null }), undefined);
});

test("one that is malformed or not of this transaction is known to be there, and nothing of it is taken", () => {
  const wire = shown(sidecarOf(PROVEN));
  const [blobs, commitments] = [wire.blobs as string[], wire.commitments as string[]];
  const odd = [
    { ...wire, commitments: commitments.toReversed() },
    { ...wire, blobs: blobs.slice(1) },
    { ...wire, blobs: blobs.map((blob) => blob.slice(0, -2)) },
    { ...wire, proofs: [] },
    { ...wire, proofs: undefined },
    { blobs: "0x12" },
    { sidecar: 7 },
  ];

  for (const one of odd) assert.deepEqual(decode(one), { names, sidecar: undefined });
});

test("a block has the sidecars of its transactions beside them, and a transaction nothing of them", () => {
  const chain = new SimulatedChain({ seed: 21, traffic: { transactions: [6, 8] } });
  do chain.mine();
  while (!chain.head.block.transactions.some(({ type }) => type === "0x3"));
  const { block, receipts } = chain.head;
  const fields: Record<string, unknown> = { ...shown(sidecarOf([ONE])), l1Fee: "0x1" };
  const transactions = block.transactions.map((tx) => ({ ...tx, ...fields }));

  const decoded = decodeBlock({ ...block, transactions }, receipts);

  // In other transactions these are unknown fields, and a blob exceeds the size limit for those.
  const { blobs: _, ...kept } = fields;
  for (const [at, { type, extra, omittedFields }] of decoded.transactions.entries()) {
    assert.deepEqual({ ...extra }, type === 3 ? { l1Fee: "0x1" } : kept, `${at}`);
    assert.equal(omittedFields, type === 3 ? undefined : 1);
  }
  assert.equal(decoded.sidecars!.length, block.transactions.filter(({ type }) => type === "0x3").length);
});
