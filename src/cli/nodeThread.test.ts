import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { temporaryDirectory } from "../../test/support/program.ts";
import { until } from "../../test/support/waiting.ts";
import { encodeCall } from "../chain/abi/encodeCall.ts";
import { KzgThread } from "../node/blobs/kzgThread.ts";
import { openStoreReadOnly } from "../store/openStore.ts";
import { IndexerThread } from "./indexerThread.ts";
import { NodeThread } from "./nodeThread.ts";

function openThread(t: TestContext, onReplaced = () => {}, directory = temporaryDirectory(t), kzg = new KzgThread()) {
  const restarts: string[] = [];
  const notice: string[] = [];
  const settings = { directory, chainId: 677, blockTime: 0, accounts: 2, mnemonic: undefined, gasLimit: 30_000_000 };
  const thread = new NodeThread(settings, kzg, {
    onReplaced,
    onError: () => {},
    onNotice: (line) => notice.push(line),
    onRestart: (reason) => restarts.push(reason),
    onWork: () => {},
  });
  t.after(async () => {
    await thread.stop();
    await kzg.close();
  });
  const ask = async (method: string, isTrusted = true) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [] });
    return (JSON.parse((await thread.handle(body, isTrusted))!) as { result?: unknown }).result;
  };
  return { thread, directory, restarts, notice, ask };
}

test("console.log of contracts is reported as a notice", async (t) => {
  const { thread, notice } = openThread(t);
  await thread.start();
  const data = encodeCall("log(string,uint256)", "sold for %d", 42);
  const params = [{ to: "0x000000000000000000636F6e736F6c652e6c6f67", data }, "latest"];
  await thread.handle(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_call", params }), true);

  await until("it is there", () => notice.length > 0);
  assert.deepEqual(notice, ["console.log: sold for 42"]);
});

/** An invalid message crashes the thread. */
const kill = (thread: NodeThread) => thread.connect().postMessage(null);

test("a node that dies is started again with its chain, and those who ask get its new thread", async (t) => {
  let replaced = 0;
  const { thread, restarts, ask } = openThread(t, () => replaced++);
  await assert.rejects(ask("eth_chainId"), { code: "upstream_unavailable" });
  const isOpen = thread.start();
  assert.equal(await ask("eth_chainId"), "0x2a5", "what is asked early waits");
  assert.equal((await isOpen).length, 2);
  await ask("evm_mine");
  assert.equal(await ask("eth_blockNumber"), "0x1");

  kill(thread);
  await until("it is noticed", () => restarts.length === 1);
  await assert.rejects(ask("eth_chainId"), { code: "upstream_unavailable", message: "the node is restarting" });
  await until("it is back", () => replaced === 1);

  assert.equal(await ask("eth_blockNumber"), "0x1");
  assert.match(restarts[0]!, /null/);
});

test("the node of another network never notices", async (t) => {
  const kzg = new KzgThread();
  const [dying, other] = [0, 1].map(() => openThread(t, () => {}, temporaryDirectory(t), kzg));
  await Promise.all([dying!.thread.start(), other!.thread.start()]);

  kill(dying!.thread);
  let blocks = 0;
  await until("it is back", async () => {
    await other!.ask("evm_mine");
    blocks++;
    return dying!.ask("eth_chainId").then(
      () => dying!.restarts.length === 1,
      () => false,
    );
  });

  assert.equal(await other!.ask("eth_blockNumber"), `0x${blocks.toString(16)}`);
  assert.equal(await dying!.ask("eth_blockNumber"), "0x0");
  assert.deepEqual(other!.restarts, []);
});

test("the indexer continues with a restarted node", async (t) => {
  const { thread, directory, ask } = openThread(t, () => indexer.reconnect());
  let indexed = -1;
  const follow = { poll: 50, integrity: "enforce", tokens: true, traces: true, dev: true, fromBlock: 0 } as const;
  const indexer = new IndexerThread(
    { chainId: 677, store: directory, ...follow },
    {
      onProgress: (progress) => {
        indexed = progress.indexed;
      },
      onState: () => {},
      onUnobserved: () => {},
      onUntraced: () => {},
      onUnranked: () => {},
      onBackfillDied: () => {},
      onDamage: () => {},
      onEvent: () => {},
      onTrust: () => {},
      onBlobsNotArchived: () => {},
      onUnannounced: () => {},
      onRestart: () => {},
      onWork: () => {},
    },
    { node: () => thread.connect() },
  );
  await thread.start();
  await indexer.start();
  t.after(() => indexer.stop());
  await ask("evm_mine");
  await until("block 1 is indexed", () => indexed === 1);

  kill(thread);
  await until("it can be asked again", () =>
    ask("evm_mine").then(
      () => true,
      () => false,
    ),
  );
  await until("block 2 is indexed", () => indexed === 2);

  const store = await openStoreReadOnly(directory);
  t.after(() => store.close());
  assert.equal((await store.latest.blocks.tip())!.number, 2);
});

test("a chain that cannot be opened says why", async (t) => {
  const directory = temporaryDirectory(t);
  writeFileSync(join(directory, "node.sqlite"), "no database at all ".repeat(1000));
  const { thread, restarts } = openThread(t, () => {}, directory);

  await assert.rejects(thread.start(), { code: "store_corrupt" });
  assert.deepEqual(restarts, []);
});
