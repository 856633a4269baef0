import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { serveChain } from "../../../test/support/api.ts";
import type { SimulatedChain } from "../../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../../test/support/simulatedSource.ts";
import { simulatedCode } from "../../../test/support/simulatedState.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { openQueryContext } from "../context.ts";
import { readDeployedContract } from "./deployedContract.ts";

async function open(t: TestContext, blocks: number | undefined) {
  const served = await serveChain({
    seed: 3,
    ...(blocks !== undefined && { blocks }),
    traffic: { transactions: [20, 30] },
  });
  const context = openQueryContext({ store: served.store, source: simulatedSource(served.chain) });
  t.after(async () => {
    await context.decoder.close();
    await served.close();
  });
  return { ...served, context };
}

/** A contract deployed at or above a height. */
function deployedFrom(chain: SimulatedChain, first: number): string {
  for (let number = first; number < chain.length; number++) {
    const deployment = chain
      .at(number)!
      .receipts.find(({ status, contractAddress }) => status !== "0x0" && contractAddress);
    if (deployment !== undefined) return String(deployment.contractAddress);
  }
  throw new Error("no contract was deployed");
}

for (const blocks of [undefined, 8]) {
  test(`a contract that an index of ${blocks ?? "no"} blocks does not have is read from the node`, async (t) => {
    const { chain, context, index } = await open(t, blocks);
    const indexed = chain.length;
    // Caches a head from before the deployment.
    await context.node!.head.current();
    chain.mine(10);
    const address = deployedFrom(chain, indexed);

    const before = await readDeployedContract(context, fromHex(address));
    await index();
    const after = await readDeployedContract(context, fromHex(address));

    assert.equal(toHex(before!.code), simulatedCode(chain, address, chain.head));
    assert.deepEqual([before!.isIndexed, before!.creation], [false, undefined]);
    assert.deepEqual([after!.isIndexed, toHex(after!.code)], [true, toHex(before!.code)]);
    assert.match(after!.creation!.transaction, /^0x[\da-f]{64}$/);
    assert.equal(await readDeployedContract(context, new Uint8Array(20).fill(0xee)), undefined);
  });
}
