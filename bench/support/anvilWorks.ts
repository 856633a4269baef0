import type { Hex } from "../../src/chain/encoding/hex.ts";
import { fromHex, toHex } from "../../src/chain/encoding/hex.ts";
import { keccak256 } from "../../src/chain/hashing/keccak.ts";
import { deriveAccounts, TEST_MNEMONIC } from "../../src/node/accounts/accounts.ts";
import type { Rival } from "./rivals.ts";
import { ask } from "./rivals.ts";
import {
  balanceOf,
  deployToken,
  loopOf,
  signCreation,
  signPlainTransfers,
  signTransfers,
  transferOf,
} from "./transfers.ts";

/** Requests that one client repeats. */
export interface Work {
  readonly what: string;
  readonly count: number;
  /** By works after it. */
  readonly isNeeded?: boolean;
  /** Anvil has none unless it records them for all that it mines. */
  readonly isOfSteps?: boolean;
  /** Times anvil's time by the clock. */
  readonly atMost?: number;
  /** Not measured. */
  before?(rival: Rival, index: number): Promise<unknown>;
  run(rival: Rival, index: number): Promise<unknown>;
}

const LOGS = 1000;

/** Of about 24,000 steps. */
const TRACED_LOOPS = 2000;

/** Of 30 million gas. */
const LOOPS = 666_664;

/** Sends what is read later to all, and signs what is sent later. */
export async function worksOf(rivals: readonly Rival[], scale: number): Promise<Work[]> {
  const [account, other] = deriveAccounts(TEST_MNEMONIC, 2);
  const key = toHex(account!.privateKey);
  const times = (count: number) => Math.max(5, Math.round(count * scale));
  const { raw, token } = deployToken(key, 0);
  const loop = signCreation(key, 1, loopOf(TRACED_LOOPS), 1_000_000n);
  const traced = signTransfers(key, token, 1, 2)[0]!;
  const plain = signPlainTransfers(key, times(500), 3);
  const transfers = signTransfers(key, token, LOGS, 3 + plain.length);
  const next = 3 + plain.length + transfers.length;
  const deployments = Array.from({ length: times(50) }, (_, index) => deployToken(key, next + index).raw);
  for (const rival of rivals) for (const each of [raw, loop, traced]) await sendAndWait(rival, each);
  const sending = (raws: readonly string[]) => (rival: Rival, index: number) => sendAndWait(rival, raws[index]!);
  const asking = (method: string, ...params: unknown[]) => ({
    run: (rival: Rival) => succeed(rival, method, ...params),
  });
  const transfer = { from: account!.address, to: token, data: transferOf(other!.address) };
  return [
    { what: "plain transfer", isNeeded: true, count: plain.length, atMost: 1, run: sending(plain) },
    { what: "ERC-20 transfer", isNeeded: true, count: transfers.length, atMost: 1, run: sending(transfers) },
    { what: "deployment of a token", count: deployments.length, atMost: 1, run: sending(deployments) },
    {
      what: "eth_call of balanceOf",
      count: times(1000),
      atMost: 2,
      ...asking("eth_call", { to: token, data: balanceOf(account!.address) }, "latest"),
    },
    { what: "eth_estimateGas of a transfer", count: times(500), atMost: 2, ...asking("eth_estimateGas", transfer) },
    {
      what: "eth_call of a loop of 30 M gas",
      count: times(10),
      atMost: 5,
      ...asking("eth_call", { data: loopOf(LOOPS), gas: "0x1e84800" }, "latest"),
    },
    {
      what: `eth_getLogs of ${LOGS} logs`,
      count: times(40),
      atMost: 2,
      ...asking("eth_getLogs", { address: token, fromBlock: "0x4", toBlock: "latest" }),
    },
    ...tracesOf({ times, loop: hashOf(loop), transfer: hashOf(traced) }),
    snapshots(times(100), other!.address),
  ];
}

interface Traced {
  readonly times: (count: number) => number;
  readonly loop: string;
  readonly transfer: string;
}

function tracesOf({ times, loop, transfer }: Traced): Work[] {
  const trace = (hash: string, config: object) => ({
    run: (rival: Rival) => succeed(rival, "debug_traceTransaction", hash, config),
  });
  const callTracer = { tracer: "callTracer" };
  const diff = { tracer: "prestateTracer", tracerConfig: { diffMode: true } };
  return [
    { what: "callTracer of a transfer", count: times(300), atMost: 1.5, ...trace(transfer, callTracer) },
    { what: "callTracer of 24,000 steps", count: times(20), ...trace(loop, callTracer) },
    { what: "prestateTracer of a transfer", count: times(300), ...trace(transfer, diff) },
    { what: "structLogs of a transfer", isOfSteps: true, count: times(100), atMost: 4, ...trace(transfer, {}) },
    { what: "structLogs of 24,000 steps", isOfSteps: true, count: times(10), atMost: 4, ...trace(loop, {}) },
  ];
}

/** As tests do it between each other, after one transfer. */
function snapshots(count: number, from: string): Work {
  const taken = new Map<Rival, unknown>();
  const take = async (rival: Rival) => taken.set(rival, await ask(rival, "evm_snapshot"));
  return {
    what: "evm_revert and evm_snapshot",
    count,
    atMost: 2,
    async before(rival) {
      if (!taken.has(rival)) await take(rival);
      await ask(rival, "eth_sendTransaction", { from, to: from, value: "0x1" });
    },
    async run(rival) {
      await ask(rival, "evm_revert", taken.get(rival));
      await take(rival);
    },
  };
}

async function succeed(rival: Rival, method: string, ...params: unknown[]): Promise<void> {
  const body = await rival.send(method, ...params);
  if (body.subarray(0, 200).includes('"result"') && !body.includes('"structLogs":[]')) return;
  throw new Error(`${rival.name}: ${method}: ${body.subarray(0, 1000)}`);
}

async function sendAndWait(rival: Rival, raw: string): Promise<void> {
  const hash = await ask<string>(rival, "eth_sendRawTransaction", raw);
  for (;;) {
    const receipt = await ask<{ status: string } | null>(rival, "eth_getTransactionReceipt", hash);
    if (receipt?.status === "0x1") return;
    if (receipt !== null) throw new Error(`${rival.name}: ${hash} failed`);
  }
}

const hashOf = (raw: string) => toHex(keccak256(fromHex(raw as Hex)));
