import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { MessageChannel } from "node:worker_threads";
import { Indexer } from "../../src/indexer/indexer.ts";
import { STAGES } from "../../src/indexer/stages.ts";
import { TraceFollower } from "../../src/indexer/traces/traceFollower.ts";
import { PortClient, servePort } from "../../src/jsonrpc/port.ts";
import { TEST_MNEMONIC } from "../../src/node/accounts/accounts.ts";
import { Node } from "../../src/node/node.ts";
import { Upstream } from "../../src/source/upstream.ts";
import { IN_MEMORY } from "../../src/store/engine/databases.ts";
import { openStore, openStoreReadOnly } from "../../src/store/openStore.ts";
import { fingerprint } from "../support/fingerprint/fingerprint.ts";
import { indexTraced } from "../support/indexTraced.ts";
import { NetworkLoad } from "../support/networkLoad.ts";
import { ask } from "../support/networkProgram.ts";
import { urlsOf } from "../support/networks.ts";
import type { Program } from "../support/program.ts";
import { get, runProgram, temporaryDirectory } from "../support/program.ts";
import { Random } from "../support/random.ts";
import { firstSeed } from "../support/seed.ts";
import { until } from "../support/waiting.ts";

const KILLS = Number(process.env.ORIEL_KILLS ?? 2);
const SEED = firstSeed();

const CHAINS = { mainnet: 677, testnet: 968 };
const NAMES = ["mainnet", "testnet"] as const;

type Urls = Record<string, string>;

/** Waits until the index of every network is at the head of its chain. */
async function indexed(urls: Urls): Promise<void> {
  for (const url of Object.values(urls)) {
    await until(`${url} is indexed`, async () => {
      const { hash } = await ask<{ hash: string }>(url, "eth_getBlockByNumber", "latest", false);
      const { stages, traces, indexed: tip } = (await get(`${url}/status`)).body as unknown as Status;
      const isTraced = traces !== null && traces.block === tip?.number;
      return tip?.hash === hash && isTraced && stages.every(({ block }) => block === tip.number);
    });
  }
}

interface Status {
  readonly indexed: { readonly number: number; readonly hash: string } | null;
  readonly stages: readonly { readonly block: number }[];
  readonly traces: { readonly block: number } | null;
}

/** Compares the index in a directory with one built from scratch. */
async function expectJoined(directory: string, chainId: number): Promise<number> {
  const node = await Node.open({
    directory,
    chainId,
    blockTime: 0,
    accounts: 10,
    mnemonic: TEST_MNEMONIC,
    gasLimit: 30_000_000,
    kzg: { verify: async () => true },
    mines: false,
  });
  const { port1, port2 } = new MessageChannel();
  servePort(port1, (body, isTrusted) => node.handle(body, isTrusted));
  const port = new PortClient();
  port.use(port2);
  const source = new Upstream({ port, chainId, authoritative: true });
  const [fresh, store] = [await openStore(IN_MEMORY, chainId), await openStoreReadOnly(directory)];
  try {
    const traces = new TraceFollower({ store: fresh, source });
    const indexer = new Indexer({ store: fresh, source, stages: STAGES, traces, integrity: "enforce" });
    await indexTraced(indexer, traces)();
    assert.equal(await store.read(fingerprint), await fresh.read(fingerprint));
    return (await store.latest.blocks.tip())!.number;
  } finally {
    await Promise.all([source.close(), fresh.close(), store.close(), node.close()]);
  }
}

async function expectWhole(t: TestContext, data: string): Promise<number[]> {
  const heads: number[] = [];
  for (const name of NAMES) {
    heads.push(await expectJoined(join(data, name), CHAINS[name]));
    const audit = await runProgram(t, ["audit", "--data", data, "--network", name]).ended;
    assert.deepEqual([audit.code, audit.stdout.split("\n").at(-2)], [0, "no differences"], audit.stderr);
  }
  return heads;
}

/** Under load for a while, then gone. Now and then it is not even given the time to open, but for the last time. */
async function killUnderLoad(
  program: Program,
  loads: readonly NetworkLoad[],
  random: Random,
  isLast: boolean,
): Promise<void> {
  if (random.chance(0.15) && !isLast) {
    await delay(random.between(100, 1200));
    await program.stop("SIGKILL");
    return;
  }
  const urls = await urlsOf(program);
  for (const [index, name] of NAMES.entries()) await loads[index]!.expectKept(urls[name]!);
  const blobs = random.chance(0.4);
  const running = loads.map((load, index) =>
    load.run(urls[NAMES[index]!]!, { clients: random.between(2, 6), blobs: blobs && index === 0 }),
  );
  if (isLast) await until("a receipt was told", async () => loads.every(({ receipts }) => receipts.size > 0));
  await delay(random.between(100, 1500));
  await program.stop("SIGKILL");
  for (const load of loads) load.stop();
  await Promise.all(running);
}

test(`${KILLS} random kill -9 of both networks under load: nothing acknowledged is lost (seed ${SEED})`, async (t) => {
  const random = new Random(SEED);
  const data = temporaryDirectory(t);
  const start = (...args: string[]) => runProgram(t, ["start", "--port", "0", "--data", data, ...args]);
  const loads = NAMES.map((name) => new NetworkLoad(CHAINS[name]));
  for (let kill = 0; kill < KILLS; kill++) {
    const program = start(...(kill % 3 === 1 ? ["--block-time", "1"] : []));
    await killUnderLoad(program, loads, random, kill === KILLS - 1);
    assert.equal(program.stderr, "");
  }
  const last = start();
  const urls = await urlsOf(last);
  for (const [index, name] of NAMES.entries()) {
    await loads[index]!.expectKept(urls[name]!);
    await ask(urls[name]!, "evm_mine");
  }
  await indexed(urls);
  const { code, stderr } = await last.stop("SIGTERM");

  assert.deepEqual([code, stderr], [143, ""]);
  const heads = await expectWhole(t, data);
  const reported = loads.map(({ answered, receipts }) => `${answered.size} sent, ${receipts.size} receipts`);
  t.diagnostic(`${KILLS} kills, blocks up to ${heads.join(" and ")}; ${reported.join("; ")}`);
  assert.deepEqual(
    loads.flatMap(({ refusals }) => refusals),
    [],
  );
  for (const { receipts } of loads) assert.ok(receipts.size > 0);
});

const FIRST_KILLS = Math.ceil(KILLS / 4);

test(`${FIRST_KILLS} kill -9 while the first block is made: the next start makes it (seed ${SEED})`, async (t) => {
  const random = new Random(SEED);
  for (let kill = 0; kill < FIRST_KILLS; kill++) {
    const data = temporaryDirectory(t);
    const args = ["start", "--port", "0", "--data", data];
    const first = runProgram(t, args);
    const file = join(data, random.pick(NAMES), "node.sqlite");
    while (!existsSync(file)) await delay(1);
    await delay(random.between(0, 60));
    await first.stop("SIGKILL");

    const second = runProgram(t, args);
    const urls = await urlsOf(second);
    for (const url of Object.values(urls)) await ask(url, "evm_mine");
    await indexed(urls);
    await second.stop();

    assert.equal(first.stderr + second.stderr, "");
    for (const name of NAMES) assert.equal(await expectJoined(join(data, name), CHAINS[name]), 1);
  }
});
