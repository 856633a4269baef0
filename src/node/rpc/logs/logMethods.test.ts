import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DevelopmentNode, EMITTER, emission, Refused, word } from "../../../../test/support/developmentNode.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";
import type { Wire } from "../../../chain/encoding/wire.ts";

describe("eth_getLogs", () => {
  let node: DevelopmentNode;
  let [first, second]: Hex[] = [];

  before(async () => {
    node = await DevelopmentNode.open({ unboundedLogs: true });
    first = await node.deploy(EMITTER);
    second = await node.deploy(EMITTER);
    await node.send({ to: first, data: emission(1, 10) });
    await node.send({ to: second, data: emission(1, 20) });
    await node.send({ to: first, data: emission(2, 30) });
  });

  after(() => node.close());

  const found = async (query: Wire) => {
    const logs = await node.ask<{ data: Hex }[]>("eth_getLogs", query);
    return logs.map(({ data }) => Number(data));
  };

  const refuses = (message: RegExp, query: unknown, code = -32_602) =>
    assert.rejects(
      () => node.ask("eth_getLogs", query),
      (error) => error instanceof Refused && error.code === code && message.test(error.message),
    );

  test("reads the head if no bound is given", async () => {
    assert.deepEqual(await found({}), [30]);
    assert.deepEqual(await found({ fromBlock: "earliest" }), [10, 20, 30]);
    assert.deepEqual(await found({ fromBlock: "0x0", toBlock: "0x4" }), [10, 20]);
  });

  test("lets one address through or any of several", async () => {
    assert.deepEqual(await found({ fromBlock: "0x0", address: first }), [10, 30]);
    assert.deepEqual(await found({ fromBlock: "0x0", address: [first, second] }), [10, 20, 30]);
    assert.deepEqual(await found({ fromBlock: "0x0", address: [] }), [10, 20, 30]);
  });

  test("takes null and an empty list for any topic, and a list for any of it", async () => {
    assert.deepEqual(await found({ fromBlock: "0x0", topics: [word(1)] }), [10, 20]);
    assert.deepEqual(await found({ fromBlock: "0x0", topics: [[word(1), word(2)]] }), [10, 20, 30]);
    assert.deepEqual(await found({ fromBlock: "0x0", topics: [null] }), [10, 20, 30]);
    assert.deepEqual(await found({ fromBlock: "0x0", topics: [[]] }), [10, 20, 30]);
    assert.deepEqual(await found({ fromBlock: "0x0", topics: [null, null] }), []);
    assert.deepEqual(await found({ fromBlock: "0x0", topics: [[word(9), null]] }), [10, 20, 30]);
  });

  test("finds the logs of a block by its hash", async () => {
    const { hash } = await node.ask<{ hash: Hex }>("eth_getBlockByNumber", "0x4");

    const [log] = await node.ask<Wire[]>("eth_getLogs", { blockHash: hash });
    const receipts = await node.ask<{ logs: Wire[] }[]>("eth_getBlockReceipts", "0x4");

    assert.deepEqual(log, receipts[0]!.logs[0]);
    await refuses(/^unknown block$/, { blockHash: word(1) }, -32_000);
  });

  test("refuses what it cannot mean, in geth's words", async () => {
    await refuses(/^invalid block range params$/, { fromBlock: "0x4", toBlock: "0x2" });
    await refuses(
      /^invalid argument 0: cannot specify both BlockHash and FromBlock\/ToBlock, choose one or the other$/,
      {
        blockHash: word(1),
        fromBlock: "0x1",
      },
    );
    await refuses(/^invalid argument 0: exceed max topics$/, { topics: [null, null, null, null, null] });
    await refuses(/hex has invalid length 1 after decoding; expected 20 for address$/, { address: "0x01" });
    await refuses(/^invalid argument 0: invalid topic\(s\)$/, { topics: [7] });
    await refuses(/json: cannot unmarshal string into Go value of type filters.input/, "latest");
  });

  test("takes a number above the head for the head", async () => {
    assert.deepEqual(await found({ fromBlock: "0x1", toBlock: "0x99" }), [10, 20, 30]);
    assert.deepEqual(await found({ fromBlock: "0x0", toBlock: "0xffffffff" }), [10, 20, 30]);
    assert.deepEqual(await found({ fromBlock: "0x98", toBlock: "0x99" }), []);
    await refuses(/^invalid block range params$/, { fromBlock: "0x99", toBlock: "0x98" });
  });
});
