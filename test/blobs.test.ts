import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { fromHex } from "../src/chain/encoding/hex.ts";
import type { Json } from "./support/api.ts";
import { versionedHashOf } from "./support/blobHash.ts";
import { FollowedChain } from "./support/followedChain.ts";
import { simulatedSource } from "./support/simulatedSource.ts";
import { openSite } from "./support/site.ts";

const POINT: Hex = `0xc0${"00".repeat(47)}`;
const blobOf = (byte: number): Hex => `0x00${byte.toString(16).padStart(2, "0").repeat(131_071)}`;

test("the blobs of a transaction are those the node keeps, page by page", async (t) => {
  const followed = await FollowedChain.open(t);
  followed.start();
  const name = versionedHashOf(fromHex(POINT));
  const blobs = [blobOf(1), blobOf(2), blobOf(3)];
  const sent = await followed.chain.send({
    type: "eip4844",
    maxFeePerBlobGas: 10n,
    blobVersionedHashes: blobs.map(() => name),
    sidecars: blobs.map((blob) => ({ blob, commitment: POINT, proof: POINT })),
  });
  const plain = await followed.chain.send();
  await followed.settle();

  const { status, body } = await followed.get(`/api/v2/transactions/${sent}/blobs`);
  const second = (await followed.get(`/api/v2/transactions/${sent}/blobs?page=2&page_size=2`)).body;
  const none = (await followed.get(`/api/v2/transactions/${plain}/blobs`)).body;

  const expected = blobs.map((blob_data) => ({ hash: name, blob_data, kzg_commitment: POINT, kzg_proof: POINT }));
  assert.equal(status, 200);
  assert.deepEqual([body.items, body.total_count, body.next_page_params], [expected, 3, null]);
  assert.deepEqual([second.items, second.total_pages], [expected.slice(2), 2]);
  assert.deepEqual([none.items, none.total_count], [[], 0]);
  assert.deepEqual((await followed.get(`/api/v2/blobs/${name}`)).body, {
    ...expected[0],
    transaction_hashes: [{ block_consensus: true, transaction_hash: sent }],
  });
});

test("blobs that the node does not have are named without their data, and an unknown transaction is not found", async (t) => {
  const site = await openSite(t, { seed: 81, blocks: 40 });
  const sent = Array.from({ length: site.chain.length }, (_, number) => site.chain.at(number)!.block.transactions)
    .flat()
    .filter(({ type }) => type === "0x3");
  assert.ok(sent.length > 0);

  for (const { hash, blobVersionedHashes } of sent) {
    const { items } = await site.list(`transactions/${hash}/blobs`);
    const expected = (blobVersionedHashes as string[]).map((name): Json => {
      return { hash: name, blob_data: null, kzg_commitment: null, kzg_proof: null };
    });
    assert.deepEqual(items, expected);
  }
  assert.equal((await site.fetch(`transactions/0x${"1".repeat(64)}/blobs`)).status, 404);
  assert.equal((await site.fetch("transactions/1/blobs")).status, 422);
});

test("a sidecar of other blobs than the transaction names is not shown", async (t) => {
  let answer: unknown;
  const site = await openSite(t, {
    seed: 82,
    blocks: 40,
    source: (chain) => ({ ...simulatedSource(chain), request: async () => answer }),
  });
  const sent = Array.from({ length: site.chain.length }, (_, number) => site.chain.at(number)!.block.transactions)
    .flat()
    .find(({ type }) => type === "0x3")!;
  const count = (sent.blobVersionedHashes as string[]).length;
  const others = (size: number) => {
    const points = new Array<Hex>(size).fill(POINT);
    return { blobSidecar: { blobs: points.map(() => blobOf(1)), commitments: points, proofs: points } };
  };

  for (answer of [others(count), others(9), others(0), {}, null, "0x", { blobSidecar: { blobs: ["0x"] } }]) {
    const { items } = await site.list(`transactions/${sent.hash}/blobs`);
    assert.equal(items.length, count);
    for (const item of items) assert.equal(item.blob_data, null);
  }
});
