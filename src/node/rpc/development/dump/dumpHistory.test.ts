import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { CHAIN_ID, DevelopmentNode, EMITTER, emission, word } from "../../../../../test/support/developmentNode.ts";
import { temporaryDirectory } from "../../../../../test/support/program.ts";
import { Random } from "../../../../../test/support/random.ts";
import { findAnvil, RealNode } from "../../../../../test/support/realNode.ts";
import { firstSeed } from "../../../../../test/support/seed.ts";
import type { Hex } from "../../../../chain/encoding/hex.ts";
import { quantity } from "../../../../chain/encoding/hex.ts";

const SEED = firstSeed();
const ANVIL = findAnvil();
const SKIPPED = { skip: typeof ANVIL === "string" && ANVIL };

interface Asked {
  ask<T = unknown>(method: string, ...params: unknown[]): Promise<T>;
}

interface Dump {
  blocks: { header: Record<string, Hex>; transactions: { transaction: Record<string, Hex> }[] }[];
  transactions: { info: Record<string, unknown>; receipt: Record<string, Hex> }[];
  historical_states: [Hex, { accounts: Record<Hex, { balance: Hex; code: object }> }][] | null;
  best_block_number: number | null;
}

const encode = (state: unknown): Hex => `0x${gzipSync(JSON.stringify(state)).toString("hex")}`;
const decode = (dump: Hex) => JSON.parse(gunzipSync(Buffer.from(dump.slice(2), "hex")).toString()) as Dump;

const FUNDED: Hex = `0x${"ab".repeat(20)}`;
const DELEGATED: Hex = `0x${"cd".repeat(20)}`;
/** Jumps over a byte that is no instruction, with the last PUSH cut off. */
const JUMPS: Hex = "0x600456fe5b60015f5260205ff35b61";

/** Transactions of several kinds, changes without a block, and an account that never signed. */
async function play(node: Asked, from: Hex): Promise<Hex> {
  const send = (fields: object) => node.ask<Hex>("eth_sendTransaction", { from, ...fields });
  const created = await send({ data: EMITTER });
  await node.ask("evm_mine");
  const { contractAddress: emitter } = await node.ask<{ contractAddress: Hex }>("eth_getTransactionReceipt", created);
  await send({ to: emitter, data: emission(1, 42), gas: "0x186a0" });
  await node.ask("anvil_setBalance", FUNDED, "0xde0b6b3a7640000");
  await send({ to: FUNDED, value: "0x5", gasPrice: "0x77359400" });
  await node.ask("anvil_impersonateAccount", FUNDED);
  await send({ from: FUNDED, to: from, value: "0x3" });
  await node.ask("anvil_setCode", DELEGATED, `0xef0100${emitter.slice(2)}`);
  await node.ask("evm_mine");
  await node.ask("anvil_setCode", FUNDED, JUMPS);
  await send({
    to: emitter,
    data: emission(2, 43),
    gas: "0x186a0",
    accessList: [{ address: emitter, storageKeys: [word(0)] }],
  });
  await node.ask("evm_mine");
  return emitter;
}

/** Each block, its transactions, and the state after it, according to either kind of node. */
async function seen(node: Asked, from: Hex, emitter: Hex, hasStates: boolean): Promise<unknown[]> {
  const head = Number(await node.ask("eth_blockNumber"));
  const all: unknown[] = [];
  for (let number = 0; number <= head; number++) {
    const at = quantity(number);
    const block = await node.ask<Record<string, unknown>>("eth_getBlockByNumber", at, true);
    const { transactions, size: _, totalDifficulty: __, withdrawals: ___, ...header } = block;
    const hashes = (transactions as Record<string, Hex>[]).map(({ from: sender, nonce, value, input, r }) => ({
      sender,
      nonce,
      value,
      input,
      r,
    }));
    const receipts = await node.ask<Record<string, unknown>[]>("eth_getBlockReceipts", at);
    const outcomes = receipts.map(({ status, gasUsed, logs, from: sender, contractAddress, effectiveGasPrice }) => ({
      status,
      gasUsed,
      sender,
      contractAddress,
      effectiveGasPrice,
      logs: (logs as Record<string, unknown>[]).map(({ address, topics, data, logIndex }) => ({
        address,
        topics,
        data,
        logIndex,
      })),
    }));
    const states = hasStates || number === head ? await stateAt(node, from, emitter, at) : undefined;
    all.push({ header, hashes, outcomes, states });
  }
  return all;
}

function stateAt(node: Asked, from: Hex, emitter: Hex, at: Hex): Promise<unknown[]> {
  return Promise.all([
    ...[from, emitter, FUNDED, DELEGATED].flatMap((address) => [
      node.ask("eth_getBalance", address, at),
      node.ask("eth_getTransactionCount", address, at),
      node.ask("eth_getCode", address, at),
    ]),
    node.ask("eth_getStorageAt", emitter, word(0), at),
    node.ask("eth_call", { to: FUNDED }, at),
  ]);
}

const anvilNode = (t: TestContext, ...args: string[]) => {
  assert.ok(typeof ANVIL !== "string");
  return RealNode.start(t, { ...ANVIL, args: [...ANVIL.args, ...args] });
};

async function developmentNode(t: TestContext, directory?: string): Promise<DevelopmentNode> {
  const node = await DevelopmentNode.open({ directory });
  t.after(() => node.close());
  return node;
}

for (const hasStates of [true, false]) {
  const what = hasStates ? "the states after past blocks" : "no state but the last";
  test(`blocks that anvil dumps are ours where they are loaded, with ${what}`, SKIPPED, async (t) => {
    const anvil = await anvilNode(t);
    const node = await developmentNode(t);
    const from = anvil.accounts[0]!;
    const emitter = await play(anvil, from);
    const expected = await seen(anvil, from, emitter, hasStates);

    assert.equal(await node.ask("anvil_loadState", await anvil.ask("anvil_dumpState", hasStates)), true);

    assert.deepEqual(await seen(node, from, emitter, hasStates), expected);
    if (!hasStates) {
      const unknown = {
        code: -32_000,
        message: /^missing trie node [0-9a-f]{64} \(path \) state 0x[0-9a-f]{64} is not/,
      };
      await assert.rejects(node.ask("eth_getBalance", from, "0x1"), unknown);
      await assert.rejects(node.ask("anvil_rollback", 2), unknown);
    }
    const before = Number(await node.ask("eth_blockNumber"));
    await node.ask("evm_mine");
    assert.equal(Number(await node.ask("eth_blockNumber")), before + 1);
  });

  test(`blocks that we dump are anvil's where it loads them, with ${what}`, SKIPPED, async (t) => {
    const node = await developmentNode(t);
    const anvil = await anvilNode(t, "--chain-id", String(CHAIN_ID));
    const from = node.account.address.toLowerCase() as Hex;
    const emitter = await play(node, from);
    const expected = await seen(node, from, emitter, hasStates);

    assert.equal(await anvil.ask("anvil_loadState", await node.ask("anvil_dumpState", hasStates)), true);

    assert.deepEqual(await seen(anvil, from, emitter, hasStates), expected);
    const before = Number(await anvil.ask("eth_blockNumber"));
    await anvil.ask("evm_mine");
    assert.equal(Number(await anvil.ask("eth_blockNumber")), before + 1);
  });
}

test("a chain that is loaded stays across a restart, and a reset goes back to its own beginning", async (t) => {
  const directory = temporaryDirectory(t);
  const source = await developmentNode(t);
  const from = source.account.address.toLowerCase() as Hex;
  const emitter = await play(source, from);
  const target = await DevelopmentNode.open({ directory, genesisTime: 1_600_000_000 });
  const own = await target.ask("eth_getBlockByNumber", "0x0", true);
  const money = await target.ask("eth_getBalance", from, "latest");
  await target.ask("hardhat_mine", "0x20");
  const expected = await seen(source, from, emitter, true);

  await target.ask("anvil_loadState", await source.ask("anvil_dumpState", true));
  await target.close();

  const reopened = await DevelopmentNode.open({ directory, genesisTime: 1_600_000_000 });
  t.after(() => reopened.close());
  assert.deepEqual(await seen(reopened, from, emitter, true), expected);
  const replayed = await reopened.ask("debug_traceBlockByNumber", "0x2", { tracer: "callTracer" });
  assert.deepEqual(replayed, await source.ask("debug_traceBlockByNumber", "0x2", { tracer: "callTracer" }));
  await reopened.ask("anvil_reset");
  assert.deepEqual(await reopened.ask("eth_getBlockByNumber", "latest", true), own);
  assert.equal(await reopened.ask("eth_getBalance", from, "latest"), money);
  assert.match(await reopened.send({ nonce: 0 }), /^0x/);
});

test("to load an earlier state of the same chain goes back to its block, and keeps the states below", async (t) => {
  const node = await developmentNode(t);
  const from = node.account.address.toLowerCase() as Hex;
  const emitter = await play(node, from);
  const dump = await node.ask("anvil_dumpState");
  const [head, expected] = [await node.ask("eth_blockNumber"), await seen(node, from, emitter, true)];
  const snapshot = await node.ask("evm_snapshot");
  await node.ask("hardhat_mine", "0x10");
  const later = await node.ask("evm_snapshot");

  await node.ask("anvil_loadState", dump);

  assert.equal(await node.ask("eth_blockNumber"), head);
  assert.deepEqual(await seen(node, from, emitter, true), expected);
  assert.equal(await node.ask("evm_revert", later), false);
  assert.equal(await node.ask("evm_revert", snapshot), true);
});

test(`a dump with a block that was tampered with is refused, and nothing of it is kept (seed ${SEED})`, async (t) => {
  const random = new Random(SEED);
  const source = await developmentNode(t);
  const target = await DevelopmentNode.open({ genesisTime: 1_600_000_000 });
  t.after(() => target.close());
  await play(source, source.account.address.toLowerCase() as Hex);
  await target.ask("hardhat_mine", "0x2");
  const dump = await source.ask<Hex>("anvil_dumpState", true);
  const before = await target.ask("eth_getBlockByNumber", "latest", true);
  const changes: ((dump: Dump) => void)[] = [
    (it) => alter(random, it.blocks[random.int(it.blocks.length - 1)]!.header),
    (it) => alter(random, random.pick(it.blocks.flatMap((block) => block.transactions)).transaction),
    (it) => alter(random, random.pick(it.transactions).receipt),
    (it) => {
      random.pick(it.blocks).transactions.push(...it.blocks.flatMap((block) => block.transactions));
    },
    (it) => {
      it.transactions.splice(random.int(it.transactions.length), 1);
    },
    (it) => {
      random.pick(it.transactions).info.gas_used = 1;
    },
    (it) => {
      random.pick(it.historical_states!)[0] = "0x1";
    },
    (it) => {
      for (const account of Object.values(random.pick(it.historical_states!)[1].accounts)) account.code = {};
    },
    (it) => {
      for (const account of Object.values(random.pick(it.historical_states!)[1].accounts)) account.balance = "0x";
    },
  ];

  for (let round = 0; round < 60; round++) {
    const tampered = decode(dump);
    changes[round % changes.length]!(tampered);
    await assert.rejects(target.ask("anvil_loadState", encode(tampered)), { code: -32_602 }, `round ${round}`);
    assert.deepEqual(await target.ask("eth_getBlockByNumber", "latest", true), before);
  }
  assert.equal(await target.ask("anvil_loadState", dump), true);
});

test("a dump whose block numbers have a gap is refused", async (t) => {
  const [source, target] = [await developmentNode(t), await developmentNode(t)];
  await source.ask("hardhat_mine", "0x1");
  const dump = decode(await source.ask<Hex>("anvil_dumpState"));
  dump.blocks.at(-1)!.header.number = "0xf4240";
  Object.assign(dump, { best_block_number: 1_000_000 });

  await assert.rejects(target.ask("anvil_loadState", encode(dump)), { code: -32_602, message: /there is no block 1$/ });
});

/** Makes one field something else. */
function alter(random: Random, record: Record<string, unknown>): void {
  const isChangeable = (name: string) =>
    typeof record[name] === "string" && !["hash", "yParity", "type"].includes(name);
  const names = Object.keys(record).filter(isChangeable);
  const name = random.pick(names);
  const text = String(record[name]);
  const at = 2 + random.int(Math.max(1, text.length - 2));
  const other = ((Number.parseInt(text[at] ?? "0", 16) + 1 + random.int(15)) % 16).toString(16);
  record[name] = random.pick([`${text.slice(0, at)}${other}${text.slice(at + 1)}`, "zz", {}]);
}

test("a dump whose blocks do not reach back to the first is loaded without them", async (t) => {
  const [source, target] = [await developmentNode(t), await developmentNode(t)];
  await play(source, source.account.address.toLowerCase() as Hex);
  const dump = decode(await source.ask("anvil_dumpState"));
  dump.blocks = dump.blocks.filter(({ header }) => Number(header.number) > 1);

  assert.equal(await target.ask("anvil_loadState", encode(dump)), true);

  assert.equal(await target.ask("eth_blockNumber"), "0x0");
  assert.equal(await target.ask("eth_getCode", FUNDED, "latest"), JUMPS);
});

test("blocks of another fork are refused with what to start with", SKIPPED, async (t) => {
  const anvil = await anvilNode(t, "--hardfork", "shanghai");
  const node = await developmentNode(t);

  const loading = node.ask("anvil_loadState", await anvil.ask("anvil_dumpState"));

  await assert.rejects(loading, { code: -32_602, message: /block 0: it is of another fork than .* --hardfork/ });
});

test("blocks that do not fit are left out, unless their states are asked for", async (t) => {
  const node = await developmentNode(t);
  const data: Hex = `0x${"00".repeat(120_000)}`;
  for (let sent = 0; sent < 70; sent++) await node.send({ data, gas: 2_000_000n });

  const dump = decode(await node.ask("anvil_dumpState"));

  assert.deepEqual([dump.best_block_number, dump.blocks, dump.transactions], [null, [], []]);
  await assert.rejects(node.ask("anvil_dumpState", true), { code: -32_003 });
});
