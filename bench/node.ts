import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { BareMachine } from "./support/bareMachine.ts";
import { barsOf, compareWithAnvil, rowsOf } from "./support/besideAnvil.ts";
import type { Speed } from "./support/execution.ts";
import {
  compareWithBaseline,
  inGroups,
  measureCalls,
  measureLoop,
  measurePlainTransfers,
  ofBare,
  withNode,
} from "./support/execution.ts";
import { printBars, printTable, writeResult } from "./support/measure.ts";
import { startNetworks } from "./support/program.ts";
import { deployToken, signTransfers } from "./support/transfers.ts";

/**
 * The same ratios when calls still ran in the library's loop: the median of what this benchmark measured on the
 * commit afee598 in several runs. Its loop had a third of the gas there, for with all of it the call did not end in its 5 seconds.
 */
const BEFORE = { plain: 0.75, calls: 0.65, loop: 0.96 };

/** Minimum speed-up of each. */
const GAIN = 1.5;

export async function run(args: string[]): Promise<void> {
  const options = {
    transfers: { type: "string", default: "3000" },
    calls: { type: "string", default: "5000" },
    loops: { type: "string", default: "3" },
    scale: { type: "string", default: "1" },
    only: { type: "string" },
    rows: { type: "string", default: "" },
  } as const;
  const { values } = parseArgs({ args, options });
  await besideAnvil(Number(values.scale), values.rows);
  if (values.only === "anvil") return;
  const transfers = Number(values.transfers);
  const single = await measureTokenTransfers(transfers, 1);
  const shared = await measureTokenTransfers(transfers, 100);
  const plain = await measurePlainTransfers(transfers, 1);
  const plainShared = await measurePlainTransfers(transfers, 100);
  const calls = await measureCalls(Number(values.calls));
  const loop = await measureLoop(Number(values.loops));
  const program = await measureProgram();
  const figures = { single, shared, plain, plainShared, calls, loop, program };
  report(figures);
  const gain = (name: keyof typeof BEFORE) => ofBare(figures[name]) / BEFORE[name];
  printBars([
    { what: "a transfer in each block, of the bare machine", value: ofBare(single), atLeast: 0.8 },
    { what: "100 transfers in each block, of the bare machine", value: ofBare(shared), atLeast: 2 },
    { what: "plain transfers, of what they were beside the bare machine", value: gain("plain"), atLeast: GAIN },
    { what: "eth_call, of what it was beside the bare machine", value: gain("calls"), atLeast: GAIN },
    { what: "a loop of 30 M gas, of what it was beside the bare machine", value: gain("loop"), atLeast: GAIN },
    { what: "both networks answer after, ms", value: program.readyMs, atMost: 5000 },
    { what: "REST slower beside a call by, ms", value: program.busyRestMs - program.idleRestMs, atMost: 50 },
  ]);
  writeResult("node", { transfers, ...figures });
}

/** By the clock of one client; the CPU is that of the whole process, which also indexes what is sent. */
async function besideAnvil(scale: number, rows: string): Promise<void> {
  const compared = await compareWithAnvil(scale, rows);
  if (typeof compared === "string") {
    console.log(`not compared with anvil: ${compared}`);
    return;
  }
  printTable("the program beside anvil, each operation", rowsOf(compared));
  printBars(barsOf(compared));
  writeResult(
    "node-anvil",
    compared.map(({ work, ours, anvil }) => ({ what: work.what, ours, anvil })),
  );
}

/** ERC-20 transfers by JSON-RPC into a chain on disk, `together` at once: those share a block. */
function measureTokenTransfers(count: number, together: number): Promise<Speed> {
  return withNode(async ({ key, address, ask }) => {
    const send = (raw: string) => ask("eth_sendRawTransaction", raw);
    const deployment = deployToken(key);
    await send(deployment.raw);
    const bare = await BareMachine.open(address);
    await bare.run([deployment.raw]);
    return await compareWithBaseline(
      signTransfers(key, deployment.token, count),
      (turn) => inGroups(turn, together, send),
      (turn) => bare.run(turn),
    );
  });
}

interface ProgramFigures {
  readonly readyMs: number;
  readonly idleRestMs: number;
  readonly busyRestMs: number;
  readonly callMs: number;
  readonly rssMegabytes: number;
}

/** The whole program: how soon it answers, and how long REST takes while the node runs a call of 30 million gas. */
async function measureProgram(): Promise<ProgramFigures> {
  const began = performance.now();
  const program = await startNetworks("--no-demo");
  for (const url of program.urls) await rpc(url, "eth_chainId");
  const readyMs = performance.now() - began;
  await delay(3000);
  const [url] = program.urls;
  const idle = await restTimes(url!, 2000);
  const started = performance.now();
  const call = rpc(url!, "eth_call", { data: ENDLESS, gas: "0x1c9c380" }, "latest").then(
    () => performance.now() - started,
  );
  const busy = await restTimes(url!, 2000);
  const callMs = await call;
  const rssMegabytes = program.peakRssMegabytes();
  await program.stop();
  return { readyMs, idleRestMs: Math.max(...idle), busyRestMs: Math.max(...busy), callMs, rssMegabytes };
}

/** JUMPDEST, PUSH1 0, JUMP. */
const ENDLESS = "0x5b600056";

async function rpc(url: string, method: string, ...params: unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { "content-type": "application/json" };
  return (await fetch(`${url}/rpc`, { method: "POST", headers, body })).json();
}

async function restTimes(url: string, milliseconds: number): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    const start = performance.now();
    await (await fetch(`${url}/api/v2/blocks/0`)).arrayBuffer();
    times.push(performance.now() - start);
    await delay(10);
  }
  return times.slice(5);
}

interface Figures {
  readonly single: Speed;
  readonly shared: Speed;
  readonly plain: Speed;
  readonly plainShared: Speed;
  readonly calls: Speed;
  readonly loop: Speed;
  readonly program: ProgramFigures;
}

function report({ single, shared, plain, plainShared, calls, loop, program }: Figures): void {
  const speed = (speed: Speed) => {
    const { perCpuSecond, barePerCpuSecond } = speed;
    const rate = (value: number) => value.toFixed(value < 100 ? 2 : 0);
    return `${rate(perCpuSecond)}/s of CPU, ${ofBare(speed).toFixed(2)} of the bare library (${rate(barePerCpuSecond)}/s)`;
  };
  const ms = (value: number) => `${value.toFixed(0)} ms`;
  printTable("node", [
    ["ERC-20 transfers, a block each", speed(single)],
    ["ERC-20 transfers, 100 at once", speed(shared)],
    ["plain transfers, a block each", speed(plain)],
    ["plain transfers, 100 at once", speed(plainShared)],
    ["eth_call of balanceOf", speed(calls)],
    ["eth_call of a loop of 30 M gas", speed(loop)],
    ["both networks answer /rpc after", ms(program.readyMs)],
    ["slowest REST answer, idle", ms(program.idleRestMs)],
    ["slowest REST answer during a 30 M-gas call", `${ms(program.busyRestMs)} (the call took ${ms(program.callMs)})`],
    ["peak memory, both networks", `${program.rssMegabytes.toFixed(0)} MB`],
  ]);
}
