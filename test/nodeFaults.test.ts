import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { NodeFault } from "./support/faultyProxy.ts";
import type { Compared } from "./support/nodeCluster.ts";
import { NodeCluster } from "./support/nodeCluster.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import { until } from "./support/waiting.ts";

const SEED = firstSeed();

/** Minutes that a run takes; without it every fault is met once. */
const MINUTES = Number(process.env.ORIEL_MINUTES ?? 0);

/** Milliseconds that a call may take, and that a block may take until it is indexed. */
const MAX_CALL = 1500;
const MAX_INDEXING = 2000;

const FAULTS: readonly NodeFault[] = [
  { kind: "hang" },
  { kind: "receipt" },
  { kind: "lag", blocks: 20 },
  { kind: "head", blocks: 1000 },
  { kind: "slow", milliseconds: 60 },
  { kind: "header" },
  { kind: "dead" },
  { kind: "log" },
  { kind: "slow", milliseconds: 3000 },
];

/** Maxima of a run, and the fault at that time. */
interface Seen {
  readonly calls: (Compared & { readonly during: string })[];
  /** Milliseconds until a block was indexed. */
  readonly delays: { readonly milliseconds: number; readonly during: string }[];
  /** Milliseconds that a call took for which no node is asked, where the machine was busy with other things. */
  slack: number;
}

function faultsOf({ proxies }: NodeCluster): string {
  return proxies.map(({ fault }) => JSON.stringify(fault ?? "well")).join(", ");
}

/** Makes blocks, asks and compares until the signal comes. */
async function runTraffic(cluster: NodeCluster, random: Random, signal: AbortSignal): Promise<Seen> {
  const seen: Seen = { calls: [], delays: [], slack: 0 };
  const mine = async () => {
    while (!signal.aborted) {
      await cluster.mine();
      await delay(random.between(150, 700));
    }
  };
  const ask = async () => {
    while (!signal.aborted) {
      const during = faultsOf(cluster);
      const call = await cluster.compareAny(random);
      seen.calls.push({ ...call, during });
      await delay(random.between(1, 60));
    }
  };
  const watch = async () => {
    for (let next = cluster.head + 1; !signal.aborted; ) {
      const indexed = await cluster.indexed();
      const now = performance.now();
      const note = (number: number, min: number) => {
        const milliseconds = now - (cluster.minedAt(number) ?? now);
        if (milliseconds > min) seen.delays.push({ milliseconds, during: faultsOf(cluster) });
      };
      for (; next <= indexed; next++) note(next, 0);
      note(next, MAX_INDEXING);
      await delay(25);
    }
  };
  const ping = async () => {
    while (!signal.aborted) {
      const began = performance.now();
      await delay(20);
      await cluster.ask("eth_chainId", []);
      seen.slack = Math.max(seen.slack, performance.now() - began - 20);
    }
  };
  await Promise.all([mine(), ask(), ask(), ask(), watch(), ping()]);
  return seen;
}

/** How `/status` shows a node that goes wrong. */
const STATES: Readonly<Record<NodeFault["kind"], string>> = {
  hang: "failing",
  dead: "failing",
  slow: "failing",
  lag: "behind",
  head: "invalid data",
  header: "invalid data",
  receipt: "invalid data",
  log: "invalid data",
  balance: "ok",
};

/** Waits until the status reports one node's fault, and none of the others. */
async function expectStates(cluster: NodeCluster, at: number, fault: NodeFault): Promise<void> {
  const isSlightly = fault.kind === "slow" && fault.milliseconds < 1000;
  const expected = cluster.proxies.map((_, index) => (index === at && !isSlightly ? STATES[fault.kind] : "ok"));
  const shown = async () => (await cluster.status()).upstreams.map(({ state }) => state);
  await until(`${JSON.stringify(fault)}: ${expected}`, async () => isDeepStrictEqual(await shown(), expected), 8);
  const { reason } = (await cluster.status()).upstreams[at]!;
  if (STATES[fault.kind] === "invalid data") assert.match(String(reason), /block|receipt|log/);
}

/** Lets one node after another go wrong, each in the next way, while the traffic runs. */
async function runFaults(t: TestContext, cluster: NodeCluster, faults: readonly NodeFault[]): Promise<void> {
  const random = new Random(SEED);
  const ending = new AbortController();
  const running = runTraffic(cluster, random.fork("traffic"), ending.signal);
  const problems: string[] = [];
  const end = performance.now() + MINUTES * 60_000;
  let at = 0;
  for (let turn = 0; turn < faults.length || performance.now() < end; turn++) {
    const fault = MINUTES > 0 ? random.pick(faults) : faults[turn]!;
    at = MINUTES > 0 ? random.int(cluster.proxies.length) : (at + 1) % cluster.proxies.length;
    cluster.proxies[at]!.fault = fault;
    await delay(MINUTES > 0 ? random.between(1500, 15_000) : 1000);
    if (MINUTES === 0) await expectStates(cluster, at, fault);
    cluster.proxies[at]!.repair();
    await delay(MINUTES > 0 ? random.between(0, 4000) : 300);
  }
  ending.abort();
  const { calls, delays, slack } = await running;

  for (const { method, problem, during } of calls) if (problem) problems.push(`${during}: ${method}: ${problem}`);
  const slowest = calls.toSorted((one, other) => other.milliseconds - one.milliseconds)[0]!;
  const longest = delays.toSorted((one, other) => other.milliseconds - one.milliseconds)[0]!;
  t.diagnostic(
    `${calls.length} calls, ${problems.length} wrong, slowest ${slowest.method} ${Math.round(slowest.milliseconds)} ms (${slowest.during}); ` +
      `${delays.length} blocks, indexed within ${Math.round(longest.milliseconds)} ms (${longest.during}); ` +
      `eth_chainId within ${Math.round(slack)} ms`,
  );
  assert.deepEqual(problems.slice(0, 5), []);
  assert.ok(slowest.milliseconds <= MAX_CALL + slack, `${slowest.method} took ${slowest.milliseconds} ms`);
  assert.ok(longest.milliseconds <= MAX_INDEXING + slack, `a block was indexed after ${longest.milliseconds} ms`);
}

test(`with one of three nodes going wrong answers stay right, calls short and the index up, seed ${SEED}`, async (t) => {
  const cluster = await NodeCluster.open(t, 3);

  await runFaults(t, cluster, FAULTS);
});

test(`with one of two nodes hanging or dead answers stay right, calls short and the index up, seed ${SEED}`, async (t) => {
  const cluster = await NodeCluster.open(t, 2);

  await runFaults(t, cluster, [{ kind: "hang" }, { kind: "dead" }]);
});
