import assert from "node:assert/strict";
import { test } from "node:test";
import { serveChain } from "../../test/support/api.ts";
import { memoPerVersion } from "./memoPerVersion.ts";

test("a figure is worked out once for a state of the index, and anew when that is another", async () => {
  const served = await serveChain({ seed: 3 });
  const worked: (number | undefined)[] = [];
  const figure = memoPerVersion(served.store, async (_, range) => worked.push(range?.tip.number));
  const ask = async () => [await figure(), await figure()];

  assert.deepEqual(await ask(), [1, 1]);
  served.chain.mine(4);
  await served.index();
  assert.deepEqual(await ask(), [2, 2]);
  served.chain.fork(1, 1);
  await served.index();
  assert.deepEqual(await ask(), [3, 3]);

  assert.deepEqual(worked, [undefined, 4, 4]);
  await served.close();
});
