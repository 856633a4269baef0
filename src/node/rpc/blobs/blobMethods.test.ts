import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { DevelopmentNode, Refused } from "../../../../test/support/developmentNode.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import type { SidecarRecord } from "../../blobs/presentSidecar.ts";

const POINT: Hex = `0xc0${"00".repeat(47)}`;
const blobOf = (byte: number): Hex => `0x00${byte.toString(16).padStart(2, "0").repeat(131_071)}`;

function versionedHash(commitment: Hex): Hex {
  const hash = createHash("sha256")
    .update(Buffer.from(commitment.slice(2), "hex"))
    .digest();
  hash[0] = 1;
  return toHex(hash);
}

describe("blob sidecars", () => {
  let node: DevelopmentNode;
  let sent: Hex;
  let plain: Hex;

  before(async () => {
    node = await DevelopmentNode.open();
    const blobs = [blobOf(1), blobOf(2)];
    sent = await node.send({
      type: "eip4844",
      maxFeePerBlobGas: 10n,
      blobVersionedHashes: blobs.map(() => versionedHash(POINT)),
      sidecars: blobs.map((blob) => ({ blob, commitment: POINT, proof: POINT })),
    });
    plain = await node.send();
  });

  after(() => node.close());

  test("come with their place, one record for each transaction (seed 2.4)", async () => {
    const { hash } = await node.ask<{ hash: Hex }>("eth_getBlockByNumber", "0x1");

    const record = await node.ask<SidecarRecord>("eth_getBlobSidecarByTxHash", sent);

    assert.deepEqual(record, {
      blobSidecar: { blobs: [blobOf(1), blobOf(2)], commitments: [POINT, POINT], proofs: [POINT, POINT] },
      blockHash: hash,
      blockNumber: "0x1",
      txHash: sent,
      txIndex: "0x0",
    });
    for (const id of ["0x1", hash, { blockNumber: "0x1" }, { blockHash: hash }]) {
      assert.deepEqual(await node.ask("eth_getBlobSidecars", id), [record]);
    }
  });

  test("have blobs that are found by the transaction, or by their hash", async () => {
    const unknown = `0x01${"00".repeat(31)}`;

    assert.deepEqual(await node.ask("anvil_getBlobsByTransactionHash", sent), [blobOf(1), blobOf(2)]);
    assert.equal(await node.ask("anvil_getBlobByHash", versionedHash(POINT)), blobOf(1));
    assert.equal(await node.ask("anvil_getBlobByHash", unknown), null);
    for (const hash of [plain, unknown]) assert.equal(await node.ask("anvil_getBlobsByTransactionHash", hash), null);
  });

  test("are cut to 32 bytes each where the flag is false, and whole where it is null", async () => {
    const [cut] = await node.ask<SidecarRecord[]>("eth_getBlobSidecars", "0x1", false);
    const whole = await node.ask<SidecarRecord>("eth_getBlobSidecarByTxHash", sent, null);

    assert.deepEqual(cut!.blobSidecar.blobs, [blobOf(1).slice(0, 66), blobOf(2).slice(0, 66)]);
    assert.deepEqual(cut!.blobSidecar.commitments, [POINT, POINT]);
    assert.deepEqual(await node.ask("eth_getBlobSidecarByTxHash", sent, false), cut);
    assert.equal(whole.blobSidecar.blobs[0]!.length, 2 + 2 * 131_072);
  });

  test("are none in a block without blobs, and null where there is no block or no blob (seed 7)", async () => {
    assert.deepEqual(await node.ask("eth_getBlobSidecars", "latest"), []);
    assert.deepEqual(await node.ask("eth_getBlobSidecars", "earliest"), []);
    assert.deepEqual(await node.ask("eth_getBlobSidecars", "finalized"), []);
    assert.equal(await node.ask("eth_getBlobSidecars", "0x99"), null);
    assert.equal(await node.ask("eth_getBlobSidecars", `0x${"12".repeat(32)}`), null);
    assert.equal(await node.ask("eth_getBlobSidecars", "pending"), null);
    assert.equal(await node.ask("eth_getBlobSidecarByTxHash", plain), null);
    assert.equal(await node.ask("eth_getBlobSidecarByTxHash", `0x${"12".repeat(32)}`), null);
  });

  test("are refused to who asks wrongly, in geth's words", async () => {
    const refuses = (message: string, ...params: unknown[]) =>
      assert.rejects(
        () => node.ask("eth_getBlobSidecars", ...params),
        (error) => error instanceof Refused && error.code === -32_602 && error.message === message,
      );

    await refuses("missing value for required argument 0");
    await refuses("too many arguments, want at most 2", "0x1", true, 1);
    await refuses("invalid argument 0: hex string without 0x prefix", "1");
    await refuses("invalid argument 0: blocknumber too high", "0xffffffffffffffff");
    await refuses("invalid argument 1: json: cannot unmarshal string into Go value of type bool", "0x1", "yes");
  });
});
