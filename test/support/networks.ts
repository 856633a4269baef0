import type { Program } from "./program.ts";
import { get, makeTemporaryDirectory, runProgram } from "./program.ts";
import { until } from "./waiting.ts";

export const NETWORKS = [
  { name: "mainnet", chainId: 677 },
  { name: "testnet", chainId: 968 },
] as const;

/** Keys of the accounts that have coins from the start; everybody knows them. */
export const KEYS = [
  "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
  "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
  "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
] as const;

/** The program with both networks on free ports; it ends with the test, and its data with it. */
export interface RunningNetworks {
  readonly urls: Readonly<Record<string, string>>;
  /** Ends the program and starts it again on the same data, on other ports. */
  restart(signal?: NodeJS.Signals): Promise<Readonly<Record<string, string>>>;
}

export async function startNetworks(
  after: (clean: () => unknown) => void,
  ...flags: readonly string[]
): Promise<RunningNetworks> {
  const { directory, remove } = makeTemporaryDirectory();
  const args = ["start", "--port", "0", "--data", directory, "--poll", "50", ...flags];
  let program = runProgram({ after }, args);
  after(remove);
  const urls = await urlsOf(program);
  const restart = async (signal?: NodeJS.Signals) => {
    await program.stop(signal);
    program = runProgram({ after }, args);
    return await urlsOf(program);
  };
  return { urls, restart };
}

export async function urlsOf(program: Program, count = 2): Promise<Record<string, string>> {
  const found = () => [...program.stdout.matchAll(/^ {2}(\w+) +chain \d+ +(http\S+)/gm)];
  await until("it serves", () => {
    if (program.child.exitCode !== null) throw new Error(`it ended: ${program.stderr}`);
    return found().length === count && /To begin again/.test(program.stdout);
  });
  return Object.fromEntries(found().map(([, name, url]) => [name!, url!]));
}

/** An answer as JSON-RPC has it. */
export interface RpcAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export async function callRpc(url: string, method: string, ...params: unknown[]): Promise<RpcAnswer> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { "content-type": "application/json", connection: "close" };
  const response = await fetch(`${url}/rpc`, { method: "POST", body, headers });
  return (await response.json()) as RpcAnswer;
}

/** The result of a call that must not fail. */
export async function rpc<T = unknown>(url: string, method: string, ...params: unknown[]): Promise<T> {
  const { result, error } = await callRpc(url, method, ...params);
  if (error !== undefined) throw new Error(error.message);
  return result as T;
}

export const indexedAt = async (url: string) =>
  ((await get(`${url}/status`)).body.indexed as { number: number } | null)?.number;

/** Waits until the index has a block. */
export const indexes = (url: string, number: number) =>
  until(`${url} has block ${number}`, async () => (await indexedAt(url)) === number);
