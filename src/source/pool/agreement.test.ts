import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChainView } from "./agreement.ts";
import { chooseView, isOneBranch } from "./agreement.ts";

/** A chain whose blocks are letters, from block 0 on; of blocks with a dot nothing is known. */
const chain = (blocks: string): ChainView => ({
  head: blocks.length - 1,
  hashAt: (number) => (blocks[number] === "." ? undefined : blocks[number]),
});

const NOTHING = { anchor: undefined, view: undefined };

test("two nodes are on one branch as far as both go, if that is known", () => {
  assert.ok(isOneBranch(chain("abcd"), chain("abc")));
  assert.ok(!isOneBranch(chain("abcd"), chain("abx")));
  assert.ok(!isOneBranch(chain("ab.d"), chain("abc")));
});

test("most decide, then the branch that was followed, then who was, then the highest", () => {
  const [good, wrong, same, late] = [chain("abcde"), chain("abxyzw"), chain("abcd"), chain("ab")];

  assert.equal(chooseView([wrong, good, same], NOTHING), good);
  assert.equal(chooseView([wrong, good, late], { anchor: { number: 3, hash: "d" }, view: undefined }), good);
  assert.equal(chooseView([good, wrong], { anchor: { number: 3, hash: "y" }, view: undefined }), wrong);
  assert.equal(chooseView([wrong, good], { anchor: { number: 2, hash: "q" }, view: good }), good);
  assert.equal(chooseView([good, wrong], NOTHING), wrong);
  const low = chain("abx");
  assert.equal(chooseView([low, good, late], { anchor: { number: 3, hash: "d" }, view: low }), good);
  assert.equal(chooseView([], NOTHING), undefined);
});

test("a node that is merely higher is followed by way of its own branch", () => {
  const [low, high] = [chain("abc"), chain("abcd")];

  assert.equal(chooseView([low, high], { anchor: { number: 2, hash: "c" }, view: low }), high);
});
