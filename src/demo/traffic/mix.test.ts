import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Demonstrated } from "../../../test/support/demonstrated.ts";
import { demonstrated } from "../../../test/support/demonstrated.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { MinedBlock } from "../../node/block/minedBlock.ts";
import { Actors } from "../actors.ts";
import { loadArtifacts } from "../artifacts.ts";
import { Random } from "../random.ts";
import type { Scene } from "../scene/scene.ts";
import { planScene } from "../scene/scene.ts";
import { specOf } from "../scene/spec.ts";
import { signAll } from "../sending.ts";
import { View } from "../view.ts";
import { WAYS } from "./failures.ts";
import { KINDS } from "./mix.ts";
import type { Activity } from "./trafficContext.ts";
import { TrafficContext } from "./trafficContext.ts";

const SEED = "mix";
const TRIES = 40;

describe("traffic", () => {
  let chain: Demonstrated;
  let scene: Scene;

  before(async () => {
    chain = await demonstrated({ seed: SEED });
    await chain.demonstration.buildPast();
    const loaded = loadArtifacts();
    assert.ok("artifacts" in loaded);
    scene = planScene(specOf("testnet"), new Actors("testnet"), loaded.artifacts);
  });
  after(() => chain.node.close());

  /** Mines the block of an act; some acts need several attempts. */
  async function blockOf(act: Activity, name: string): Promise<MinedBlock> {
    const { context } = chain.node.node;
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const view = new View(context);
      const random = new Random(`${name} ${attempt}`);
      const time = context.chain.head.header.timestamp + 60;
      const intents = await act(new TrafficContext({ scene, seed: SEED, view, random, time }));
      if (intents.length === 0) continue;
      const signed = await signAll(context, view, intents, random);
      for (const tx of signed) if (tx.sidecar !== undefined) await context.pool.add(tx);
      return await context.miner.mineTransactions(signed, { timestamp: time });
    }
    throw new Error(`${name} gave nothing in ${TRIES} tries`);
  }

  for (const { name, act } of KINDS.filter((kind) => kind.name !== "failed transaction")) {
    test(`${name}: all of it succeeds`, async () => {
      const block = await blockOf(act, name);

      assert.deepEqual(new Set(block.receipts.map(({ status }) => status)), new Set([1]));
    });
  }

  test("there are transactions of all five types", async () => {
    const types = new Set<number>();
    const acts = KINDS.filter(({ name }) => /^(coin|token) transfer|blob|delegation/.test(name)).map(({ act }) => act);
    for (let round = 0; types.size < 5 && round < 60; round++) {
      const { transactions } = await blockOf(acts[round % acts.length]!, `type ${round}`);
      for (const { type } of transactions) types.add(type);
    }

    assert.deepEqual([...types].sort(), [0, 1, 2, 3, 4]);
  });

  test("what fails says why, in words or in errors of the contracts' own", async () => {
    const reasons: string[] = [];
    for (const [index, way] of WAYS.entries()) {
      const { transactions, receipts } = await blockOf(way, `failure ${index}`);
      assert.equal(receipts.at(-1)!.status, 0, way.name);
      const hash = toHex(transactions.at(-1)!.hash);
      const trace = await chain.node.ask<{ error: string; revertReason?: string; output?: string }>(
        "debug_traceTransaction",
        hash,
        { tracer: "callTracer" },
      );
      reasons.push(trace.revertReason || trace.output?.slice(0, 10) || trace.error);
    }

    assert.deepEqual(reasons, [
      "ERC20: transfer amount exceeds balance",
      "Ownable: caller is not the owner",
      "UniswapV2Router: INSUFFICIENT_OUTPUT_AMOUNT",
      "Too little received",
      "UniswapV2Router: EXPIRED",
      "0xbac33d60",
      "0x245aecd3",
      "ERC721: caller is not token owner or approved",
      "out of gas",
      // The wrapped coin reverts with an empty reason.
      "0x08c379a0",
    ]);
  });

  test("arbitrage brings the pools of two tokens to one price", async () => {
    const [pair] = scene.addresses.v2.pairs;
    const pool = scene.addresses.v3.pools.find(({ token0, token1 }) => {
      return token0 === pair!.token0 && token1 === pair!.token1;
    })!;
    const { arbitrage } = await import("./arbitrage.ts");
    for (let round = 0; round < 10; round++) await blockOf(arbitrage, `arbitrage ${round}`).catch(() => undefined);

    const view = new View(chain.node.node.context);
    const [reserve0, reserve1] = await view.reserves(pair!);
    const { sqrt } = await view.position(pool);
    const [inPair, inPool] = [Number(reserve1) / Number(reserve0), (Number(sqrt) / 2 ** 96) ** 2];
    assert.ok(Math.abs(inPair / inPool - 1) < 0.02, `${inPair} beside ${inPool}`);
  });
});
