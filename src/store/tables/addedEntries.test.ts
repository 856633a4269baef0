import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/support/fastCheck.ts";
import { AddedEntries, NONE } from "./addedEntries.ts";
import type { Entry } from "./listRuns.ts";

const MAX_TAG = 2 ** 32 - 1;

const owner = fc.oneof(fc.nat(5), fc.constantFrom(2 ** 31, 2 ** 32 - 1));
const entry = fc.tuple(owner, fc.maxSafeNat(), fc.oneof(fc.nat(3), fc.constant(MAX_TAG)));

function entriesOf(added: AddedEntries, owner: number): Entry[] {
  const entries: Entry[] = [];
  for (let at = added.oldest(owner); at !== NONE; at = added.after(at)) {
    entries.push({ position: added.position(at), tag: added.tag(at) });
  }
  assert.equal(added.count(owner), entries.length);
  return entries;
}

test("every owner has what was added for it, oldest first", () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 1500, size: "max" }), (given) => {
      const added = new AddedEntries();
      const model = new Map<number, Entry[]>();
      for (const [owner, position, tag] of given) {
        assert.equal(added.newest(owner), model.get(owner)?.at(-1)?.position);
        added.add(owner, position, tag);
        model.set(owner, [...(model.get(owner) ?? []), { position, tag }]);
      }
      assert.deepEqual(
        added.owners(),
        [...model.keys()].sort((a, b) => a - b),
      );
      for (const [owner, entries] of model) {
        assert.deepEqual(entriesOf(added, owner), entries);
        assert.equal(added.newest(owner), entries.at(-1)!.position);
      }
      assert.deepEqual(entriesOf(added, 77), []);
      assert.equal(added.newest(77), undefined);
    }),
    { numRuns: 60 },
  );
});

test("it grows past its first size", () => {
  const added = new AddedEntries();
  for (let at = 0; at < 3000; at++) added.add(at % 7, at * 2 ** 30, at);
  const expected = Array.from({ length: 3000 }, (_, at) => at).filter((at) => at % 7 === 4);
  assert.deepEqual(
    entriesOf(added, 4),
    expected.map((at) => ({ position: at * 2 ** 30, tag: at })),
  );
});
