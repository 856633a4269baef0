import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { DevelopmentNode, EMITTER, emission, word } from "../../test/support/developmentNode.ts";
import { decodeBlock, receiptsRoot, transactionsRoot } from "../chain/block/block.ts";
import { headerHash } from "../chain/block/header.ts";
import type { Hex } from "../chain/encoding/hex.ts";
import { toHex } from "../chain/encoding/hex.ts";
import type { Wire } from "../chain/encoding/wire.ts";
import type { MinedBlock } from "./block/minedBlock.ts";
import { presentBlock, presentReceipts } from "./present.ts";

const COMMITMENT: Hex = `0xc0${"00".repeat(47)}`;

function versionedHash(commitment: Hex): Hex {
  const hash = createHash("sha256")
    .update(Buffer.from(commitment.slice(2), "hex"))
    .digest();
  hash[0] = 1;
  return toHex(hash);
}

describe("what is presented", () => {
  let node: DevelopmentNode;
  let emitter: Hex;

  before(async () => {
    node = await DevelopmentNode.open();
    emitter = await node.deploy(EMITTER);
    const accessList = [{ address: emitter, storageKeys: [word(0), word(1)] }];
    await node.send({ type: "legacy", to: emitter, data: emission(1, 7) });
    await node.send({ type: "eip2930", to: emitter, data: emission(2, 7), accessList });
    await node.send({ to: emitter, data: emission(3, 7), accessList });
    const sidecars = [{ blob: `0x${"00".repeat(131_072)}`, commitment: COMMITMENT, proof: COMMITMENT }];
    await node.send({
      type: "eip4844",
      maxFeePerBlobGas: 10n,
      blobVersionedHashes: [versionedHash(COMMITMENT)],
      sidecars,
    });
    const authorization = await node.other.signAuthorization({ contractAddress: emitter, chainId: 968, nonce: 0 });
    await node.send({ type: "eip7702", authorizationList: [authorization] });
  });

  after(() => node.close());

  const blocks = (): MinedBlock[] => {
    const { chain } = node.node.context;
    return Array.from({ length: chain.head.header.number + 1 }, (_, number) => chain.block(number)!);
  };

  test("decodes to the block it was, for each type of transaction", () => {
    const types = new Set<number>();
    for (const block of blocks()) {
      const decoded = decodeBlock(presentBlock(block, true), presentReceipts(block));

      // From type 2 on nodes report the effective price as `gasPrice`.
      const prices = decoded.transactions.map((tx) => tx.gasPrice);
      const transactions = decoded.transactions.map(({ gasPrice, ...tx }) => (tx.type < 2 ? { ...tx, gasPrice } : tx));
      assert.deepEqual(
        prices.map(hex),
        block.receipts.map(({ effectiveGasPrice }) => hex(effectiveGasPrice)),
      );
      assert.deepEqual(plain(transactions), plain(block.transactions));
      assert.deepEqual(plain(decoded.receipts), plain(block.receipts));
      assert.deepEqual(plain(decoded.header), plain(block.header));
      for (const { type } of block.transactions) types.add(type);
    }
    assert.deepEqual([...types].sort(), [0, 1, 2, 3, 4]);
  });

  test("hashes to the roots the header commits to", () => {
    for (const block of blocks()) {
      const { header, transactions, receipts } = decodeBlock(presentBlock(block, true), presentReceipts(block));

      assert.equal(hex(headerHash(header)), hex(block.header.hash));
      assert.equal(hex(transactionsRoot(transactions)), hex(header.transactionsRoot));
      assert.equal(hex(receiptsRoot(transactions, receipts)), hex(header.receiptsRoot));
    }
  });

  test("is a block in the order of the alphabet and a transaction in geth's", async () => {
    const block = await node.ask<Wire>("eth_getBlockByNumber", "latest", true);
    const [tx] = block.transactions as [Wire];

    assert.deepEqual(Object.keys(block), Object.keys(block).sort());
    assert.deepEqual(
      Object.keys(tx),
      `blockHash blockNumber blockTimestamp from gas gasPrice maxFeePerGas maxPriorityFeePerGas hash input nonce to
       transactionIndex value type accessList chainId authorizationList v r s yParity`.split(/\s+/),
    );
    assert.deepEqual(Object.keys((tx.authorizationList as Wire[])[0]!), "chainId address nonce yParity r s".split(" "));
  });

  test("has neither place nor block while a transaction waits, and its highest price", async () => {
    await node.ask("evm_setAutomine", false);
    const hash = await node.send({ to: emitter });

    const tx = await node.ask<Wire>("eth_getTransactionByHash", hash);
    const pending = await node.ask<Wire>("eth_getBlockByNumber", "pending", true);
    await node.ask("evm_setAutomine", true);
    const mined = await node.ask<Wire>("eth_getTransactionByHash", hash);

    assert.deepEqual([tx.blockHash, tx.blockNumber, tx.blockTimestamp, tx.transactionIndex], [null, null, null, null]);
    assert.equal(tx.gasPrice, tx.maxFeePerGas);
    assert.deepEqual([pending.hash, pending.nonce, pending.miner], [null, null, null]);
    assert.deepEqual(pending.transactions, [tx]);
    assert.equal(mined.transactionIndex, "0x0");
    assert.ok(BigInt(mined.gasPrice as string) < BigInt(mined.maxFeePerGas as string));
  });
});

function hex(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? "" : toHex(bytes);
}

/** Bytes as hex, so that views and copies compare equal. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return toHex(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([key, item]) => [key, plain(item)]));
}
