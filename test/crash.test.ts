import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { toHex } from "../src/chain/encoding/hex.ts";
import { asChainError } from "../src/chain/error.ts";
import { transfersOf } from "../src/indexer/events/transfers.ts";
import { auditStore } from "../src/store/audit/audit.ts";
import { openStoreReadOnly } from "../src/store/openStore.ts";
import { auditTokens } from "../src/store/stages/tokens/audit/tokenAudit.ts";
import { readTokenTip } from "../src/store/stages/tokens/tables/tokenTip.ts";
import type { Program } from "./support/program.ts";
import { get, runProgram, temporaryDirectory } from "./support/program.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import { startSimulatedNode } from "./support/simulatedNode.ts";
import { Honest } from "./support/trial.ts";
import { until } from "./support/waiting.ts";

const KILLS = Number(process.env.ORIEL_KILLS ?? 5);
const SEED = firstSeed();

/** Runs with the tokens stage. In the others it is left behind, and derived in those that follow. */
const WITH_TOKENS = 0.75;

const SMALL_BLOCKS = { transactions: [0, 2], logs: [1, 2], withdrawals: [0, 1] } as const;

/** A fork this deep can always be followed, wherever the index is. */
const MAX_REORG = 200;

async function openChain(t: TestContext) {
  const chain = new SimulatedChain({ seed: SEED, traffic: SMALL_BLOCKS });
  const node = await startSimulatedNode(chain);
  t.after(() => node.close());
  node.faults.set({ transport: ["delay"], delayMs: 4 });
  const data = temporaryDirectory(t);
  const command = ["start", "--rpc", node.url, "--data", data, "--port", "0", "--poll", "50"];
  const start = (tokens: boolean) => runProgram(t, tokens ? [...command, "--tokens"] : command);
  return { chain, node, data, start };
}

/** The chain goes on while the program runs: blocks, and now and then a fork. */
async function liveOn(chain: SimulatedChain, random: Random, milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds;
  for (let left = milliseconds; left > 0; left = end - performance.now()) {
    await delay(Math.min(left, random.between(5, 30)));
    const depth = random.between(1, Math.min(12, chain.length - 1));
    if (random.chance(0.2)) chain.fork(depth, depth + random.int(3));
    else chain.mine(random.between(1, 3));
  }
}

/** Before a run: a stretch to catch up with, and sometimes a fork, also one below what the index has reached. */
function change(chain: SimulatedChain, random: Random, tip: number): void {
  chain.mine(random.between(5, 30));
  if (!random.chance(0.5)) return;
  const isBelowTip = tip > 0 && random.chance(0.7);
  const depth = isBelowTip ? chain.head.number - tip + random.between(0, 40) : random.between(1, 40);
  const max = Math.min(depth, MAX_REORG, chain.length - 1);
  chain.fork(max, max + random.between(1, 20));
}

/** Moments from which on the program is killed, in turn: at once, while it fetches, while it writes. */
const ANCHORS = ["spawned", "asking", "committed", "asking", "committed", "spawned", "asking", "committed"] as const;

interface Moment {
  readonly anchor: (typeof ANCHORS)[number];
  readonly isAsking: () => boolean;
}

async function killAfter({ anchor, isAsking }: Moment, program: Program, chain: SimulatedChain, random: Random) {
  const isReached = { spawned: () => true, asking: isAsking, committed: () => /block \d+ of/.test(program.stdout) };
  await until(anchor, () => isReached[anchor]() || program.child.exitCode !== null);
  await liveOn(chain, random, random.between(20, 400));
  return program.stop("SIGKILL");
}

test(`${KILLS} random kill -9 during ingest: continued, and equal to an uninterrupted run (seed ${SEED})`, async (t) => {
  const random = new Random(SEED);
  const { chain, node, data, start } = await openChain(t);
  const honest = new Honest([chain]);
  const seen = { inside: 0, moved: 0, behind: 0, together: 0 };
  let before: string | undefined;
  let tip = 0;
  chain.mine(60);
  for (let kill = 0; kill < KILLS; kill++) {
    const asked = node.requests.length;
    const isAsking = () =>
      node.requests.slice(asked).some(({ calls }) => calls.some(({ params }) => params[1] === true));
    const program = start(random.chance(WITH_TOKENS));
    const ending = await killAfter({ anchor: ANCHORS[kill % ANCHORS.length]!, isAsking }, program, chain, random);
    assert.equal(ending.signal, "SIGKILL", ending.stderr);
    assert.equal(ending.stderr, "");
    const found = existsSync(join(data, "index.sqlite")) ? await readTip(honest, data) : undefined;
    if (found !== undefined) {
      tip = found.number;
      if (tip > 0 && found.hash !== chain.head.hash) seen.inside++;
      if (found.hash !== before) seen.moved++;
      if (found.tokens === tip) seen.together++;
      else if (found.tokens !== undefined) seen.behind++;
      before = found.hash;
    }
    change(chain, random, tip);
  }
  const url = await start(true).url();
  await until("the head is indexed", async () => {
    const { indexed, stages } = (await get(`${url}/status`)).body;
    const areAtHead = (stages as { block: number }[]).every(({ block }) => block === chain.head.number);
    return (indexed as { hash: string } | null)?.hash === chain.head.hash && areAtHead;
  });

  t.diagnostic(`${KILLS} kills, ${chain.length} blocks: ${Object.entries(seen).map(String)}`);
  assert.equal((await readTip(honest, data))?.hash, chain.head.hash);
  const store = await openStoreReadOnly(data);
  t.after(() => store.close());
  assert.deepEqual(
    [...(await store.read(auditStore)), ...(await store.read((session) => auditTokens(session, transfersOf)))],
    [],
  );
  assert.equal((await readTokenTip(store.database))?.number, chain.head.number);
  assert.ok(seen.inside >= KILLS * 0.5 && seen.moved >= KILLS * 0.3, JSON.stringify(seen));
  assert.ok(seen.together >= KILLS * 0.2, JSON.stringify(seen));
});

interface Found {
  readonly number: number;
  readonly hash: string;
  /** How far the tokens stage is. */
  readonly tokens: number | undefined;
}

async function tokensAt(data: string): Promise<number | undefined> {
  const store = await openStoreReadOnly(data);
  const tip = await readTokenTip(store.database);
  await store.close();
  return tip?.number;
}

/** Undefined when it was killed before the first block was there. */
async function readTip(honest: Honest, data: string): Promise<Found | undefined> {
  try {
    const tip = await honest.expectIn(data);
    return tip && { number: tip.number, hash: toHex(tip.hash), tokens: await tokensAt(data) };
  } catch (error) {
    if (asChainError(error).code === "not_found") return undefined;
    throw error;
  }
}
