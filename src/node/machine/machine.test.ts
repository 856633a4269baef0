import assert from "node:assert/strict";
import { test } from "node:test";
import { EMPTY_ROOT } from "../../chain/hashing/trie.ts";
import { States } from "./machine.ts";

const ADDRESS = "c0".padStart(40, "0");

test("who reads the same state shares what was read, until that is much", () => {
  const states = new States({ node: () => undefined }, () => undefined);
  const reader = states.reader(EMPTY_ROOT);
  assert.equal(states.reader(EMPTY_ROOT), reader);

  for (let slot = 0; slot <= 10_000; slot++) reader.slotAt(ADDRESS, slot.toString(16).padStart(64, "0"));

  assert.notEqual(states.reader(EMPTY_ROOT), reader);
});
