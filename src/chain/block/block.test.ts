import assert from "node:assert/strict";
import { test } from "node:test";
import type { JSONRPCBlock } from "@ethereumjs/block";
import { createBlockFromRPC } from "@ethereumjs/block";
import { createCustomCommon, Hardfork, Mainnet } from "@ethereumjs/common";
import { SimulatedChain } from "../../../test/support/simulatedChain.ts";
import { toHex } from "../encoding/hex.ts";
import { decodeBlock, transactionHash, transactionsRoot } from "./block.ts";
import { headerHash, withdrawalsRoot } from "./header.ts";

const common = createCustomCommon({ chainId: 677 }, Mainnet, {
  hardfork: Hardfork.Prague,
  customCrypto: { kzg: {} as never },
});

test("blocks of all transaction types have the hashes, roots and size another library gives them", async () => {
  const chain = new SimulatedChain({ seed: 31 });
  chain.mine(60);
  const types = new Set<number>();

  for (let number = 0; number < chain.length; number++) {
    const wire = chain.wireBlock(number)!;
    const { header, transactions } = decodeBlock(wire, chain.wireReceipts(number));
    const theirs = createBlockFromRPC(wire as unknown as JSONRPCBlock, [], {
      common,
      skipConsensusFormatValidation: true,
    });

    for (const tx of transactions) types.add(tx.type);
    assert.equal(toHex(headerHash(header)), toHex(theirs.hash()));
    assert.deepEqual(
      transactions.map((tx) => toHex(transactionHash(tx))),
      theirs.transactions.map((tx) => toHex(tx.hash())),
    );
    assert.equal(toHex(transactionsRoot(transactions)), toHex(await theirs.genTxTrie()));
    assert.equal(await theirs.withdrawalsTrieIsValid(), true);
    assert.equal(toHex(withdrawalsRoot(header.withdrawals!)), toHex(theirs.header.withdrawalsRoot!));
    assert.equal(header.size, theirs.serialize().length);
  }
  assert.deepEqual([...types].sort(), [0, 1, 2, 3, 4]);
});

test("a block without full transactions is refused", () => {
  const chain = new SimulatedChain({ seed: 2, traffic: { transactions: [2, 2] } });
  chain.mine();
  const { block, receipts } = chain.head;

  for (const transactions of [undefined, null, {}, block.transactions.map((tx) => tx.hash), [null, null]]) {
    assert.throws(() => decodeBlock({ ...block, transactions }, receipts), { code: "upstream_invalid" });
  }
  for (const wrong of [undefined, null, [], "0x"]) {
    assert.throws(() => decodeBlock(wrong, receipts), { code: "upstream_invalid" });
  }
});
