import assert from "node:assert/strict";
import { test } from "node:test";
import { toHex } from "../../chain/encoding/hex.ts";
import {
  ParameterError,
  parseAddress,
  parseBlockId,
  parseHash,
  parsePage,
  parseRankedPage,
  writeCursor,
} from "./params.ts";

const DEFAULTS = { page: 1, pageSize: 50, cursor: undefined };
const refused = (parameter: string) => (error: unknown) =>
  error instanceof ParameterError && error.code === "invalid_argument" && error.parameter === parameter;

test("an address is 0x and 40 hex digits in any case", () => {
  const address = `0x${"aBcDeF0123".repeat(4)}`;
  assert.equal(toHex(parseAddress(address)), address.toLowerCase());
  for (const text of ["", "0x", address.slice(2), `${address}0`, address.slice(0, -1), `0X${address.slice(2)}`]) {
    assert.throws(() => parseAddress(text), refused("address_hash_param"), text);
  }
  for (const bad of ["g", " ", "\0", "é", "\n", "@", "`", "/", ":"]) {
    assert.throws(() => parseAddress(`${address.slice(0, -1)}${bad}`), refused("address_hash_param"), bad);
  }
});

test("a hash is 0x and 64 hex digits", () => {
  assert.equal(parseHash(`0x${"Ab".repeat(32)}`).length, 32);
  assert.throws(() => parseHash(`0x${"ab".repeat(31)}`), refused("transaction_hash_param"));
});

test("a block is named by a decimal number below 2^53 or a hash", () => {
  assert.equal(parseBlockId("0"), 0);
  assert.equal(parseBlockId("9007199254740991"), 2 ** 53 - 1);
  assert.equal((parseBlockId(`0x${"ab".repeat(32)}`) as Uint8Array).length, 32);
  for (const text of ["9007199254740992", "-1", "1.5", "1e3", "0x10", "latest", "", " 1", "+1", "1".repeat(4000)]) {
    assert.throws(() => parseBlockId(text), refused("block_hash_or_number_param"), text);
  }
});

test("a page is 50 items unless asked otherwise, and at most 1,000 (section 8)", () => {
  assert.deepEqual(parsePage({}), DEFAULTS);
  assert.deepEqual(parsePage({ type: "x", filter: ["a", "b"], apikey: "", other: "1" }), DEFAULTS);
  assert.equal(parsePage({ page_size: "7" }).pageSize, 7);
  assert.equal(parsePage({ items_count: "8" }).pageSize, 8);
  assert.equal(parsePage({ items_count: "8", page_size: "9" }).pageSize, 9);
  assert.equal(parsePage({ page_size: "1001" }).pageSize, 1000);
  assert.equal(parsePage({ page: "9007199254740991" }).page, 2 ** 53 - 1);
  for (const name of ["page", "page_size", "items_count"]) {
    for (const value of ["0", "-1", "", "abc", "1.0", "1e1", "0x1", ["1", "2"], "9".repeat(17), "１"]) {
      assert.throws(() => parsePage({ [name]: value }), refused(name), `${name}=${value}`);
    }
  }
});

test("an anchor is read as it is written, and nothing else is one", () => {
  const anchor = { count: 12, block: 3456 };
  assert.deepEqual(parsePage({ anchor: writeCursor(anchor) }).cursor, anchor);
  for (const value of [
    "",
    "-",
    "1",
    "1-",
    "-1",
    "1-2-3",
    "1-2-3-",
    "1-2-3-x",
    "1-2-3-4-5",
    "1-x",
    "1--2",
    "9".repeat(17),
    ["1-2", "1-2"],
    "1-2 ",
  ]) {
    assert.throws(() => parsePage({ anchor: value }), refused("anchor"), String(value));
  }
});

test("the last item of an anchor is read as it is written, on the page after it", () => {
  const anchor = { count: 312, block: 3456, last: { passed: 100, position: 2 ** 53 - 1 } };
  const text = writeCursor(anchor);
  assert.deepEqual(parsePage({ anchor: text, page: "3" }).cursor, anchor);
  assert.deepEqual(parsePage({ anchor: text, page: "11", page_size: "10" }).cursor, anchor);
  for (const query of [{}, { page: "2" }, { page: "3", page_size: "49" }]) {
    assert.deepEqual(parsePage({ anchor: text, ...query }).cursor, { count: 312, block: 3456 });
  }
});

test("the cursor of a ranking is read as it is written, on the page it belongs to", () => {
  const cursor = { rank: 100, key: [10n ** 304n, 7] } as const;
  const anchor = writeCursor(cursor);
  assert.deepEqual(parseRankedPage({ anchor, page: "3" }).cursor, cursor);
  assert.equal(parseRankedPage({ anchor, page: "2" }).cursor, undefined);
  assert.equal(parseRankedPage({ anchor, page: "3", page_size: "49" }).cursor, undefined);
  assert.deepEqual(parseRankedPage({}), DEFAULTS);
  const long = `1-${"1".repeat(306)}-1`;
  for (const value of [
    "",
    "-",
    "1-2",
    "1-2-",
    "1--2",
    "1-2-3-4",
    "1-x-2",
    "1-0x1-2",
    "1- 1-2",
    long,
    ["1-2-3", "1-2-3"],
  ]) {
    assert.throws(() => parseRankedPage({ anchor: value }), refused("anchor"), String(value));
  }
});
