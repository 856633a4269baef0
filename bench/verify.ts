import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { JsonRpcProvider } from "ethers";
import { Random } from "../test/support/random.ts";
import { act, settled, submissionOf } from "../test/support/verification/actions.ts";
import type { CorpusContract } from "../test/support/verification/corpus.ts";
import { CORPUS } from "../test/support/verification/corpus.ts";
import { deploy } from "../test/support/verification/deployments.ts";
import { HOSTILE } from "../test/support/verification/hostile.ts";
import { RELEASES } from "../test/support/verification/releases.ts";
import { percentile, printBars, printTable, writeResult } from "./support/measure.ts";
import { startNetworks } from "./support/program.ts";
import { loadBlocks } from "./support/steadyLoad.ts";

const REQUESTS_PER_SECOND = 100;
/** Seconds that one may take, its turn included. */
const MAX_MILLISECONDS = 150;
const NEWEST = RELEASES.at(-1)!;

/** `npm run bench -- verify [--seconds N]`: how long a small contract takes, and reads while hostile sources are compiled. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { seconds: { type: "string", default: "120" }, seed: { type: "string", default: "1" } },
  });
  const program = await startNetworks("--no-demo");
  const url = program.urls.at(-1)!;
  const node = new JsonRpcProvider(`${url}/rpc`, undefined, { cacheTimeout: -1, pollingInterval: 50 });
  const random = new Random(Number(values.seed));
  try {
    const idle = await measureReads(url, random, delay(10_000));
    const seconds = await measureSmall(node, url);
    const small = CORPUS.find(({ name }) => name === "Bare")!;
    const address = await deploy(node, { ...small, arguments: [99] });
    const hostile = submitAll(url, hostileForms(address), Number(values.seconds));
    // Compilers end a process where a promise fails that nobody waits for yet.
    hostile.catch(() => {});
    const busy = await measureReads(url, random, hostile);
    const result = { seconds, idle, busy, hostile: await hostile };
    report(result);
    writeResult("verify", result);
  } finally {
    node.destroy();
    await program.stop();
  }
}

/** From the submission to the answer, of contracts that are on the chain. */
async function measureSmall(node: JsonRpcProvider, url: string): Promise<number[]> {
  const small = CORPUS.filter(({ release, settings }) => release === NEWEST && !("viaIR" in settings));
  const seconds: number[] = [];
  for (const contract of small) {
    const address = await deploy(node, contract);
    const start = performance.now();
    const answer = await verify(url, submissionOf(address, contract));
    if (answer !== "Pass - Verified") throw new Error(`${contract.what}: ${answer}`);
    seconds.push((performance.now() - start) / 1000);
  }
  return seconds;
}

async function verify(url: string, submission: Readonly<Record<string, string>>): Promise<string> {
  const { status, result } = await act(url, submission, "POST");
  return status === "1" ? settled(url, result) : result;
}

interface Reads {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

async function measureReads(url: string, random: Random, until: Promise<unknown>): Promise<Reads> {
  const latencies = await loadBlocks(url, { rate: REQUESTS_PER_SECOND, random, until });
  const [p50Ms, p99Ms, maxMs] = [0.5, 0.99, 1].map((share) => percentile(latencies, share));
  return { requests: latencies.length, p50Ms: p50Ms!, p99Ms: p99Ms!, maxMs: maxMs! };
}

/** As forms, made before anything is measured: that of megabytes takes the time of many requests. Those that take longest are the last. */
function hostileForms(address: string): string[] {
  const [endless, bomb, ...others] = HOSTILE;
  const contract: CorpusContract = { ...CORPUS[0]!, release: NEWEST };
  return [...others, bomb!, endless!].flatMap(({ task }) => {
    if (task.source === undefined) return [];
    const named = { sourceCode: task.source.text, contractname: task.contract ?? "A.sol:A" };
    return [new URLSearchParams({ module: "contract", ...submissionOf(address, contract), ...named }).toString()];
  });
}

interface Ended {
  readonly compiled: number;
  readonly refused: number;
  /** Seconds of the one that took longest. */
  readonly longest: number;
}

/** Sends forms in turn for so long, one after the other. */
async function submitAll(url: string, forms: readonly string[], seconds: number): Promise<Ended> {
  const deadline = performance.now() + seconds * 1000;
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  let [compiled, refused, longest] = [0, 0, 0];
  for (let at = 0; performance.now() < deadline; at++) {
    const start = performance.now();
    // A body that is too large is not read to its end.
    const { status, result } = await fetch(`${url}/api`, { method: "POST", headers, body: forms[at % forms.length]! })
      .then((response) => response.json() as Promise<{ status: string; result: string }>)
      .catch(() => ({ status: "0", result: "" }));
    if (status === "1") await settled(url, result, MAX_MILLISECONDS);
    if (status === "1") compiled++;
    else refused++;
    longest = Math.max(longest, (performance.now() - start) / 1000);
  }
  return { compiled, refused, longest };
}

function report({
  seconds,
  idle,
  busy,
  hostile,
}: {
  seconds: number[];
  idle: Reads;
  busy: Reads;
  hostile: Ended;
}): void {
  const reads = ({ requests, p50Ms, p99Ms, maxMs }: Reads) =>
    `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, most ${maxMs.toFixed(1)} ms of ${requests}`;
  printTable(`Blocks at ${REQUESTS_PER_SECOND} requests/s`, [
    ["while nothing is verified", reads(idle)],
    [`while ${hostile.compiled} hostile sources are, and ${hostile.refused} refused`, reads(busy)],
  ]);
  printTable("A small contract, from its submission to the answer", [
    ["each", seconds.map((each) => `${each.toFixed(1)} s`).join(", ")],
  ]);
  printBars([
    { what: "p99 of block reads beside hostile sources, ms", value: busy.p99Ms, atMost: 50 },
    { what: "a small contract, s", value: Math.max(...seconds), atMost: 10 },
    { what: "the longest hostile source, s", value: hostile.longest, atMost: MAX_MILLISECONDS },
  ]);
}
