import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { NodeFault } from "./support/faultyProxy.ts";
import { LostTime } from "./support/lostTime.ts";
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

/** A wait, the faults of that time, and the part of it in which the machine was busy with other things. */
interface Wait {
  readonly milliseconds: number;
  readonly lost: number;
  readonly during: string;
}

interface Seen {
  readonly calls: (Compared & Wait)[];
  /** Waits until a block was indexed. */
  readonly delays: Wait[];
  /** Longest wait for a response for which no node is asked. */
  readonly longestPing: number;
}

/** Milliseconds between two responses for which no node is asked, and those that one takes on an idle machine. */
const PING_INTERVAL = 20;
const PING_DURATION = 5;

function faultsOf({ proxies }: NodeCluster): string {
  return proxies.map(({ fault }) => JSON.stringify(fault ?? "well")).join(", ");
}

/** Makes blocks, asks and compares until the signal comes. */
async function runTraffic(cluster: NodeCluster, random: Random, signal: AbortSignal): Promise<Seen> {
  const calls: Seen["calls"] = [];
  const delays: Wait[] = [];
  const ping = async () => {
    await delay(PING_INTERVAL);
    await cluster.ask("eth_chainId", []);
  };
  const lost = new LostTime(ping, PING_INTERVAL + PING_DURATION);
  const mine = async () => {
    while (!signal.aborted) {
      await cluster.mine();
      await delay(random.between(150, 700));
    }
  };
  const ask = async () => {
    while (!signal.aborted) {
      const during = faultsOf(cluster);
      const began = performance.now();
      const call = await cluster.compareAny(random);
      calls.push({ ...call, during, lost: lost.since(began) });
      await delay(random.between(1, 60));
    }
  };
  const watch = async () => {
    for (let next = cluster.head + 1; !signal.aborted; ) {
      const indexed = await cluster.indexed();
      const now = performance.now();
      const note = (number: number, min: number) => {
        const mined = cluster.minedAt(number) ?? now;
        const wait = { milliseconds: now - mined, lost: lost.since(mined), during: faultsOf(cluster) };
        if (wait.milliseconds > min) delays.push(wait);
      };
      for (; next <= indexed; next++) note(next, 0);
      note(next, MAX_INDEXING);
      await delay(25);
    }
  };
  await Promise.all([mine(), ask(), ask(), ask(), watch(), lost.measure(signal)]);
  return { calls, delays, longestPing: lost.longest + PING_DURATION };
}

/** The wait that was longest by itself. */
function longestOf<W extends Wait>(waits: readonly W[]): W {
  const own = ({ milliseconds, lost }: Wait) => milliseconds - lost;
  return waits.toSorted((one, other) => own(other) - own(one))[0]!;
}

function describeWait({ milliseconds, lost, during }: Wait): string {
  return `${Math.round(milliseconds)} ms, ${Math.round(lost)} of them lost to other work (${during})`;
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
  const { calls, delays, longestPing } = await running;

  for (const { method, problem, during } of calls) if (problem) problems.push(`${during}: ${method}: ${problem}`);
  const slowest = longestOf(calls);
  const longest = longestOf(delays);
  t.diagnostic(
    `${calls.length} calls, ${problems.length} wrong, slowest ${slowest.method} ${describeWait(slowest)}; ` +
      `${delays.length} blocks, indexed within ${describeWait(longest)}; eth_chainId within ${Math.round(longestPing)} ms`,
  );
  assert.deepEqual(problems.slice(0, 5), []);
  assert.ok(slowest.milliseconds - slowest.lost < MAX_CALL, `${slowest.method} took ${describeWait(slowest)}`);
  assert.ok(longest.milliseconds - longest.lost < MAX_INDEXING, `a block was indexed after ${describeWait(longest)}`);
}

test(`with one of three nodes going wrong answers stay right, calls short and the index up, seed ${SEED}`, async (t) => {
  const cluster = await NodeCluster.open(t, 3);

  await runFaults(t, cluster, FAULTS);
});

test(`with one of two nodes hanging or dead answers stay right, calls short and the index up, seed ${SEED}`, async (t) => {
  const cluster = await NodeCluster.open(t, 2);

  await runFaults(t, cluster, [{ kind: "hang" }, { kind: "dead" }]);
});
