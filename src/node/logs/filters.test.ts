import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { DevelopmentNode, EMITTER, emission, Refused, word } from "../../../test/support/developmentNode.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import type { Wire } from "../../chain/encoding/wire.ts";
import { Filters, MAX_FILTER_VALUES, MAX_FILTERS } from "./filters.ts";

const isMissing = (error: unknown) =>
  error instanceof Refused && error.code === -32_000 && error.message === "filter not found";

describe("a filter", () => {
  let node: DevelopmentNode;
  let emitter: Hex;

  beforeEach(async () => {
    node = await DevelopmentNode.open();
    emitter = await node.deploy(EMITTER);
  });

  afterEach(() => node.close());

  test("of blocks returns the hash of each new block once", async () => {
    const id = await node.ask("eth_newBlockFilter");
    await node.ask("hardhat_mine", "0x2");

    const reported = await node.ask<Hex[]>("eth_getFilterChanges", id);

    const { hash } = await node.ask<{ hash: Hex }>("eth_getBlockByNumber", "latest");
    assert.equal(reported.length, 2);
    assert.equal(reported[1], hash);
    assert.deepEqual(await node.ask("eth_getFilterChanges", id), []);
  });

  test("of logs returns new matches, and all of them on eth_getFilterLogs", async () => {
    await node.send({ to: emitter, data: emission(1, 1) });
    const id = await node.ask("eth_newFilter", { fromBlock: "0x1", topics: [word(1)] });
    await node.send({ to: emitter, data: emission(1, 2) });
    await node.send({ to: emitter, data: emission(2, 3) });

    const changes = await node.ask<Wire[]>("eth_getFilterChanges", id);
    const all = await node.ask<Wire[]>("eth_getFilterLogs", id);

    assert.deepEqual(changes.map(dataOf), [2]);
    assert.deepEqual(all.map(dataOf), [1, 2]);
    assert.deepEqual(await node.ask("eth_getFilterChanges", id), []);
  });

  test("of transactions returns each new one, mined or not", async () => {
    const id = await node.ask("eth_newPendingTransactionFilter");
    const mined = await node.send();
    await node.ask("evm_setAutomine", false);
    const waiting = await node.send();

    assert.deepEqual(await node.ask("eth_getFilterChanges", id), [mined, waiting]);
    assert.deepEqual(await node.ask("eth_getFilterChanges", id), []);
  });

  test("returns logs of removed blocks as removed, then the new ones", async () => {
    const id = await node.ask("eth_newFilter", { address: emitter });
    const blocks = await node.ask("eth_newBlockFilter");
    await node.send({ to: emitter, data: emission(1, 1) });
    const snapshot = await node.ask("evm_snapshot");
    const gone = await node.send({ to: emitter, data: emission(1, 2) });
    await node.ask("eth_getFilterChanges", id);
    await node.ask("eth_getFilterChanges", blocks);
    const { nonce } = await node.ask<{ nonce: Hex }>("eth_getTransactionByHash", gone);
    await node.ask("evm_revert", snapshot);
    await node.send({ nonce: Number(nonce), to: emitter, data: emission(1, 3) });

    const changes = await node.ask<Wire[]>("eth_getFilterChanges", id);

    assert.deepEqual(
      changes.map((log) => [dataOf(log), log.removed]),
      [
        [2, true],
        [3, false],
      ],
    );
    const { hash } = await node.ask<{ hash: Hex }>("eth_getBlockByNumber", "latest");
    assert.deepEqual(await node.ask("eth_getFilterChanges", blocks), [hash]);
  });

  test("is gone after it was uninstalled, and is never one that was not installed", async () => {
    const id = await node.ask("eth_newBlockFilter");

    assert.equal(await node.ask("eth_uninstallFilter", id), true);
    assert.equal(await node.ask("eth_uninstallFilter", id), false);
    await assert.rejects(() => node.ask("eth_getFilterChanges", id), isMissing);
    await assert.rejects(() => node.ask("eth_getFilterLogs", "0x1"), isMissing);
  });

  test("of blocks has no logs", async () => {
    const id = await node.ask("eth_newBlockFilter");

    await assert.rejects(() => node.ask("eth_getFilterLogs", id), isMissing);
  });

  test("lasts five minutes after it was last asked", () => {
    let now = 0;
    const filters = new Filters(node.node.context.chain, () => now);
    const [asked, idle] = [filters.add("blocks"), filters.add("blocks")];
    now = 299_000;
    filters.changes(asked);

    now = 301_000;

    assert.deepEqual(filters.changes(asked), []);
    assert.equal(filters.changes(idle), undefined);
  });

  test("makes room when there are too many, the one not asked for longest first", () => {
    const filters = new Filters(node.node.context.chain);
    const [oldest, kept] = [filters.add("blocks"), filters.add("blocks")];
    filters.changes(oldest);

    for (let i = 0; i < MAX_FILTERS - 1; i++) filters.add("blocks");

    assert.deepEqual(filters.changes(oldest), []);
    assert.equal(filters.changes(kept), undefined);
  });

  test("makes room when all of them have too many addresses and topics", () => {
    const filters = new Filters(node.node.context.chain);
    const query = { addresses: Array.from({ length: 1000 }, () => Buffer.alloc(20)), topics: [] };
    const ids = Array.from({ length: MAX_FILTER_VALUES / 1000 + 1 }, () => filters.add("logs", query));

    assert.equal(filters.changes(ids[0] ?? ""), undefined);
    assert.deepEqual(filters.changes(ids[1] ?? ""), []);
  });
});

function dataOf(log: Wire): number {
  return Number(log.data);
}
