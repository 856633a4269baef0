import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Common, Hardfork, Mainnet } from "@ethereumjs/common";
import { createEVM } from "@ethereumjs/evm";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { bn254 } from "@noble/curves/bn254.js";
import { DevelopmentNode } from "../../../test/support/developmentNode.ts";
import { computed, longestHold } from "../../../test/support/longestHold.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";

let node: DevelopmentNode;

before(async () => {
  node = await DevelopmentNode.open();
});

after(() => node.close());

const word = (value: bigint | number, bytes = 32) =>
  BigInt(value)
    .toString(16)
    .padStart(2 * bytes, "0");
const bytes = (digits: string): Uint8Array => new Uint8Array(Buffer.from(digits, "hex"));
const at = (number: number): Hex => `0x${word(number, 20)}`;

/** BLAKE2b's compression with some rounds. */
const blake2f = (rounds: number) => bytes(word(rounds, 4) + "01".repeat(209));

function pairings(count: number): Uint8Array {
  const { x, y } = bn254.G1.Point.BASE.toAffine();
  const { x: x2, y: y2 } = bn254.G2.Point.BASE.toAffine();
  const pair = word(x) + word(y) + word(x2.c1) + word(x2.c0) + word(y2.c1) + word(y2.c0);
  return bytes(pair.repeat(count));
}

function products(count: number): Uint8Array {
  const { x, y } = bls12_381.G1.Point.BASE.toAffine();
  return bytes((word(x, 64) + word(y, 64) + "ff".repeat(32)).repeat(count));
}

/** Odd numbers of some bytes. */
function powers(size: number): Uint8Array {
  return bytes(word(size) + word(size) + word(size) + "ff".repeat(3 * size));
}

/** Code that calls a contract with so many zeros again and again. */
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
];

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

test("calls that would take seconds end in time, and others are answered meanwhile", async () => {
  const call = (number: number, data: Uint8Array) =>
    node.ask("eth_call", { to: at(number), data: toHex(data), gas: "0x2faf080" }, "latest").then(
      () => "answered",
      ({ message }: Error) => message,
    );
  let isRunning = true;
  const waits: number[] = [];
  const others = (async () => {
    while (isRunning) {
      const start = performance.now();
      await node.ask("eth_blockNumber");
      waits.push(performance.now() - start);
      await delay(5);
    }
  })();
  const start = performance.now();
  const ends = await Promise.all([
    call(0x09, blake2f(45_000_000)),
    call(0x09, blake2f(45_000_000)),
    call(0x08, pairings(1000)),
    call(0x0c, products(2000)),
  ]);
  const milliseconds = performance.now() - start;
  isRunning = false;
  await others;

  assert.deepEqual(new Set(ends), new Set(["execution aborted (timeout = 5s)"]));
  assert.ok(milliseconds < 15_000, `${milliseconds}`);
  const longest = Math.max(...waits);
  assert.ok(waits.length > 50 && longest < 1000, `${waits.length} answers, the longest after ${longest} ms`);
  console.log(`others waited ${longest.toFixed(1)} ms at most`);
  await node.send();
});

/** Small enough not to be sent to a thread, and the worst of each. */
const LOOPS: readonly (readonly [name: string, number: number, size: number])[] = [
  ["ecrecover", 0x01, 128],
  ["SHA-256 of 1 MiB", 0x02, 1 << 20],
  ["SHA-256 of 4 MiB", 0x02, 1 << 22],
  ["RIPEMD-160 of 256 KiB", 0x03, 1 << 18],
  ["RIPEMD-160 of 1 MiB", 0x03, 1 << 20],
  ["identity of 4 MiB", 0x04, 1 << 22],
  ["bn254 addition", 0x06, 128],
  ["bn254 multiplication", 0x07, 96],
  ["bn254 pairing", 0x08, 192],
  ["BLS G1 addition", 0x0b, 256],
  ["BLS G1 product", 0x0c, 160],
  ["BLS G2 addition", 0x0d, 512],
  ["BLS G2 product", 0x0e, 288],
  ["BLS map to G1", 0x10, 64],
  ["BLS map to G2", 0x11, 128],
];

test("no loop over a precompiled contract holds the thread", async () => {
  for (const [name, number, size] of LOOPS) {
    const overrides = { [at(0xff)]: { code: looping(number, size) } };
    const call = () =>
      node.ask("eth_call", { to: at(0xff), gas: "0x7a1200" }, "latest", overrides).catch(() => "out of gas");

    let held = await longestHold(call);
    for (let round = 0; round < 3 && held >= 50; round++) held = await longestHold(call);

    assert.ok(held < 50, `${name} holds it for ${held.toFixed(0)} ms`);
  }
});

test("thirty such calls in flight delay nobody by more than 100 ms, and a block is made on time", async () => {
  const overrides = { [at(0xff)]: { code: looping(0x03, 1 << 18) } };
  let isRunning = true;
  const calls = Array.from({ length: 30 }, () =>
    node.ask("eth_call", { to: at(0xff), gas: "0x2faf080" }, "latest", overrides).catch(() => "ended"),
  );
  const done = Promise.all(calls).then(() => {
    isRunning = false;
  });
  const waits: number[] = [];
  const timed = async (work: () => Promise<unknown>) => {
    const before = computed();
    await work();
    waits.push(computed() - before);
  };

  await timed(() => node.send());
  while (isRunning) {
    await timed(() => node.ask("eth_chainId"));
    await delay(5);
  }
  await done;

  const worst = waits.sort((a, b) => b - a)[0]!;
  assert.ok(waits.length > 20 && worst < 100, `${waits.length} answers, the slowest after ${worst.toFixed(0)} ms`);
});
