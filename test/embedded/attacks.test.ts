import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { bn254 } from "@noble/curves/bn254.js";
import { startBareServer } from "../support/bareServer.ts";
import { ask } from "../support/networkProgram.ts";
import { startNetworks } from "../support/networks.ts";

/** Milliseconds that an attack may make another client wait longer than a bare server does. */
const MAX_WAIT = 100;

/** Attacks of which the best counts, and how long each lasts: other programs take the processor at times. */
const ROUNDS = 10;
const LASTS = 500;

const { urls } = await startNetworks(after, "--no-demo");
const [url, bare] = [urls.testnet!, await startBareServer(after)];
const accounts = await ask<string[]>(url, "eth_accounts");

type Call = readonly [method: string, ...params: unknown[]];
const requestOf = ([method, ...params]: Call) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
const batchOf = (calls: readonly Call[]) => `[${calls.map(requestOf).join()}]`;

/** Posts a body; the answer does not matter, nor whether there is one. */
const post = (to: string, body: string, signal?: AbortSignal, headers: Record<string, string> = {}) =>
  fetch(to, {
    method: "POST",
    body,
    headers: { "content-type": "application/json", ...headers },
    signal: signal ?? null,
  })
    .then((response) => response.text())
    .catch(() => "");

const PROBE = requestOf(["eth_blockNumber"]);

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** The longest waits of another client: for a block number, a page of blocks, and a server that does nothing. */
async function maxLatencies(isOver: () => boolean) {
  const waits = { rpc: 0, list: 0, bare: 0 };
  const note = (of: keyof typeof waits, time: number) => {
    waits[of] = Math.max(waits[of], time);
  };
  while (!isOver()) {
    note("bare", await timeOf(() => post(bare, PROBE)));
    note("rpc", await timeOf(() => post(`${url}/rpc`, PROBE)));
    note("list", await timeOf(() => fetch(`${url}/api/v2/blocks`).then((response) => response.text())));
    await delay(2);
  }
  return waits;
}

/** Repeats the attack until a round delays no other client; posts have been abandoned by then. */
async function expectLowLatency(name: string, attack: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && best >= MAX_WAIT; round++) {
    const leaving = new AbortController();
    const attacked = attack(leaving.signal);
    const end = performance.now() + LASTS;
    const { rpc, list, bare: min } = await maxLatencies(() => performance.now() > end);
    leaving.abort();
    await attacked;
    best = Math.min(best, Math.max(rpc, list) - min);
    console.log(`${name}: ${rpc.toFixed()} and ${list.toFixed()} ms at most, ${min.toFixed()} of a bare server`);
  }
  assert.ok(best < MAX_WAIT, `others waited ${best} ms longer than for a bare server`);
}

/** The chain makes blocks, and shows them. */
async function expectWorks(): Promise<void> {
  const before = Number(await ask(url, "eth_blockNumber"));
  const hash = await ask<string>(url, "eth_sendTransaction", { from: accounts[0], to: accounts[1], value: "0x1" });
  await ask(url, "evm_mine");

  const { status, blockNumber } = await ask<Record<string, string>>(url, "eth_getTransactionReceipt", hash);
  assert.equal(status, "0x1");
  assert.ok(Number(blockNumber) > before);
}

const word = (value: bigint | number, bytes = 32) =>
  BigInt(value)
    .toString(16)
    .padStart(2 * bytes, "0");

function pairings(count: number): string {
  const { x, y } = bn254.G1.Point.BASE.toAffine();
  const { x: x2, y: y2 } = bn254.G2.Point.BASE.toAffine();
  return [x, y, x2.c1, x2.c0, y2.c1, y2.c0]
    .map((value) => word(value))
    .join("")
    .repeat(count);
}

/** Runs for ever: JUMPDEST, PUSH1 0, JUMP. */
const ENDLESS = "0x5b600056";
const CONTRACT = `0x${"c0".repeat(20)}`;
const endless: Call = ["eth_call", { to: CONTRACT, gas: "0x2faf080" }, "latest", { [CONTRACT]: { code: ENDLESS } }];

describe("another client is answered as before, and the chain works afterwards", () => {
  test("while calls keep precompiles busy for as long as they may", async () => {
    const call = (precompile: number, data: string): Call => [
      "eth_call",
      { to: `0x${word(precompile, 20)}`, data: `0x${data}`, gas: "0x2faf080" },
      "latest",
    ];
    const rounds = word(45_000_000, 4) + "01".repeat(209);
    const bodies = [call(9, rounds), call(9, rounds), call(8, pairings(1000)), endless].map(requestOf);

    await expectLowLatency("precompiles", (signal) =>
      Promise.all(bodies.map((body) => post(`${url}/rpc`, body, signal))),
    );

    await expectWorks();
  });

  test("while a client behind a proxy calls forbidden methods", async () => {
    const calls: Call[] = [["evm_mine"], ["anvil_mine", 1000], ["eth_accounts"], ["evm_setIntervalMining", 1]];
    const body = batchOf(Array.from({ length: 500 }, (_, at) => calls[at % calls.length]!));
    const height = await ask(url, "eth_blockNumber");

    await expectLowLatency("trusted methods", async (signal) => {
      while (!signal.aborted) await post(`${url}/rpc`, body, signal, { "x-forwarded-for": "" });
    });

    assert.equal(await ask(url, "eth_blockNumber"), height);
    await expectWorks();
  });

  test("while well-known keys send unminable transactions", async () => {
    await ask(url, "evm_setAutomine", false);
    const gaps = accounts.slice(2).flatMap((from) =>
      Array.from({ length: 100 }, (_, gap): Call => {
        const fees = { gas: "0x5208", maxFeePerGas: `0x${(10 ** 10).toString(16)}`, maxPriorityFeePerGas: "0x1" };
        return ["eth_sendTransaction", { from, to: from, nonce: `0x${(gap + 1).toString(16)}`, ...fees }];
      }),
    );

    await expectLowLatency("the pool", (signal) => post(`${url}/rpc`, batchOf(gaps), signal));

    const { queued } = await ask<{ queued: string }>(url, "txpool_status");
    assert.ok(Number(queued) > 0 && Number(queued) <= 64 * (accounts.length - 2), queued);
    await expectWorks();
    await ask(url, "evm_setAutomine", true);
  });

  test("while batches and blocks are asked for by callers who leave", async () => {
    const batch = batchOf(Array.from({ length: 100 }, () => endless));

    await expectLowLatency("callers who leave", (signal) =>
      Promise.all([post(`${url}/rpc`, batch, signal), post(`${url}/rpc`, requestOf(["anvil_mine", 100_000]), signal)]),
    );

    await delay(300);
    const height = await ask(url, "eth_blockNumber");
    await delay(300);
    assert.equal(await ask(url, "eth_blockNumber"), height);
    await expectWorks();
  });
});
