import { Agent, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Bar } from "./support/measure.ts";
import { printBars, printTable, writeResult } from "./support/measure.ts";
import { startNetworks } from "./support/program.ts";
import { countStolen } from "./support/stolenTime.ts";

/** Milliseconds that a small call may take beside expensive ones. */
const MAX_WAIT = 100;
const CALLERS = 30;
const ROUNDS = 3;
/** Small calls of a round, below which it says nothing. */
const MIN_CALLS = 20;
/** Milliseconds between small calls. */
const PAUSE = 5;

/** Address of a precompiled contract, and the bytes that each call of a loop passes to it. */
const LOOPS: Readonly<Record<string, readonly [address: number, length: number]>> = {
  "RIPEMD-160 of 1 MiB": [0x03, 1 << 20],
  "SHA-256 of 4 MiB": [0x02, 1 << 22],
  "bn254 pairing": [0x08, 192],
  "BLS G2 product": [0x0e, 288],
};

/** Milliseconds, and those of them in which the machine ran something else. */
interface Wait {
  readonly milliseconds: number;
  readonly stolen: number;
}

/** `npm run bench -- calls [--starts N]`: `eth_chainId` while 30 callers run loops over precompiled contracts, from the first call after a start. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { starts: { type: "string", default: "3" } } });
  const results: { readonly loop: string; readonly rounds: readonly (Wait | undefined)[] }[] = [];
  const starts = Math.max(1, Number(values.starts));
  for (let start = 0; start < starts; start++) {
    for (const [loop, [address, length]] of Object.entries(LOOPS)) {
      results.push({ loop, rounds: await measureStart(looping(address, length)) });
    }
  }
  const bars = Object.keys(LOOPS).flatMap((loop): Bar[] => {
    const rounds = results.filter((result) => result.loop === loop).map((result) => result.rounds);
    const first = rounds.map(([wait]) => wait);
    const later = rounds.flatMap(([, ...waits]) => waits);
    printTable(`${loop}, longest wait of each round, ms (+ those that the hypervisor took)`, [
      ["first rounds", first.map(describe).join(", ")],
      ["later rounds", later.map(describe).join(", ")],
    ]);
    return [
      { what: `${loop}, first rounds, ms`, value: longestOf(first), atMost: MAX_WAIT },
      { what: `${loop}, later rounds, ms`, value: longestOf(later), atMost: MAX_WAIT },
    ];
  });
  printBars(bars);
  writeResult("calls", results);
}

function describe(wait: Wait | undefined): string {
  if (wait === undefined) return "refused";
  return `${own(wait).toFixed(0)}${wait.stolen > 0 ? ` + ${wait.stolen}` : ""}`;
}

/** NaN if calls were refused, which would delay nobody. */
function longestOf(waits: readonly (Wait | undefined)[]): number {
  return Math.max(...waits.map((wait) => (wait === undefined ? Number.NaN : own(wait))));
}

function own({ milliseconds, stolen }: Wait): number {
  return Math.max(0, milliseconds - stolen);
}

/** Longest wait of each round after a fresh start. */
async function measureStart(code: string): Promise<(Wait | undefined)[]> {
  const program = await startNetworks("--no-demo");
  const client = new Agent({ keepAlive: true });
  try {
    const [url = ""] = program.urls;
    await post(url, client, "eth_chainId");
    await delay(2000);
    const waits: (Wait | undefined)[] = [];
    for (let round = 0; round < ROUNDS; round++) waits.push(await longestWait(url, client, code));
    return waits;
  } finally {
    client.destroy();
    await program.stop();
  }
}

async function longestWait(url: string, client: Agent, code: string): Promise<Wait | undefined> {
  const address = `0x${"ff".padStart(40, "0")}`;
  const params = [{ to: address, gas: "0x2faf080" }, "latest", { [address]: { code } }];
  let isRunning = true;
  // Each caller has a connection of its own.
  const calls = Promise.all(Array.from({ length: CALLERS }, () => post(url, new Agent(), "eth_call", params)));
  const ended = calls.finally(() => {
    isRunning = false;
  });
  const waits: Wait[] = [];
  while (isRunning) {
    const stolen = countStolen();
    const start = performance.now();
    await post(url, client, "eth_chainId");
    waits.push({ milliseconds: performance.now() - start, stolen: stolen() });
    await delay(PAUSE);
  }
  const hasRun = (await ended).every((answer) => /out of gas|execution aborted/.test(answer));
  if (!hasRun || waits.length < MIN_CALLS) return undefined;
  return waits.reduce((longest, wait) => (own(wait) > own(longest) ? wait : longest));
}

function post(url: string, agent: Agent, method: string, params: readonly unknown[] = []): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const options = { method: "POST", agent, headers: { "content-type": "application/json" } };
  const call = request(`${url}/rpc`, options, async (response) => {
    let text = "";
    for await (const chunk of response) text += String(chunk);
    resolve(text);
  });
  call.on("error", reject);
  call.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
  return promise;
}

/** Code that passes zeros to a contract for as long as there is gas. */
function looping(address: number, length: number): string {
  const size = length.toString(16).padStart(6, "0");
  return `0x5b60206000${`62${size}`}600060${address.toString(16).padStart(2, "0")}5afa50600056`;
}
