import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChainView } from "./agreement.ts";
import { believedViews, chooseView, compareBranches, isOneBranch } from "./agreement.ts";

/** A chain with one letter per block; a dot is an unknown block. */
const chain = (blocks: string, isShown = true): ChainView => ({
  head: blocks.length - 1,
  hashAt: (number) => (blocks[number] === "." ? undefined : blocks[number]),
  isShown,
});

const NOTHING = { anchor: undefined, view: undefined };

test("two nodes are on one branch as far as both go, if that is known", () => {
  assert.ok(isOneBranch(chain("abcd"), chain("abc")));
  assert.ok(!isOneBranch(chain("abcd"), chain("abx")));
  assert.ok(!isOneBranch(chain("ab.d"), chain("abc")));
  assert.equal(compareBranches(chain("ab.d"), chain("abc")), undefined);
});

test("most decide, then the branch that was followed, then who was, then the highest", () => {
  const [good, wrong, same] = [chain("abklmnopcde"), chain("abklmnopxyzw"), chain("abklmnopcd")];
  const late = chain("ab");

  assert.equal(chooseView([wrong, good, same], NOTHING), same);
  assert.equal(chooseView([wrong, good, chain("abklmnopcde")], NOTHING), good);
  assert.equal(chooseView([wrong, good, late], { anchor: { number: 9, hash: "d" }, view: undefined }), good);
  assert.equal(chooseView([good, wrong], { anchor: { number: 9, hash: "y" }, view: undefined }), wrong);
  assert.equal(chooseView([wrong, good], { anchor: { number: 8, hash: "q" }, view: good }), good);
  assert.equal(chooseView([good, wrong], NOTHING), wrong);
  const low = chain("abklmnopx");
  assert.equal(chooseView([low, good, late], { anchor: { number: 9, hash: "d" }, view: low }), good);
  assert.equal(chooseView([], NOTHING), undefined);
});

test("a node that is merely higher is followed by way of its own branch", () => {
  const [low, high] = [chain("abc"), chain("abcd")];

  assert.equal(chooseView([low, high], { anchor: { number: 2, hash: "c" }, view: low }), high);
});

const heads = (views: readonly ChainView[], total: number) => believedViews(views, total).map(({ head }) => head);

test("a head is trusted that a majority has; one that no majority lacks must extend a trusted one", () => {
  const [same, low, high, raised] = [chain("abcd"), chain("abc"), chain("abcde"), chain("abcd..........x", false)];
  const far = chain("abcdefghijklm");

  assert.deepEqual(heads([high, same, chain("abcd")], 3), [3, 3]);
  assert.deepEqual(heads([raised, same, low], 3), [3, 2]);
  assert.deepEqual(heads([raised, same], 2), [3]);
  assert.deepEqual(heads([high, same], 2), [4, 3]);
  assert.deepEqual(heads([high, same], 3), [4, 3]);
  assert.deepEqual(heads([far, low], 3), [12, 2]);
  assert.deepEqual(heads([far, chain("abcdefgxyzxyz"), low], 3), [12, 12, 2]);
  assert.deepEqual(heads([far, low, same], 3), [2, 3]);
});
