import assert from "node:assert/strict";
import { test } from "node:test";
import type { GatewayRecord } from "./records.ts";
import { ResponseShapes, SHAPE_LIFETIME } from "./responseShapes.ts";

const log = (fields: object = {}): GatewayRecord => ({
  kind: "log in receipt",
  class: "",
  fields: { blockHash: "0x1", logIndex: "0x0", blockTimestamp: "0x5", removed: false, ...fields },
});

const receipt = (fields: object = {}, records = [log()]): GatewayRecord => ({
  kind: "receipt",
  class: "2",
  fields: { blockHash: "0x1", gasUsed: "0x2", to: null, ...fields },
  listed: { field: "logs", records },
});

const SHOWN_LOG = { blockHash: "0x1", logIndex: "0x0", removed: false };

test("a field that a node omits in one record is omitted in all of its class", () => {
  const shapes = new ResponseShapes();
  assert.equal(shapes.present(receipt()), undefined);

  assert.ok(shapes.observe(receipt(), { blockHash: "0x1", gasUsed: "0x2", logs: [SHOWN_LOG] }));

  const other = receipt({ gasUsed: "0x9" }, [log({ logIndex: "0x7" }), log()]);
  assert.deepEqual(shapes.present(other), {
    blockHash: "0x1",
    gasUsed: "0x9",
    logs: [{ ...SHOWN_LOG, logIndex: "0x7" }, SHOWN_LOG],
  });
  assert.equal(shapes.present({ ...receipt(), class: "3" }), undefined);
});

test("the shape of nested records is known once one was observed", () => {
  const shapes = new ResponseShapes();
  shapes.observe(receipt({}, []), { blockHash: "0x1", gasUsed: "0x2", to: null, logs: [] });

  assert.deepEqual(shapes.present(receipt({}, [])), { blockHash: "0x1", gasUsed: "0x2", to: null, logs: [] });
  assert.equal(shapes.present(receipt()), undefined);
});

test("what a node shows that the index has not, or spells otherwise, stays the node's", () => {
  for (const answered of [
    { blockHash: "0x1", gasUsed: "0x2", to: null, l1Fee: "0x1", logs: [SHOWN_LOG] },
    { blockHash: "0x1", gasUsed: "0x02", to: null, logs: [SHOWN_LOG] },
    { blockHash: "0x1", gasUsed: 2, to: null, logs: [SHOWN_LOG] },
    { blockHash: "0x1", gasUsed: "0x2", to: null, logs: [] },
    { blockHash: "0x1", gasUsed: "0x2", to: null, logs: [{ ...SHOWN_LOG, extra: 1 }] },
  ]) {
    const shapes = new ResponseShapes();
    assert.equal(shapes.observe(receipt(), answered), false);
    assert.equal(shapes.present(receipt()), undefined, JSON.stringify(answered));
  }
});

test("an answer about another block teaches nothing, and what was learned is learned again after a while", () => {
  let now = 0;
  const shapes = new ResponseShapes(() => now);
  shapes.observe(receipt(), { blockHash: "0x2", gasUsed: "0x3", logs: [] });
  assert.equal(shapes.isForeign(receipt()), false);

  shapes.observe(receipt({}, []), { blockHash: "0x1", gasUsed: "0x2", to: null, logs: [] });
  now = SHAPE_LIFETIME;
  assert.ok(shapes.present(receipt({}, [])));
  now++;
  assert.equal(shapes.present(receipt({}, [])), undefined);
});
