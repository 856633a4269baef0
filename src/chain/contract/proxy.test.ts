import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import { threadCpuMs } from "../../../test/support/threadCpu.ts";
import type { Bytes } from "../encoding/bytes.ts";
import type { Hex } from "../encoding/hex.ts";
import { fromHex, toHex } from "../encoding/hex.ts";
import { keccak256 } from "../hashing/keccak.ts";
import { PROXY_SLOTS, proxyOf, proxySlots } from "./proxy.ts";

const SEED = firstSeed();
const CASES = Number(process.env.ORIEL_CASES ?? 2000);

const ADDRESS = `0x${"ab".repeat(20)}` as const;
const NO_SLOTS = new Map<Hex, Bytes>();
const DELEGATING = fromHex("0x5f5f5f5f5f355af4");

const hash = (text: string) => BigInt(toHex(keccak256(Buffer.from(text))));
const slot = (value: bigint): Hex => `0x${value.toString(16).padStart(64, "0")}`;
const word = (address: string, above = "0".repeat(24)) => fromHex(`0x${above}${address.slice(2)}`);
const shown = (code: Bytes, slots: ReadonlyMap<Hex, Bytes> = NO_SLOTS) => {
  const proxy = proxyOf(code, slots);
  return proxy && [proxy.type, ...proxy.implementations.map(toHex)];
};

const EIP1967 = slot(hash("eip1967.proxy.implementation") - 1n);
const BEACON = slot(hash("eip1967.proxy.beacon") - 1n);
const EIP1822 = slot(hash("PROXIABLE"));
const OLD_ZEPPELIN = slot(hash("org.zeppelinos.proxy.implementation"));

test("the slots to read are those that the standards derive", () => {
  assert.deepEqual(PROXY_SLOTS, [EIP1967, BEACON, EIP1822, OLD_ZEPPELIN, slot(0n)]);
});

test("an address in a slot makes code that can delegate a proxy, by the first slot that has one", () => {
  const all = new Map(PROXY_SLOTS.map((each) => [each, word(ADDRESS)]));

  assert.deepEqual(shown(DELEGATING, new Map([[EIP1822, word(ADDRESS)]])), ["eip1822", ADDRESS]);
  assert.deepEqual(shown(DELEGATING, new Map([[OLD_ZEPPELIN, word(ADDRESS)]])), ["eip1967_oz", ADDRESS]);
  assert.deepEqual(shown(DELEGATING, all), ["eip1967", ADDRESS]);
  assert.deepEqual(proxyOf(DELEGATING, new Map([[BEACON, word(ADDRESS)]])), {
    type: "eip1967_beacon",
    implementations: [],
    beacon: fromHex(ADDRESS),
  });
});

test("a slot with nothing, or with more than an address, says nothing", () => {
  assert.equal(shown(DELEGATING, new Map([[EIP1967, new Uint8Array(32)]])), undefined);
  assert.equal(shown(DELEGATING, new Map([[EIP1967, word(ADDRESS, "01".padStart(24, "0"))]])), undefined);
  assert.equal(shown(DELEGATING, new Map([[EIP1967, new Uint8Array(0)]])), undefined);
  assert.equal(shown(DELEGATING, new Map([[slot(0n), word(ADDRESS)]])), undefined, "slot 0 of what is no Safe");
});

test("code that cannot delegate is no proxy, whatever its storage", () => {
  const pushed = fromHex("0x60f461f4f2f3");
  const all = new Map(PROXY_SLOTS.map((each) => [each, word(ADDRESS)]));

  assert.equal(shown(pushed, all), undefined);
  assert.deepEqual(proxySlots(pushed), []);
  assert.deepEqual(proxySlots(new Uint8Array(0)), []);
  assert.deepEqual(proxySlots(DELEGATING), PROXY_SLOTS.slice(0, 4));
});

test("a delegation of EIP-7702 is 23 bytes, no more and no less", () => {
  assert.deepEqual(shown(fromHex(`0xef0100${ADDRESS.slice(2)}`)), ["eip7702", ADDRESS]);
  assert.deepEqual(proxySlots(fromHex(`0xef0100${ADDRESS.slice(2)}`)), []);
  assert.equal(shown(fromHex(`0xef0100${ADDRESS.slice(2)}00`)), undefined);
  assert.equal(shown(fromHex(`0xef0100${ADDRESS.slice(4)}`)), undefined);
});

test("a minimal proxy with a shorter address has a shorter push and jump, or is none", () => {
  const short = (size: number, push = 0x5f + size, jump = 0x17 + size) =>
    fromHex(
      `0x363d3d373d3d3d363d${push.toString(16)}${"ab".repeat(size)}5af43d82803e903d9160${jump.toString(16).padStart(2, "0")}57fd5bf3`,
    );

  for (let size = 1; size <= 20; size++) {
    assert.deepEqual(shown(short(size)), ["eip1167", `0x${"ab".repeat(size).padStart(40, "0")}`]);
  }
  assert.equal(shown(short(16, 0x6e)), undefined);
  assert.equal(shown(short(16, 0x6f, 0x28)), undefined);
  assert.equal(shown(short(21)), undefined);
});

test(`random code and storage neither throw nor take long (seed ${SEED})`, () => {
  const random = new Random(SEED);
  const start = threadCpuMs();
  for (let i = 0; i < CASES; i++) {
    const code = random.bytes(random.int(300));
    if (random.chance(0.5)) code.set(fromHex("0x363d3d373d3d3d363d73").subarray(0, code.length));
    const slots = new Map(PROXY_SLOTS.map((each) => [each, random.bytes(random.pick([0, 20, 32, 33]))]));

    proxyOf(code, slots);
    proxySlots(code);
  }
  assert.ok(threadCpuMs() - start < 2000 + CASES);
});
