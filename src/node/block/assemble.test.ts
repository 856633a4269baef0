import assert from "node:assert/strict";
import { test } from "node:test";
import { DevelopmentNode, EMITTER, emission } from "../../../test/support/developmentNode.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { Chain } from "../chain.ts";
import { developmentGenesis } from "../developmentGenesis.ts";
import { Rules } from "../rules.ts";
import { encodeBlock } from "./assemble.ts";

test("a block made here gives the same state where it is replayed", async () => {
  const node = await DevelopmentNode.open();
  const emitter = await node.deploy(EMITTER);
  await node.send({ to: emitter, data: emission(1, 2) });
  await node.ask("hardhat_mine", "0x2");
  const { chain } = node.node.context;
  const funded = node.node.accounts.map(({ address }) => address);
  const genesis = developmentGenesis({ chainId: 968, gasLimit: 30_000_000, timestamp: 1_700_000_000, funded });
  const replayed = await Chain.open(undefined, genesis, new Rules(genesis));

  for (let number = 1; number <= chain.head.header.number; number++) {
    const { header, raw, uncles } = chain.block(number)!;
    await replayed.import(encodeBlock(header, raw, uncles));
  }

  assert.equal(toHex(replayed.head.header.hash), toHex(chain.head.header.hash));
  await replayed.close();
  await node.close();
});
