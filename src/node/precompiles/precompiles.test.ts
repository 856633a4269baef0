import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { getPriority } from "node:os";
import type { TestContext } from "node:test";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Common, Hardfork, Mainnet } from "@ethereumjs/common";
import { createEVM } from "@ethereumjs/evm";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { bn254 } from "@noble/curves/bn254.js";
import { DevelopmentNode } from "../../../test/support/developmentNode.ts";
import { typicalEventLoopDelay } from "../../../test/support/eventLoopDelay.ts";
import { threadCpuMs } from "../../../test/support/threadCpu.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";

let node: DevelopmentNode;

before(async () => {
  node = await DevelopmentNode.open();
});

after(() => node.close());

async function openWith(t: TestContext, milliseconds: number): Promise<DevelopmentNode> {
  const throttled = await DevelopmentNode.open({ callLimits: { gas: 50_000_000n, milliseconds } });
  t.after(() => throttled.close());
  return throttled;
}

const word = (value: bigint | number, bytes = 32) =>
  BigInt(value)
    .toString(16)
    .padStart(2 * bytes, "0");
const bytes = (digits: string): Uint8Array => new Uint8Array(Buffer.from(digits, "hex"));
const at = (number: number): Hex => `0x${word(number, 20)}`;

/** BLAKE2b compression with some rounds. */
const blake2f = (rounds: number) => bytes(word(rounds, 4) + "01".repeat(209));

function pairings(count: number): Uint8Array {
  const { x, y } = bn254.G1.Point.BASE.toAffine();
  const { x: x2, y: y2 } = bn254.G2.Point.BASE.toAffine();
  const pair = word(x) + word(y) + word(x2.c1) + word(x2.c0) + word(y2.c1) + word(y2.c0);
  return bytes(pair.repeat(count));
}

function blsPairings(count: number): Uint8Array {
  const { x, y } = bls12_381.G1.Point.BASE.toAffine();
  const { x: x2, y: y2 } = bls12_381.G2.Point.BASE.toAffine();
  const pair = [x, y, x2.c0, x2.c1, y2.c0, y2.c1].map((value) => word(value, 64)).join("");
  return bytes(pair.repeat(count));
}

function products(count: number): Uint8Array {
  const { x, y } = bls12_381.G1.Point.BASE.toAffine();
  return bytes((word(x, 64) + word(y, 64) + "ff".repeat(32)).repeat(count));
}

function powers(size: number): Uint8Array {
  return bytes(word(size) + word(size) + word(size) + "ff".repeat(3 * size));
}

/** Code that calls a precompile in a loop with zero input. */
function looping(number: number, size: number): Hex {
  return `0x5b5f5f63${word(size, 4)}5f60${word(number, 1)}5afa505f56`;
}

const CALLS: readonly (readonly [number, Uint8Array])[] = [
  [0x05, powers(200)],
  [0x08, pairings(3)],
  [0x08, bytes("11".repeat(400))],
  [0x09, blake2f(20_000)],
  [0x0c, products(3)],
  [0x0c, bytes("22".repeat(320))],
  [0x0e, bytes("00".repeat(288 * 2))],
  [0x0f, bytes("00".repeat(384 * 2))],
  [0x0f, blsPairings(2)],
];

test("the first pairing after a start does not hold the thread", async () => {
  for (const [number, data] of [
    [0x08, pairings(1)],
    [0x0f, blsPairings(1)],
  ] as const) {
    const before = threadCpuMs();
    await node.ask<Hex>("eth_call", { to: at(number), data: toHex(data), gas: "0x1c9c380" }, "latest");
    assert.ok(threadCpuMs() - before < 50, at(number));
  }
});

test("contracts that take long answer what the library answers where they stand", async () => {
  const machine = await createEVM({ common: new Common({ chain: Mainnet, hardfork: Hardfork.Prague }) });
  for (const [number, data] of CALLS) {
    const precompile = machine.precompiles.get(word(number, 20))!;
    const expected = await precompile({ data, gasLimit: 30_000_000n, common: machine.common, _EVM: machine });
    const answer = node.ask<Hex>("eth_call", { to: at(number), data: toHex(data), gas: "0x1c9c380" }, "latest");
    if (expected.exceptionError === undefined) assert.equal(await answer, toHex(expected.returnValue), at(number));
    else await assert.rejects(answer, at(number));
  }
});

test("a transaction may call them, and costs what it did", async () => {
  const data = toHex(blake2f(20_000));
  const hash = await node.send({ to: at(0x09), data, gas: 200_000n });
  const receipt = await node.ask<{ gasUsed: Hex; status: Hex }>("eth_getTransactionReceipt", hash);

  assert.equal(receipt.status, "0x1");
  assert.ok(Number(receipt.gasUsed) > 20_000);
});

test("the thread of precompiled contracts gives way to others", { skip: process.platform !== "linux" }, async () => {
  const own = getPriority(0);

  await node.ask("eth_call", { to: at(0x08), data: toHex(pairings(3)), gas: "0x1c9c380" }, "latest");

  const threads = readdirSync("/proc/self/task").map((id) => getPriority(Number(id)));
  assert.ok(own >= 5 || threads.includes(5), `${own}: ${threads.join(" ")}`);
});

test("precompile calls that would take seconds time out, and other calls are answered", async (t) => {
  const throttled = await openWith(t, 1000);
  const call = (number: number, data: Uint8Array) =>
    throttled.ask("eth_call", { to: at(number), data: toHex(data), gas: "0x2faf080" }, "latest").then(
      () => "answered",
      ({ message }: Error) => message,
    );
  let isRunning = true;
  const waits: number[] = [];
  const others = (async () => {
    while (isRunning) {
      const start = performance.now();
      await throttled.ask("eth_blockNumber");
      waits.push(performance.now() - start);
      await delay(5);
    }
  })();
  const start = performance.now();
  const ends = await Promise.all([
    call(0x08, pairings(1000)),
    call(0x08, pairings(1200)),
    call(0x0c, products(1800)),
    call(0x0c, products(2000)),
  ]);
  const milliseconds = performance.now() - start;
  isRunning = false;
  await others;

  assert.deepEqual(new Set(ends), new Set(["execution aborted (timeout = 1s)"]));
  assert.ok(milliseconds < 10_000, `${milliseconds}`);
  const longest = Math.max(...waits);
  assert.ok(waits.length > 20 && longest < 1000, `${waits.length} answers, the longest after ${longest} ms`);
  console.log(`others waited ${longest.toFixed(1)} ms at most`);
  await throttled.send();
});

/** Code that runs CREATE2 with 48 kB of init code in a loop. */
const CREATING: Hex = "0x5b5a6200c0005f5ff5505f56";

/** Worst case per precompile; most run inline. */
const LOOPS: Readonly<Record<string, Hex>> = {
  ecrecover: looping(0x01, 128),
  "SHA-256 of 1 MiB": looping(0x02, 1 << 20),
  "SHA-256 of 4 MiB": looping(0x02, 1 << 22),
  "RIPEMD-160 of 256 KiB": looping(0x03, 1 << 18),
  "RIPEMD-160 of 1 MiB": looping(0x03, 1 << 20),
  "identity of 4 MiB": looping(0x04, 1 << 22),
  "bn254 addition": looping(0x06, 128),
  "bn254 multiplication": looping(0x07, 96),
  "bn254 pairing": looping(0x08, 192),
  "BLS G1 addition": looping(0x0b, 256),
  "BLS G1 product": looping(0x0c, 160),
  "BLS G2 addition": looping(0x0d, 512),
  "BLS G2 product": looping(0x0e, 288),
  "BLS pairing": looping(0x0f, 384),
  "BLS map to G1": looping(0x10, 64),
  "BLS map to G2": looping(0x11, 128),
  "CREATE2 of 48 kB": CREATING,
};

/** Milliseconds per call. */
const LOOP_TIME = 60 * Number(process.env.ORIEL_CASES ?? 1);

/** The longest of each kind. */
const SLOWEST = /4 MiB|RIPEMD|bn254 [mp]|product|G2|CREATE2/;
const AMONG = Object.entries(LOOPS).filter(([name]) => process.env.ORIEL_CASES !== undefined || SLOWEST.test(name));

const askLooping = (asked: DevelopmentNode, code: Hex) =>
  asked
    .ask("eth_call", { to: at(0xff), gas: "0x2faf080" }, "latest", { [at(0xff)]: { code } })
    .catch(({ message }: Error) => message);

test("no loop over a precompiled contract holds the thread", async (t) => {
  const throttled = await openWith(t, LOOP_TIME);

  for (const [name, code] of Object.entries(LOOPS)) {
    const held = await typicalEventLoopDelay(() => askLooping(throttled, code), 50);

    assert.ok(held < 50, `${name} holds it for ${held.toFixed(0)} ms`);
  }
});

test("thirty such calls in flight delay others by at most 100 ms, and a block is made on time", async (t) => {
  const throttled = await openWith(t, LOOP_TIME);

  for (const [name, code] of AMONG) {
    let waits = await waitsAmong(throttled, code);
    for (let round = 0; round < 3 && Math.max(...waits) >= 100; round++) waits = await waitsAmong(throttled, code);

    const worst = Math.max(...waits).toFixed(0);
    assert.ok(
      waits.length > 3 && Number(worst) < 100,
      `${name}: ${waits.length} answers, the slowest after ${worst} ms`,
    );
  }
});

/** CPU time until a transaction is mined and other calls are answered, with thirty such calls in flight. */
async function waitsAmong(asked: DevelopmentNode, code: Hex): Promise<number[]> {
  let isRunning = true;
  const done = Promise.all(Array.from({ length: 30 }, () => askLooping(asked, code))).then(() => {
    isRunning = false;
  });
  const waits: number[] = [];
  const timed = async (work: () => Promise<unknown>) => {
    const before = threadCpuMs();
    await work();
    waits.push(threadCpuMs() - before);
  };
  await timed(() => asked.send());
  while (isRunning) {
    await timed(() => asked.ask("eth_chainId"));
    await delay(5);
  }
  await done;
  return waits;
}
