import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { ChainError } from "../../chain/error.ts";
import { UpstreamError } from "../failure.ts";
import { firstAnswer } from "./firstAnswer.ts";

type Answer = string | ChainError | Promise<string>;

const DEAD = new ChainError("upstream_unavailable", "dead");
const REFUSED = new UpstreamError("upstream_rejected", "no", { rpc: { code: -32_000, message: "no" } });
const NEVER = new Promise<string>(() => {});

async function ask(answers: readonly Answer[], hedgeDelay = 20, ejected: readonly Answer[] = []) {
  const [asked, slow]: Answer[][] = [[], []];
  const result = await firstAnswer({
    members: answers,
    ask: async (answer) => {
      asked!.push(answer);
      if (answer instanceof ChainError) throw answer;
      return answer;
    },
    hedgeDelay,
    isFinal: (error) => error === REFUSED,
    isEmpty: (text) => text === "null",
    isEjected: (answer) => ejected.includes(answer),
    onSlow: (answer) => slow!.push(answer),
  });
  return { result, asked: asked!.length, slow: slow! };
}

test("the first is asked alone, and the next when it fails or has nothing", async () => {
  assert.deepEqual(await ask(["a", "b"]), { result: "a", asked: 1, slow: [] });
  assert.deepEqual(await ask([DEAD, "b", "c"]), { result: "b", asked: 2, slow: [] });
  assert.deepEqual(await ask(["null", DEAD, "c"]), { result: "c", asked: 3, slow: [] });
  assert.deepEqual(await ask(["null", DEAD]), { result: "null", asked: 2, slow: [] });
});

test("the next is asked when one takes long, and who comes first counts", async () => {
  assert.deepEqual(await ask([NEVER, "b"]), { result: "b", asked: 2, slow: [NEVER] });
  const late = delay(60).then(() => "late");
  assert.equal((await ask([late, NEVER], 20)).result, "late");
});

test("a final error ends the race; otherwise an answer outranks an unreachable node", async () => {
  await assert.rejects(ask([REFUSED, "b"]), REFUSED);
  await assert.rejects(ask([DEAD, new ChainError("upstream_unavailable", "gone")]), /gone/);
  const missing = new UpstreamError("upstream_unavailable", "none", { rpc: { code: -32_001, message: "none" } });
  await assert.rejects(ask([missing, DEAD]), missing);
});

test("an empty answer waits only briefly for a hanging node, and not at all once that one is ejected", async () => {
  assert.equal((await ask(["null", NEVER])).result, "null");
  assert.deepEqual(await ask(["null", NEVER], 1000, [NEVER]), { result: "null", asked: 1, slow: [] });
  assert.equal((await ask([NEVER, "null"])).result, "null");
});

test("a failure is not held back by a node that hangs or is ejected", async () => {
  await assert.rejects(ask([NEVER, DEAD]), DEAD);
  await assert.rejects(ask([DEAD, NEVER]), DEAD);
  await assert.rejects(ask([DEAD, NEVER], 10_000, [NEVER]), DEAD);
});

test("one that is alive is given more time before another is asked as well", async () => {
  const late = delay(60).then(() => "late");
  let asked = 0;
  const result = await firstAnswer({
    members: [late, Promise.resolve("other")],
    ask: (answer) => {
      asked++;
      return answer;
    },
    hedgeDelay: 10,
    longHedgeDelay: 1000,
    onSlow: async () => true,
    isFinal: () => false,
  });

  assert.deepEqual([result, asked], ["late", 1]);
});
