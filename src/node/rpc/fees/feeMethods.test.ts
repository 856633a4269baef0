import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DevelopmentNode, Refused } from "../../../../test/support/developmentNode.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";
import { quantity } from "../../../chain/encoding/hex.ts";

interface History {
  readonly oldestBlock: Hex;
  readonly reward?: Hex[][];
  readonly baseFeePerGas: Hex[];
  readonly gasUsedRatio: number[];
  readonly baseFeePerBlobGas: Hex[];
  readonly blobGasUsedRatio: number[];
}

const GWEI = 1_000_000_000n;

describe("fees", () => {
  let node: DevelopmentNode;

  before(async () => {
    node = await DevelopmentNode.open();
    await node.ask("evm_setAutomine", false);
    for (const tip of [1n, 2n, 5n]) await node.send({ gas: 21_000n, maxPriorityFeePerGas: tip * GWEI });
    await node.ask("evm_mine");
  });

  after(() => node.close());

  test("of the next block follow from the head", async () => {
    const { baseFeePerGas } = await node.ask<{ baseFeePerGas: Hex }>("eth_getBlockByNumber", "pending");

    assert.equal(await node.ask("eth_baseFee"), baseFeePerGas);
    assert.equal(await node.ask("eth_blobBaseFee"), "0x1");
  });

  test("are suggested from the lowest tips of the last blocks", async () => {
    const { baseFeePerGas } = await node.ask<{ baseFeePerGas: Hex }>("eth_getBlockByNumber", "latest");

    assert.equal(await node.ask("eth_maxPriorityFeePerGas"), quantity(2n * GWEI));
    assert.equal(await node.ask("eth_gasPrice"), quantity(BigInt(baseFeePerGas) + 2n * GWEI));
  });

  test("of the past come with those of the block after, and with tips at percentiles of the gas used", async () => {
    const history = await node.ask<History>("eth_feeHistory", "0x2", "latest", [0, 50, 100]);

    assert.equal(history.oldestBlock, "0x0");
    assert.equal(history.baseFeePerGas.length, 3);
    assert.equal(history.baseFeePerGas[2], await node.ask("eth_baseFee"));
    assert.deepEqual(history.reward, [["0x0", "0x0", "0x0"], [1n, 2n, 5n].map((tip) => quantity(tip * GWEI))]);
    assert.deepEqual(history.gasUsedRatio, [0, 63_000 / 30_000_000]);
    assert.deepEqual(history.baseFeePerBlobGas, ["0x1", "0x1", "0x1"]);
    assert.deepEqual(history.blobGasUsedRatio, [0, 0]);
  });

  test("of the past are cut to what there is, and have no tips unless asked for", async () => {
    const history = await node.ask<History>("eth_feeHistory", 5000, "latest");

    assert.equal(history.gasUsedRatio.length, 2);
    assert.equal(history.reward, undefined);
    assert.deepEqual(await node.ask("eth_feeHistory", "0x0", "latest", []), { oldestBlock: "0x0", gasUsedRatio: null });
  });

  test("of the past are refused beyond the head and at percentiles out of order", async () => {
    const refuses = (message: RegExp, code: number, ...params: unknown[]) =>
      assert.rejects(
        () => node.ask("eth_feeHistory", ...params),
        (error) => error instanceof Refused && error.code === code && message.test(error.message),
      );

    await refuses(/^request beyond head block: requested 99, head 1$/, -32_000, "0x1", "0x63", []);
    await refuses(/^invalid reward percentile: 101.000000$/, -32_000, "0x1", "latest", [101]);
    await refuses(/^invalid reward percentile: #0:50.000000 >= #1:20.000000$/, -32_000, "0x1", "latest", [50, 20]);
    await refuses(/^invalid argument 0: invalid hex or decimal integer/, -32_602, "many", "latest", []);
    await refuses(/cannot unmarshal string into Go value of type float64$/, -32_602, "0x1", "latest", ["1"]);
  });
});
