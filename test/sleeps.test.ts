import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

type Allowed = Readonly<Record<string, readonly [count: number, reason: string]>>;

/** Tests wait for events, turns of the event loop or a clock they move. These timers remain, each for its reason. */
const SLEEPS: Allowed = {
  "src/demo/demonstration.test.ts": [1, "nothing is written while the disk is full"],
  "src/node/precompiles/precompiles.test.ts": [2, "paces the calls of another client"],
  "src/query/node/nodeState.test.ts": [2, "latency of a simulated node"],
  "src/source/client.test.ts": [1, "the kernel closes a connection"],
  "src/source/pool/firstAnswer.test.ts": [2, "latency of simulated nodes"],
  "src/source/pool/pool.test.ts": [1, "latency of simulated nodes"],
  "src/source/ws/headSubscription.test.ts": [1, "no further announcement follows"],
  "src/store/keys/keyCrash.test.ts": [1, "kills at random moments"],
  "test/blobArchive.test.ts": [1, "requests wait for the index"],
  "test/cliServe.test.ts": [3, "signals at moments of a start; a line is printed once"],
  "test/clients/ethers.test.ts": [1, "ethers uninstalls filters in the background"],
  "test/clients/viemTestClient.test.ts": [2, "no block is mined once interval mining is off"],
  "test/crash.test.ts": [1, "kills at random moments"],
  "test/developmentNodes.test.ts": [1, "actions at random moments"],
  "test/embedded/attacks.test.ts": [3, "paces the calls of another client; no block is mined after a disconnect"],
  "test/embedded/follow.test.ts": [1, "paces the reads of another client"],
  "test/embedded/kill.test.ts": [4, "kills at random moments"],
  "test/gatewayRequests.test.ts": [1, "paces changes of the chain"],
  "test/hungNodes.test.ts": [3, "a slow node keeps answering late; probes how busy the machine is"],
  "test/nodeFaults.test.ts": [6, "paces blocks, calls and faults of a running program"],
  "test/observe.test.ts": [1, "latency of a simulated contract"],
  "test/postgresWriter.test.ts": [1, "nobody takes over"],
  "test/quorum.test.ts": [1, "bounds the wait for a node that hangs"],
  "test/servedDecoding.test.ts": [2, "latency of a simulated node; requests of the indexer end"],
  "test/sharedProcess.test.ts": [1, "a timer that does not keep a process alive"],
  "test/spec/actionBalances.test.ts": [1, "a cached head expires"],
  "test/spec/restCsv.test.ts": [1, "reads of an aborted response end"],
  "test/strayErrors.test.ts": [1, "an error in a later turn of a test process"],
  "test/subscription.test.ts": [2, "blocks at random moments; polls for them"],
  "test/support/anvilNode.ts": [1, "polls for a receipt"],
  "test/support/faultyProxy.ts": [1, "latency of a simulated node"],
  "test/support/networkLoad.ts": [1, "paces transactions"],
  "test/support/nodeCluster.ts": [1, "polls the index"],
  "test/support/program.ts": [1, "polls the output of a program"],
  "test/support/realPlayer.ts": [2, "a node sets its own time of blocks"],
  "test/support/simulatedTransport.ts": [2, "latency of a simulated node"],
  "test/support/takeoverCampaign.ts": [3, "faults at random moments; paces requests and blocks"],
  "test/support/waiting.ts": [1, "polls a condition"],
  "test/upstreams.test.ts": [2, "paces an indexer"],
};

/** Bounds on elapsed time hold on a busy machine too; everything else measures CPU time of the thread. */
const WALL_CLOCK: Allowed = {
  "src/node/precompiles/precompiles.test.ts": [1, "a timeout of one second, within ten"],
  "src/node/reserveBlocks.test.ts": [1, "CPU time"],
  "test/blobArchive.test.ts": [1, "no wait for the index"],
  "test/cliServe.test.ts": [2, "a signal, and a node that is gone, within five seconds"],
  "test/hungNodes.test.ts": [6, "answers next to a node that hangs, less the time lost to other work"],
  "test/nodeFaults.test.ts": [1, "answers next to faulty nodes, less the time lost to other work"],
  "test/servedDecoding.test.ts": [1, "one timeout of a node, within ten seconds"],
  "test/spec/restFuzz.test.ts": [1, "waits of five seconds are tried again"],
  "test/spec/restObservedTokens.test.ts": [1, "one timeout of a node, within eight seconds"],
  "test/subscription.test.ts": [2, "announced blocks are not polled for"],
};

const TIMER = /setTimeout(?: as (\w+))?[^}]*\} from "node:timers\/promises"/;
const RESOLVED_BY_TIMER = /setTimeout\((?:resolve|done)\b/g;
const ELAPSED = /performance\.now\(\) - \w+ <|\b(?:milliseconds|seconds|took|median|worst|waited|ms) < /g;

const countOf = (source: string, pattern: RegExp) => source.match(pattern)?.length ?? 0;

function sleepsIn(source: string): number {
  const timer = TIMER.exec(source);
  const calls = timer === null ? 0 : countOf(source, new RegExp(`(?<![\\w.])${timer[1] ?? "setTimeout"}\\(`, "g"));
  return calls + countOf(source, RESOLVED_BY_TIMER);
}

function counts(count: (source: string) => number): Record<string, number> {
  const files = globSync(["src/**/*.test.ts", "test/**/*.ts"], {
    cwd: root,
    exclude: (name) => name === "node_modules",
  }).sort();
  const found = files.map(
    (file) => [file, count(readFileSync(new URL(`../${file}`, import.meta.url), "utf8"))] as const,
  );
  return Object.fromEntries(found.filter(([file, sleeps]) => sleeps > 0 && !import.meta.url.endsWith(file)));
}

const allowed = (list: Allowed) => Object.fromEntries(Object.entries(list).map(([file, [count]]) => [file, count]));

test("tests sleep for a fixed time only where the list says why", () => {
  assert.deepEqual(counts(sleepsIn), allowed(SLEEPS));
});

test("tests bound elapsed time only where the list says why", () => {
  assert.deepEqual(
    counts((source) => countOf(source, ELAPSED)),
    allowed(WALL_CLOCK),
  );
});
