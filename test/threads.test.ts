import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { Worker } from "node:worker_threads";
import { pino } from "pino";
import { Network } from "../src/cli/network.ts";
import { networksToStart } from "../src/cli/networks.ts";
import { ProgressLine } from "../src/cli/progress.ts";
import { Screen } from "../src/cli/screen.ts";
import { readInvocation } from "../src/invocation.ts";
import { KzgThread } from "../src/node/blobs/kzgThread.ts";
import type { Json } from "./support/api.ts";
import { get, temporaryDirectory } from "./support/program.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import { startSimulatedNode } from "./support/simulatedNode.ts";
import { until } from "./support/waiting.ts";

/** A network in this process, what it writes, and the threads it starts. */
async function startNetwork(t: TestContext, flags: readonly string[]) {
  const threads: Worker[] = [];
  const onStart = { kill: false };
  const note = (thread: Worker) => {
    threads.push(thread);
    if (onStart.kill) kill(thread);
  };
  process.on("worker", note);
  const output = { text: "", write: (text: string) => (output.text += text) };
  const kzg = new KzgThread();
  const settings = ["start", ...flags, "--data", temporaryDirectory(t), "--port", "0", "--poll", "50"];
  const [target] = networksToStart(readInvocation(settings, {}));
  const network = new Network(target!, new ProgressLine(new Screen(output)), {
    kzg,
    logger: pino({ level: "silent" }),
    targets: [],
    role: "start",
  });
  t.after(async () => {
    await network[Symbol.asyncDispose]();
    await kzg.close();
    process.off("worker", note);
  });
  const serving = await network.serve();
  await network.follow();
  await until("it is ready", async () => (await get(`${serving.url}/ready`)).status === 200);
  return { url: serving.url, threads, onStart, output };
}

/** A message with an invalid port crashes a thread. */
const kill = (thread: Worker) => thread.postMessage({ port: 1 });

async function metric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { headers: { connection: "close" } })).text();
  const line = text.split("\n").find((candidate) => candidate.startsWith(name));
  return Number(line?.split(" ").at(-1));
}

test("an indexer that crashes after each start is reported as dead until it works again", async (t) => {
  const chain = new SimulatedChain({ seed: 9, traffic: { transactions: [0, 2] } });
  chain.mine(10);
  const node = await startSimulatedNode(chain);
  t.after(() => node.close());
  const { url, threads, onStart, output } = await startNetwork(t, ["--rpc", node.url]);
  const status = async () => (await get(`${url}/status`)).body as { threads: Json[]; indexer: Json; indexed: Json };
  assert.deepEqual((await status()).threads, [{ name: "indexer", running: true, restarts: 0, reason: null }]);

  onStart.kill = true;
  kill(threads.at(-1)!);
  const seen = new Set<unknown>();
  await until("it has died twice", async () => {
    const { threads: shown, indexer } = await status();
    if (shown[0]!.restarts !== 0) seen.add(indexer.state);
    return (shown[0]!.restarts as number) >= 2;
  });

  assert.deepEqual([...seen], ["stopped"], "between two deaths as well");
  const { threads: shown, indexer } = await status();
  assert.equal(shown[0]!.running, false);
  assert.equal(indexer.message, `its thread ended (${shown[0]!.reason}) and is started again`);
  assert.deepEqual(await get(`${url}/ready`), {
    status: 503,
    body: { status: "not ready", reason: "the thread of the indexer ended and is started again", index_age_seconds: 0 },
  });
  assert.equal(await metric(url, "oriel_indexer_running"), 0);
  assert.equal(await metric(url, 'oriel_thread_running{thread="indexer"'), 0);
  assert.ok((await metric(url, 'oriel_thread_restarts_total{thread="indexer"')) >= 2);
  assert.match(output.text, /the indexer ended \(.+\) and starts again\n/);

  onStart.kill = false;
  chain.mine(1);
  await until("it is ready again", async () => (await get(`${url}/ready`)).status === 200);
  await until("it goes on", async () => (await status()).indexed.number === 11);
  assert.equal(await metric(url, "oriel_indexer_running"), 1);
  assert.equal(await metric(url, 'oriel_thread_running{thread="indexer"'), 1);
});

test("a node that crashes is reported as dead until its chain is open again", async (t) => {
  const { url, threads } = await startNetwork(t, ["--network", "testnet", "--no-demo"]);
  const node = threads.at(-2)!;
  const ready = () => get(`${url}/ready`);

  kill(node);
  const reason = "the thread of the node ended and is started again";
  await until("it is said", async () => (await ready()).body.reason === reason);
  await until("it is back", async () => (await ready()).status === 200);

  assert.equal(await metric(url, 'oriel_thread_restarts_total{thread="node"'), 1);
  assert.equal(await metric(url, 'oriel_thread_restarts_total{thread="indexer"'), 0);
});

test("a reorg is a line of the log and is counted, with its depth and its time", async (t) => {
  const chain = new SimulatedChain({ seed: 9, traffic: { transactions: [0, 2] } });
  chain.mine(10);
  const node = await startSimulatedNode(chain);
  t.after(() => node.close());
  const { url, output } = await startNetwork(t, ["--rpc", node.url, "--dev"]);

  for (const [depth, length] of [
    [3, 4],
    [1, 2],
  ] as const) {
    chain.fork(depth, length);
    await until(
      "it is followed",
      async () => ((await get(`${url}/status`)).body.indexed as Json).hash === chain.head.hash,
    );
  }
  chain.reset();
  chain.mine(2);
  await until(
    "it begins again",
    async () => ((await get(`${url}/status`)).body.indexed as Json)?.hash === chain.head.hash,
  );

  assert.match(output.text, /\nreorg: 3 blocks taken back in \d+ ms, from 10 to 7\n/);
  assert.match(output.text, /\nreorg: 1 block taken back in \d+ ms, from 11 to 10\n/);
  assert.match(output.text, /\nindex cleared in \d+ ms to begin again: the chain began again\n/);
  assert.equal(await metric(url, "oriel_reorg_depth_blocks_count"), 2);
  assert.equal(await metric(url, "oriel_reorg_depth_blocks_sum"), 4);
  assert.equal(await metric(url, "oriel_reorg_duration_seconds_count"), 2);
  assert.equal(await metric(url, "oriel_clears_total"), 1);
});
