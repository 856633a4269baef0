import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { TEST_MNEMONIC } from "../src/node/accounts/accounts.ts";
import { Node } from "../src/node/node.ts";
import { BareMachine } from "./support/bareMachine.ts";
import { measure, printBars, printTable, writeResult } from "./support/measure.ts";
import { startNetworks } from "./support/program.ts";
import { deployToken, signTransfers } from "./support/transfers.ts";

/** The node and the bare machine take turns, so that a slower while of the computer is slower for both. */
const TURNS = 10;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { transfers: { type: "string", default: "2000" } } });
  const transfers = Number(values.transfers);
  const single = await measureTransfers(transfers, 1);
  const shared = await measureTransfers(transfers, 100);
  const program = await measureProgram();
  const result = { transfers, single, shared, program };
  report(result);
  const ofBare = ({ perCpuSecond, barePerCpuSecond }: Speed) => perCpuSecond / barePerCpuSecond;
  printBars([
    { what: "a transfer in each block, of the bare machine", value: ofBare(single), atLeast: 0.8 },
    { what: "100 transfers in each block, of the bare machine", value: ofBare(shared), atLeast: 2 },
    { what: "both networks answer after, ms", value: program.readyMs, atMost: 5000 },
    { what: "REST slower beside a call by, ms", value: program.busyRestMs - program.idleRestMs, atMost: 50 },
  ]);
  writeResult("node", result);
}

interface Speed {
  readonly perCpuSecond: number;
  readonly barePerCpuSecond: number;
}

/** ERC-20 transfers by JSON-RPC into a chain on disk, `together` at once: those share a block. */
async function measureTransfers(count: number, together: number): Promise<Speed> {
  const directory = mkdtempSync(join(tmpdir(), "oriel-bench-"));
  const node = await Node.open({
    ...{ directory, chainId: 677, blockTime: 0, accounts: 1, mnemonic: TEST_MNEMONIC, gasLimit: 30_000_000 },
    kzg: { verify: async () => true },
    genesisTime: 1_700_000_000,
  });
  const send = (raw: string) => ask(node, "eth_sendRawTransaction", raw);
  const [key] = node.accounts.map(({ privateKey }) => privateKey);
  const deployment = deployToken(key!);
  await send(deployment.raw);
  const bare = await BareMachine.open(node.accounts[0]!.address, deployment.raw);
  const raws = signTransfers(key!, deployment.token, count);
  let [ours, theirs] = [0, 0];
  const size = Math.ceil(count / TURNS);
  for (let from = 0; from < count; from += size) {
    const turn = raws.slice(from, from + size);
    theirs += (await measure(() => bare.run(turn))).cpuMs;
    ours += (await measure(() => sendAll(turn, together, send))).cpuMs;
  }
  await node.close();
  rmSync(directory, { recursive: true, force: true });
  return { perCpuSecond: (count / ours) * 1000, barePerCpuSecond: (count / theirs) * 1000 };
}

async function sendAll(
  raws: readonly string[],
  together: number,
  send: (raw: string) => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < raws.length; at += together) await Promise.all(raws.slice(at, at + together).map(send));
}

async function ask(node: Node, method: string, ...params: unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const { result, error } = JSON.parse((await node.handle(body, true))!) as { result: unknown; error?: object };
  if (error !== undefined) throw new Error(JSON.stringify(error));
  return result;
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
  const program = await startNetworks();
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
  readonly program: ProgramFigures;
}

function report({ single, shared, program }: Figures): void {
  const speed = ({ perCpuSecond, barePerCpuSecond }: Speed) => {
    const ratio = (perCpuSecond / barePerCpuSecond).toFixed(2);
    return `${perCpuSecond.toFixed(0)}/s of CPU, ${ratio} of the library's bare runTx (${barePerCpuSecond.toFixed(0)}/s)`;
  };
  const ms = (value: number) => `${value.toFixed(0)} ms`;
  printTable("node", [
    ["ERC-20 transfers, a block each", speed(single)],
    ["ERC-20 transfers, 100 at once", speed(shared)],
    ["both networks answer /rpc after", ms(program.readyMs)],
    ["slowest REST answer, idle", ms(program.idleRestMs)],
    ["slowest REST answer during a 30 M-gas call", `${ms(program.busyRestMs)} (the call took ${ms(program.callMs)})`],
    ["peak memory, both networks", `${program.rssMegabytes.toFixed(0)} MB`],
  ]);
}
