import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createMPTFromProof } from "@ethereumjs/mpt";
import { DevelopmentNode, EMITTER, emission, Refused, word } from "../../../test/support/developmentNode.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import type { Wire } from "../../chain/encoding/wire.ts";

const NOBODY = `0x${"c1".repeat(20)}`;
const NOWHERE = `0x${"ee".repeat(32)}`;

describe("methods that read", () => {
  let node: DevelopmentNode;
  let emitter: Hex;
  let sent: Hex;

  before(async () => {
    node = await DevelopmentNode.open({ version: "1.2.3" });
    emitter = await node.deploy(EMITTER);
    sent = await node.send({ to: emitter, data: emission(1, 5) });
    await node.send({ to: NOBODY, value: 7n });
  });

  after(() => node.close());

  const refuses = (code: number, message: RegExp, method: string, ...params: unknown[]) =>
    assert.rejects(
      () => node.ask(method, ...params),
      (error) => error instanceof Refused && error.code === code && message.test(error.message),
    );

  test("identify chain and client", async () => {
    assert.equal(await node.ask("eth_chainId"), "0x3c8");
    assert.equal(await node.ask("net_version"), "968");
    assert.equal(await node.ask("eth_blockNumber"), "0x3");
    assert.equal(await node.ask("eth_syncing"), false);
    assert.match(await node.ask<string>("web3_clientVersion"), /^anvil\/oriel\/1\.2\.3\//);
    assert.equal(
      await node.ask("web3_sha3", "0x68656c6c6f"),
      "0x1c8aff950685c2ed4bc3174f3472287b56d9517b9c948127319a09a7a36deac8",
    );
  });

  test("find blocks by number, tag and hash, and answer null for others", async () => {
    const block = await node.ask<Wire>("eth_getBlockByNumber", "0x2", false);

    assert.deepEqual(block.transactions, [sent]);
    assert.deepEqual(await node.ask("eth_getBlockByHash", block.hash, false), block);
    assert.equal((await node.ask<Wire>("eth_getBlockByNumber", "earliest")).number, "0x0");
    assert.equal((await node.ask<Wire>("eth_getBlockByNumber", "finalized")).number, "0x0");
    assert.equal((await node.ask<Wire>("eth_getBlockByNumber", "pending")).number, "0x4");
    assert.equal(await node.ask("eth_getBlockByNumber", "0x9", true), null);
    assert.equal(await node.ask("eth_getBlockByHash", NOWHERE, true), null);
    assert.equal(await node.ask("eth_getBlockTransactionCountByNumber", "0x2"), "0x1");
    assert.equal(await node.ask("eth_getBlockTransactionCountByHash", NOWHERE), null);
    assert.equal(await node.ask("eth_getUncleCountByBlockHash", block.hash), "0x0");
    assert.equal(await node.ask("eth_getUncleByBlockNumberAndIndex", "0x2", "0x0"), null);
  });

  test("find receipts by block and by transaction", async () => {
    const { hash } = await node.ask<{ hash: Hex }>("eth_getBlockByNumber", "0x2");
    const receipts = await node.ask<Wire[]>("eth_getBlockReceipts", "0x2");

    assert.deepEqual(await node.ask("eth_getTransactionReceipt", sent), receipts[0]);
    assert.deepEqual(await node.ask("eth_getBlockReceipts", hash), receipts);
    assert.deepEqual(await node.ask("eth_getBlockReceipts", { blockHash: hash }), receipts);
    assert.deepEqual(await node.ask("eth_getBlockReceipts", "earliest"), []);
    assert.equal(await node.ask("eth_getBlockReceipts", "0x9"), null);
    assert.equal(await node.ask("eth_getTransactionReceipt", NOWHERE), null);
  });

  test("find a transaction by hash, by place, and by sender and nonce", async () => {
    const tx = await node.ask<{ blockHash: Hex; nonce: Hex }>("eth_getTransactionByHash", sent);

    assert.deepEqual(await node.ask("eth_getTransactionByBlockNumberAndIndex", "0x2", "0x0"), tx);
    assert.deepEqual(await node.ask("eth_getTransactionByBlockHashAndIndex", tx.blockHash, "0x0"), tx);
    assert.equal(await node.ask("eth_getTransactionByBlockNumberAndIndex", "0x2", "0x1"), null);
    assert.deepEqual(await node.ask("eth_getTransactionBySenderAndNonce", node.account.address, tx.nonce), tx);
    assert.equal(await node.ask("eth_getTransactionBySenderAndNonce", node.account.address, "0x63"), null);
    assert.equal(await node.ask("eth_getTransactionBySenderAndNonce", emitter, "0x0"), null);
    assert.match(await node.ask<string>("eth_getRawTransactionByHash", sent), /^0x02f8/);
    assert.equal(await node.ask("eth_getRawTransactionByHash", NOWHERE), "0x");
  });

  test("read an account at any block, by default the head", async () => {
    assert.equal(await node.ask("eth_getBalance", NOBODY), "0x7");
    assert.equal(await node.ask("eth_getBalance", NOBODY, "0x2"), "0x0");
    assert.equal(await node.ask("eth_getTransactionCount", node.account.address, "0x1"), "0x1");
    assert.equal(await node.ask("eth_getTransactionCount", node.account.address), "0x3");
    assert.match(await node.ask<string>("eth_getCode", emitter, "latest"), /^0x6020355f52/);
    assert.equal(await node.ask("eth_getCode", emitter, "0x0"), "0x");
    assert.equal(await node.ask("eth_getStorageAt", emitter, "0x0"), word(5));
    assert.equal(await node.ask("eth_getStorageAt", emitter, "0x0", "0x1"), word(0));
    assert.deepEqual(await node.ask("eth_getStorageValues", { [emitter]: [word(0), word(1)] }), {
      [emitter]: [word(5), word(0)],
    });
    await refuses(-32_000, /^header not found$/, "eth_getBalance", NOBODY, "0x99");
    await refuses(-32_000, /^header for hash not found$/, "eth_getBalance", NOBODY, NOWHERE);
    await refuses(-32_602, /^empty request$/, "eth_getStorageValues", {});
    await refuses(-32_602, /^missing value for required argument 0$/, "eth_getBalance");
    await refuses(-32_602, /^too many arguments, want at most 2$/, "eth_getCode", NOBODY, "latest", 1);
  });

  test("count what waits where the block to come is asked about", async () => {
    await node.ask("evm_setAutomine", false);
    await node.send({ to: NOBODY, value: 1n });

    assert.equal(await node.ask("eth_getTransactionCount", node.account.address, "pending"), "0x4");
    assert.equal(await node.ask("eth_getTransactionCount", node.account.address, "latest"), "0x3");
    assert.equal(await node.ask("eth_getBalance", NOBODY, "pending"), "0x8");
    assert.deepEqual(await node.ask("txpool_status"), { pending: "0x1", queued: "0x0" });
    const content = await node.ask<{ pending: Record<string, Record<string, Wire>> }>("txpool_content");
    assert.equal(content.pending[node.account.address]?.["3"]?.nonce, "0x3");
    const { pending } = await node.ask<{ pending: Wire }>("txpool_contentFrom", node.account.address);
    assert.deepEqual(pending, content.pending[node.account.address]);
    const inspected = await node.ask<typeof content>("txpool_inspect");
    assert.match(String(inspected.pending[node.account.address]?.["3"]), /: 1 wei \+ 200000 gas × 10000000000 wei$/);

    await node.ask("evm_setAutomine", true);
    assert.deepEqual(await node.ask("txpool_status"), { pending: "0x0", queued: "0x0" });
  });

  test("prove an account and its slots against the state root", async () => {
    const { stateRoot } = await node.ask<{ stateRoot: Hex }>("eth_getBlockByNumber", "0x2");

    const proof = await node.ask<Wire>("eth_getProof", emitter, ["0x0", word(9)], "0x2");
    const absent = await node.ask<Wire>("eth_getProof", NOWHERE.slice(0, 42), [word(1)], "latest");

    const nodes = (proof.accountProof as Hex[]).map((text) => Buffer.from(text.slice(2), "hex"));
    const trie = await createMPTFromProof(nodes, { useKeyHashing: true });
    assert.equal(`0x${Buffer.from(trie.root()).toString("hex")}`, stateRoot);
    assert.deepEqual(
      (proof.storageProof as Wire[]).map(({ key, value }) => ({ key, value })),
      [
        { key: "0x0", value: "0x5" },
        { key: word(9), value: "0x0" },
      ],
    );
    assert.equal(absent.codeHash, word(0));
    assert.deepEqual(absent.storageProof, [{ key: word(1), value: "0x0", proof: [] }]);
  });

  test("give the bytes behind blocks and receipts", async () => {
    assert.match(await node.ask<string>("debug_getRawHeader", "0x0"), /^0xf902/);
    assert.match(await node.ask<string>("debug_getRawBlock", "latest"), /^0xf9/);
    assert.equal((await node.ask<string[]>("debug_getRawReceipts", "0x2")).length, 1);
    assert.equal(await node.ask("debug_getRawTransaction", sent), await node.ask("eth_getRawTransactionByHash", sent));
    await refuses(-32_602, /^invalid argument 0: hex string without 0x prefix$/, "debug_getRawBlock", "2");
    await refuses(-32_000, /^block not found$/, "debug_getRawBlock", "0x77");
  });
});
