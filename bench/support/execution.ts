import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TEST_MNEMONIC } from "../../src/node/accounts/accounts.ts";
import { Node } from "../../src/node/node.ts";
import { BareMachine } from "./bareMachine.ts";
import { measure } from "./measure.ts";
import { balanceOf, deployToken, loopOf, signPlainTransfers } from "./transfers.ts";

/** Both sides take turns, so that a slower while of the computer is slower for both. */
const TURNS = 10;

export interface Speed {
  readonly perCpuSecond: number;
  readonly barePerCpuSecond: number;
}

/** Speed of the node relative to the bare library, by CPU. */
export function ofBare({ perCpuSecond, barePerCpuSecond }: Speed): number {
  return perCpuSecond / barePerCpuSecond;
}

export type Ask = (method: string, ...params: unknown[]) => Promise<unknown>;

export interface Bench {
  readonly key: string;
  readonly address: string;
  readonly ask: Ask;
}

/** A node whose chain is on disk. */
export async function withNode<T>(use: (bench: Bench) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), "oriel-bench-"));
  const node = await Node.open({
    ...{ directory, chainId: 677, blockTime: 0, accounts: 1, mnemonic: TEST_MNEMONIC, gasLimit: 30_000_000 },
    kzg: { verify: async () => true },
    genesisTime: 1_700_000_000,
  });
  const [account] = node.accounts;
  const ask: Ask = async (method, ...params) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const { result, error } = JSON.parse((await node.handle(body, true))!) as { result: unknown; error?: object };
    if (error !== undefined) throw new Error(JSON.stringify(error));
    return result;
  };
  try {
    return await use({ key: account!.privateKey, address: account!.address, ask });
  } finally {
    await node.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Does pieces of work in turns, by the node and by the library. */
export async function compareWithBaseline<T>(
  pieces: readonly T[],
  ours: (pieces: readonly T[]) => Promise<unknown>,
  bare: (pieces: readonly T[]) => Promise<unknown>,
): Promise<Speed> {
  let [ourMs, bareMs] = [0, 0];
  const size = Math.ceil(pieces.length / TURNS);
  for (let from = 0; from < pieces.length; from += size) {
    const turn = pieces.slice(from, from + size);
    bareMs += (await measure(() => bare(turn))).cpuMs;
    ourMs += (await measure(() => ours(turn))).cpuMs;
  }
  return { perCpuSecond: (pieces.length / ourMs) * 1000, barePerCpuSecond: (pieces.length / bareMs) * 1000 };
}

/** Does something with each piece, `together` of them at once. */
export async function inGroups<T>(
  pieces: readonly T[],
  together: number,
  work: (piece: T) => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < pieces.length; at += together) await Promise.all(pieces.slice(at, at + together).map(work));
}

/** Transfers of money alone, `together` at once: those share a block. */
export function measurePlainTransfers(count: number, together: number): Promise<Speed> {
  return withNode(async ({ key, address, ask }) => {
    const bare = await BareMachine.open(address);
    const raws = signPlainTransfers(key, count);
    const send = (raw: string) => ask("eth_sendRawTransaction", raw);
    return await compareWithBaseline(
      raws,
      (turn) => inGroups(turn, together, send),
      (turn) => bare.run(turn),
    );
  });
}

/** Calls of an ERC-20 token's `balanceOf`, one after the other. */
export function measureCalls(count: number): Promise<Speed> {
  return withNode(async ({ key, address, ask }) => {
    const { raw, token } = deployToken(key);
    await ask("eth_sendRawTransaction", raw);
    const bare = await BareMachine.open(address);
    await bare.run([raw]);
    const call = { to: token, data: balanceOf(address) };
    const calls = Array.from({ length: count }, () => call);
    const [expected, answer] = [await bare.call(call), await ask("eth_call", call, "latest")];
    if (answer !== expected) throw new Error(`the node answers ${answer}, the library ${expected}`);
    return await compareWithBaseline(
      calls,
      (turn) => inGroups(turn, 1, (each) => ask("eth_call", each, "latest")),
      (turn) => inGroups(turn, 1, (each) => bare.call(each)),
    );
  });
}

/** Of 30 million gas. */
const LOOPS = 666_664;

export function measureLoop(count: number): Promise<Speed> {
  return withNode(async ({ address, ask }) => {
    const bare = await BareMachine.open(address);
    const call = { data: loopOf(LOOPS), gas: "0x1e84800" };
    return await compareWithBaseline(
      Array.from({ length: count }, () => call),
      (turn) => inGroups(turn, 1, (each) => ask("eth_call", each, "latest")),
      (turn) => inGroups(turn, 1, (each) => bare.call(each)),
    );
  });
}
