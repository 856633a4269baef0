import assert from "node:assert/strict";
import { test } from "node:test";
import { DevelopmentNode } from "../../test/support/developmentNode.ts";
import { retryOnReorg } from "./retryOnReorg.ts";

test("what was read while the chain was cut is read again", async () => {
  const node = await DevelopmentNode.open();
  const { chain } = node.node.context;
  await node.ask("hardhat_mine", "0x2");
  let readings = 0;

  const read = await retryOnReorg(chain, () => ({
    to: chain.head.header.number,
    work: async () => {
      if (++readings === 1) await chain.rewind(1);
      return chain.head.header.number;
    },
  }));

  assert.equal(read, 1);
  assert.equal(readings, 2);
  await node.close();
});
