import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { DevelopmentNode, EMITTER, emission, word } from "../../../../../test/support/developmentNode.ts";
import { waitsDuring } from "../../../../../test/support/otherClient.ts";
import { temporaryDirectory } from "../../../../../test/support/program.ts";
import { Random } from "../../../../../test/support/random.ts";
import { findAnvil, RealNode } from "../../../../../test/support/realNode.ts";
import { firstSeed } from "../../../../../test/support/seed.ts";
import type { Hex } from "../../../../chain/encoding/hex.ts";
import { MAX_STATE_BYTES } from "./jsonText.ts";

const SEED = firstSeed();

interface Asked {
  ask<T = unknown>(method: string, ...params: unknown[]): Promise<T>;
}

const encode = (state: unknown): Hex => `0x${gzipSync(JSON.stringify(state)).toString("hex")}`;
const decode = (dump: Hex) =>
  JSON.parse(gunzipSync(Buffer.from(dump.slice(2), "hex")).toString()) as { accounts: Record<Hex, object> };

/** Root node of the state trie. */
async function topOf(node: Asked): Promise<Hex> {
  const { accountProof } = await node.ask<{ accountProof: Hex[] }>(
    "eth_getProof",
    `0x${"00".repeat(20)}`,
    [],
    "latest",
  );
  return accountProof[0]!;
}

/** Random changes by blocks and by development methods. */
async function play(node: DevelopmentNode, random: Random): Promise<Hex> {
  const emitter = await node.deploy(EMITTER);
  const addresses = Array.from(
    { length: 12 },
    () =>
      `0x${random
        .int(2 ** 31)
        .toString(16)
        .padStart(40, "e")}`,
  );
  for (let step = 0; step < 40; step++) {
    const address = random.pick(addresses);
    const value = `0x${random.int(2 ** 30).toString(16)}`;
    const slot = word(random.int(20));
    await random.pick([
      () => node.send({ to: address, value: BigInt(value) }),
      () => node.send({ to: emitter, data: emission(1, random.int(100)) }),
      () => node.ask("hardhat_setBalance", address, value),
      () => node.ask("hardhat_setNonce", address, value),
      () => node.ask("hardhat_setCode", address, `0x60${value.slice(2).padStart(8, "0")}`),
      () => node.ask("hardhat_setStorageAt", random.pick([address, emitter]), slot, word(random.int(3))),
    ])();
  }
  return emitter;
}

test(`a state that is dumped is the same where it is loaded, after a restart too (seed ${SEED})`, async (t) => {
  const directory = temporaryDirectory(t);
  const random = new Random(SEED);
  const first = await DevelopmentNode.open({ directory });
  await play(first, random);
  const snapshot = await first.ask("evm_snapshot");
  await play(first, random);
  await first.ask("evm_revert", snapshot);
  await first.close();
  const source = await DevelopmentNode.open({ directory });
  const target = await DevelopmentNode.open();
  await target.ask("evm_mine");
  await source.ask("hardhat_mine", Number(await source.ask("eth_blockNumber")) === 0 ? 1 : 0);

  const dump = await source.ask<Hex>("anvil_dumpState");
  assert.equal(await target.ask("anvil_loadState", dump), true);

  const both = { ...decode(await target.ask<Hex>("hardhat_dumpState")).accounts };
  const history = `0x0000f90827f1c53a10cb7a02335b175320002935` as const;
  const roots = "0x000f3df6d732807ef1319fb7b8bb8522d0beac02" as const;
  const dumped = decode(dump).accounts;
  // System contracts differ by block times and hashes.
  for (const address of [history, roots]) for (const state of [both, dumped]) delete state[address];
  assert.deepEqual(both, dumped);
  await target.ask("anvil_loadState", await target.ask("anvil_dumpState"));
  const top = await topOf(target);
  await target.ask("anvil_loadState", await target.ask("anvil_dumpState"));
  assert.equal(await topOf(target), top);
  assert.match(
    await target.send({ nonce: Number(await target.ask("eth_getTransactionCount", target.account.address, "latest")) }),
    /^0x/,
  );
  await source.close();
  await target.close();
});

test("what is no state is refused, and nothing of it is kept", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const good = { nonce: 0, balance: "0x5", code: "0x", storage: {} };
  const [one, two] = [`0x${"aa".repeat(20)}`, `0x${"bb".repeat(20)}`];
  const before = await topOf(node);
  const states = [
    {},
    { accounts: [] },
    { accounts: { [one]: good, "0x12": good } },
    { accounts: { [one]: good, [two]: { ...good, balance: "5" } } },
    { accounts: { [one]: good, [two]: { ...good, nonce: -1 } } },
    { accounts: { [one]: good, [two]: { ...good, code: "0x1" } } },
    { accounts: { [one]: good, [two]: { ...good, storage: null } } },
    { accounts: { [one]: good, [two]: { ...good, storage: { "0x0": "zz" } } } },
    { padding: " ".repeat(MAX_STATE_BYTES), accounts: {} },
  ];
  for (const state of states) {
    await assert.rejects(
      node.ask("anvil_loadState", encode(state)),
      { code: -32_602 },
      JSON.stringify(state).slice(0, 99),
    );
  }
  for (const text of ["0x", "0x1f8b00", "0x7b", `0x${Buffer.from("[]").toString("hex")}`]) {
    await assert.rejects(node.ask("anvil_loadState", text), { code: -32_602 }, text);
  }

  assert.equal(await topOf(node), before);
  const plain = Buffer.from(JSON.stringify({ accounts: { [one]: good } })).toString("hex");
  assert.equal(await node.ask("anvil_loadState", `0x${plain}`), true);
  assert.equal(await node.ask("eth_getBalance", one, "latest"), "0x5");
});

/** Best of several: other load only makes a run longer. */
const TRIES = 3;

test("loading and dumping a large state yields to the event loop", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const slots = Array.from({ length: 6000 }, (_, slot) => [word(slot), word(slot + 1)]);
  const account = { nonce: 0, balance: "0x5", code: "0x00", storage: Object.fromEntries(slots) };
  const ask = () => node.ask("eth_blockNumber");
  const [loads, dumps]: [number[], number[]] = [[], []];

  for (let round = 1; round <= TRIES; round++) {
    const address: Hex = `0x${String(round).padStart(40, "a")}`;
    const loading = node.ask("anvil_loadState", encode({ accounts: { [address]: account } }));
    loads.push((await waitsDuring(loading, ask)).longestCpu);
    const dumping = node.ask<Hex>("anvil_dumpState");
    dumps.push((await waitsDuring(dumping, ask)).longestCpu);
    assert.deepEqual(decode(await dumping).accounts[address], account);
  }

  t.diagnostic(`others waited ${loads.map(Math.round)} ms for the load, ${dumps.map(Math.round)} for the dump`);
  assert.ok(Math.min(...loads) < 100 && Math.min(...dumps) < 100);
});

const ANVIL = findAnvil();

/** Anvil answers before the block of a transaction is made. */
async function mined(
  anvil: RealNode,
  transaction: Readonly<Record<string, unknown>>,
): Promise<{ contractAddress: Hex }> {
  const hash = await anvil.ask<Hex>("eth_sendTransaction", transaction);
  for (;;) {
    const receipt = await anvil.ask<{ contractAddress: Hex } | null>("eth_getTransactionReceipt", hash);
    if (receipt !== null) return receipt;
  }
}

test("anvil loads what we dump, and we load what anvil dumps", {
  skip: typeof ANVIL === "string" && ANVIL,
}, async (t: TestContext) => {
  assert.ok(typeof ANVIL !== "string");
  const anvil = await RealNode.start(t, ANVIL);
  const other = await RealNode.start(t, ANVIL);
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const from = anvil.accounts[0];
  const { contractAddress: emitter } = await mined(anvil, { from, data: EMITTER });
  await mined(anvil, { from, to: emitter, data: emission(1, 42) });
  await anvil.ask("anvil_setBalance", `0x${"cc".repeat(20)}`, "0x1234");
  const seen = (chain: Asked) =>
    Promise.all([
      chain.ask("eth_getBalance", `0x${"cc".repeat(20)}`, "latest"),
      chain.ask("eth_getBalance", from, "latest"),
      chain.ask("eth_getTransactionCount", from, "latest"),
      chain.ask("eth_getCode", emitter, "latest"),
      chain.ask("eth_getStorageAt", emitter, "0x0", "latest"),
    ]);
  const expected = await seen(anvil);

  assert.equal(await node.ask("anvil_loadState", await anvil.ask("anvil_dumpState")), true);
  assert.deepEqual(await seen(node), expected);
  assert.equal(await other.ask("anvil_loadState", await node.ask("anvil_dumpState")), true);
  assert.deepEqual(await seen(other), expected);
});
