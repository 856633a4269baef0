import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { demonstrated, SCENE_BLOCKS } from "../../test/support/demonstrated.ts";
import { DevelopmentNode } from "../../test/support/developmentNode.ts";
import { CAN_LIMIT, limitFiles } from "../../test/support/fileLimit.ts";
import { temporaryDirectory } from "../../test/support/program.ts";
import { until } from "../../test/support/waiting.ts";
import type { Hex } from "../chain/encoding/hex.ts";
import { toHex } from "../chain/encoding/hex.ts";
import { Actors } from "./actors.ts";
import { Demonstration } from "./demonstration.ts";
import { readMark } from "./mark.ts";

const BLOCKS = SCENE_BLOCKS + 16;

const SEED = "kept";

const UNHEARD = { onError: () => {}, onEnd: () => {} };

/** Head after so many blocks from that seed, on every machine. Changes with the scene or the traffic. */
const HEAD = "0x934b0bb322384f7860b7ff30a374a08690cddf9af805d8b43dd70a616703aee1";

test("a seed gives the same chain everywhere: marked blocks, spread over its days, with proposers", async () => {
  const { node, demonstration, headHash } = await demonstrated({ seed: SEED, blocks: BLOCKS });
  await demonstration.buildPast();
  const { chain } = node.node.context;
  const headers = Array.from({ length: BLOCKS }, (_, index) => chain.block(index + 1)!.header);

  assert.equal(headHash(), HEAD);
  assert.deepEqual(
    headers.map(({ extraData }) => readMark(extraData)),
    headers.map((_, index) => index),
  );
  const begin = chain.block(0)!.header.timestamp;
  assert.ok(headers.at(-1)!.timestamp < begin + 7 * 86_400);
  assert.ok(headers.at(-1)!.timestamp > begin + 6.5 * 86_400);
  const { validators } = new Actors("testnet");
  assert.deepEqual(new Set(headers.map(({ miner }) => toHex(miner))), new Set(validators));
  await node.close();
});

test("history that does not fit on the disk waits, and continues to the same chain", {
  skip: !CAN_LIMIT,
}, async (t) => {
  const directory = temporaryDirectory(t);
  const options = { seed: SEED, blocks: BLOCKS, roomCheck: 20 };
  const { node, demonstration, errors, headHash } = await demonstrated(options, { directory });
  t.after(() => limitFiles());
  limitFiles(statSync(join(directory, "node.sqlite-wal")).size + 2_000_000);

  const building = demonstration.buildPast();
  await until("it has no room", () => errors.length > 0);
  const { done } = demonstration.progress;
  await delay(200);

  assert.match(errors[0]!.message, /^the past of the demonstration waits for room: the chain cannot be written, /);
  assert.equal(errors.length, 1);
  assert.equal(demonstration.progress.done, done);
  limitFiles();
  await building;
  assert.equal(headHash(), HEAD);
  await node.close();
});

test("another seed gives another chain", async () => {
  const { node, demonstration, headHash } = await demonstrated({ seed: "another", blocks: BLOCKS });
  await demonstration.buildPast();

  assert.notEqual(headHash(), HEAD);
  await node.close();
});

test("history whose process was killed continues to the same chain", async (t) => {
  const directory = temporaryDirectory(t);
  const script = fileURLToPath(new URL("../../test/support/demonstrationProcess.ts", import.meta.url));
  const args = [script, directory, SEED, String(BLOCKS)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let done = 0;
  for await (const line of child.stdout.setEncoding("utf8")) {
    done = Number((line as string).trim().split("\n").at(-1));
    if (done > SCENE_BLOCKS + 2) break;
  }
  child.kill("SIGKILL");
  await once(child, "exit");

  const { node, demonstration, headHash } = await demonstrated({ seed: "another", blocks: 1 }, { directory });
  const { done: kept, blocks } = demonstration.progress;
  assert.ok(kept >= done && kept < blocks, `it was in the middle: ${kept} of ${blocks}`);
  await demonstration.buildPast();

  assert.equal(headHash(), HEAD);
  await node.close();
  const again = await demonstrated({}, { directory });
  assert.equal(again.demonstration.isComplete, true);
  assert.deepEqual(again.demonstration.progress, { done: BLOCKS, blocks: BLOCKS });
  await again.node.close();
});

test("the past can be stopped", async () => {
  const { node, demonstration } = await demonstrated();
  const stop = new AbortController();
  node.node.context.chain.watch(() => {
    if (demonstration.progress.done === 5) stop.abort();
  });
  await demonstration.buildPast(stop.signal);

  assert.deepEqual([demonstration.isComplete, demonstration.progress.done], [false, 5]);
  await node.close();
});

test("a user's transaction sent while history is made is mined after it, and a requested block does not disturb it", async () => {
  const { node, demonstration } = await demonstrated();
  const isBuilt = demonstration.buildPast();
  await node.ask("evm_mine");
  const hash = await node.send({ value: 5n });
  assert.equal(await node.ask("eth_getTransactionReceipt", hash), null);
  await isBuilt;

  const { chain } = node.node.context;
  const receipt = await node.ask<{ blockNumber: Hex }>("eth_getTransactionReceipt", hash);
  assert.equal(Number(receipt.blockNumber), SCENE_BLOCKS + 2);
  assert.ok(chain.block(SCENE_BLOCKS + 1)!.header.timestamp < chain.block(0)!.header.timestamp + 7 * 86_400);
  assert.ok(Math.abs(chain.head.header.timestamp - Date.now() / 1000) < 60);
  await node.close();
});

test("if a user's block has the present time, contracts are still deployed and the rest of the history is dropped", async () => {
  const { node, demonstration } = await demonstrated({ blocks: BLOCKS });
  const isBuilt = demonstration.buildPast();
  const present = 1_700_000_000 + 8 * 86_400;
  await node.ask("evm_setNextBlockTimestamp", present);
  await node.ask("evm_mine");
  await isBuilt;

  assert.equal(demonstration.isComplete, true);
  assert.equal(Number(await node.ask("eth_blockNumber")), SCENE_BLOCKS + 1);
  assert.ok(node.node.context.chain.head.header.timestamp < present + 100);
  await node.close();
});

describe("live traffic", () => {
  let node: DevelopmentNode;
  let demonstration: Demonstration;
  let errors: Error[];
  let ends: string[];
  let snapshot: Hex;

  before(async () => {
    const built = await demonstrated();
    ({ node } = built);
    await built.demonstration.buildPast();
  });
  after(() => node.close());

  beforeEach(async () => {
    snapshot = await node.ask("evm_snapshot");
    [errors, ends] = [[], []];
    const onError = (error: unknown) => errors.push(error as Error);
    const onEnd = (reason: string) => ends.push(reason);
    const opened = await Demonstration.open(node.node, { network: "testnet", onError, onEnd });
    assert.ok("demonstration" in opened);
    ({ demonstration } = opened);
  });
  afterEach(() => node.ask("evm_revert", snapshot));

  test("continues after the history, whatever users did", async () => {
    const [ada, bruno] = new Actors("testnet").people;
    // A user uses an actor's account, empties another, and moves the time.
    await node.ask("hardhat_impersonateAccount", ada!.address);
    await node.ask("eth_sendTransaction", { from: ada!.address, to: bruno!.address, value: "0x1" });
    await node.ask("hardhat_setBalance", bruno!.address, "0xde0b6b3a7640000");
    await node.ask("evm_increaseTime", 86_400);
    const before = Number(await node.ask("eth_blockNumber"));
    for (let round = 0; round < 25; round++) assert.equal(await demonstration.live(), true);

    assert.equal(Number(await node.ask("eth_blockNumber")), before + 25);
    assert.deepEqual(errors, []);
  });

  test("waits where nothing is mined, and does not pile up", async () => {
    await node.ask("evm_setAutomine", false);
    for (let round = 0; round < 5; round++) assert.equal(await demonstration.live(), true);
    const { size } = node.node.context.pool;
    await node.ask("evm_setAutomine", true);

    assert.ok(size >= 1 && size < 12, String(size));
    assert.equal(node.node.context.pool.size, 0);
  });

  test("ends and says so where the chain refuses it again and again", async () => {
    for (const address of Demonstration.funded("testnet")) await node.ask("hardhat_setBalance", address, "0x0");
    let rounds = 0;
    while (await demonstration.live()) rounds++;

    assert.equal(rounds, 9);
    assert.deepEqual([errors.length, ends], [10, ["the chain refused it 10 times in a row"]]);
  });

  test("ends and says so once the chain is reset, and the chain stays without a demonstration", async () => {
    await node.ask("hardhat_reset");

    assert.deepEqual([await demonstration.live(), await demonstration.live()], [false, false]);
    assert.deepEqual([errors, ends], [[], ["the chain went back to before its contracts"]]);
    assert.deepEqual(await Demonstration.open(node.node, { network: "testnet", ...UNHEARD }), {
      off: "the chain was taken back to before its end",
    });
  });
});

test("a chain that began without it has no demonstration", async () => {
  const open = async (node: DevelopmentNode) => {
    const opened = await Demonstration.open(node.node, { network: "testnet", ...UNHEARD });
    await node.close();
    return opened;
  };
  const used = await DevelopmentNode.open({ funded: Demonstration.funded("testnet") });
  await used.ask("evm_mine");

  assert.deepEqual(await open(used), { off: "the chain began without it" });
  assert.deepEqual(await open(await DevelopmentNode.open()), { off: "the chain began without accounts for it" });
  const small = { funded: Demonstration.funded("testnet"), gasLimit: 1_000_000 };
  assert.deepEqual(await open(await DevelopmentNode.open(small)), { off: "blocks have less than 8000000 gas" });
});
