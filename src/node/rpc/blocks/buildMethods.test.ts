import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { CHAIN_ID, DevelopmentNode, Refused } from "../../../../test/support/developmentNode.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";
import type { Wire } from "../../../chain/encoding/wire.ts";

interface Built {
  readonly executionPayload: Wire & { readonly transactions: Hex[] };
  readonly blockValue: Hex;
}

describe("testing_buildBlockV1", () => {
  let node: DevelopmentNode;
  let parent: { hash: Hex; timestamp: Hex };

  before(async () => {
    node = await DevelopmentNode.open({ mines: false });
    parent = await node.ask("eth_getBlockByNumber", "latest");
  });

  after(() => node.close());

  const attributes = () => ({
    parentBeaconBlockRoot: parent.hash,
    prevRandao: parent.hash,
    suggestedFeeRecipient: node.other.address,
    timestamp: `0x${(Number(parent.timestamp) + 12).toString(16)}`,
    withdrawals: [],
  });

  const transfer = (nonce: number): Promise<Hex> =>
    node.account.signTransaction({
      type: "eip1559",
      chainId: CHAIN_ID,
      nonce,
      gas: 21_000n,
      maxFeePerGas: 3_000_000_000n,
      maxPriorityFeePerGas: 500n,
      to: node.other.address,
    });

  test("makes a block of given transactions in their order and keeps nothing of it", async () => {
    const raw = [await transfer(0), await transfer(1)];

    const built = await node.ask<Built>("testing_buildBlockV1", parent.hash, attributes(), raw, "0x74657374");

    assert.deepEqual(built.executionPayload.transactions, raw);
    assert.equal(built.executionPayload.extraData, "0x74657374");
    assert.equal(built.executionPayload.parentHash, parent.hash);
    assert.equal(BigInt(built.blockValue), 2n * 21_000n * 500n);
    assert.equal(await node.ask("eth_blockNumber"), "0x0");
  });

  test("takes what waits where none are given, and nothing where the list is empty", async () => {
    await node.ask("eth_sendRawTransaction", await transfer(0));

    const taken = await node.ask<Built>("testing_buildBlockV1", parent.hash, attributes(), null, null);
    const empty = await node.ask<Built>("testing_buildBlockV1", parent.hash, attributes(), []);

    assert.deepEqual(taken.executionPayload.transactions, [await transfer(0)]);
    assert.deepEqual(empty.executionPayload.transactions, []);
    assert.deepEqual(await node.ask("txpool_status"), { pending: "0x1", queued: "0x0" });
  });

  test("refuses a transaction that cannot run and a parent it does not know", async () => {
    const gap = [await transfer(7)];
    const isRefused = (error: unknown) => error instanceof Refused && error.code === -32_000;

    await assert.rejects(() => node.ask("testing_buildBlockV1", parent.hash, attributes(), gap), isRefused);
    await assert.rejects(() => node.ask("testing_buildBlockV1", `0x${"00".repeat(32)}`, attributes(), []), isRefused);
  });
});
