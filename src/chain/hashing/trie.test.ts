import assert from "node:assert/strict";
import { test } from "node:test";
import { MerklePatriciaTrie } from "@ethereumjs/mpt";
import { RLP } from "@ethereumjs/rlp";
import { Random } from "../../../test/support/random.ts";
import type { Bytes } from "../encoding/bytes.ts";
import { toHex } from "../encoding/hex.ts";
import { EMPTY_ROOT, orderedTrieRoot } from "./trie.ts";

const rootOf = (values: readonly Bytes[], count: number) =>
  toHex(orderedTrieRoot(values.slice(0, count), (value, writer) => writer.raw(value)));

/** Grows a trie item by item and compares the root at each requested size. */
async function checkSizes(values: readonly Bytes[], isChecked: (size: number) => boolean): Promise<void> {
  const trie = new MerklePatriciaTrie();
  for (let size = 1; size <= values.length; size++) {
    await trie.put(RLP.encode(size - 1), values[size - 1]!);
    if (isChecked(size)) assert.equal(rootOf(values, size), toHex(trie.root()), `${size} items`);
  }
}

test("the root of nothing is the keccak of the empty string's RLP", () => {
  assert.equal(toHex(EMPTY_ROOT), "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421");
  assert.equal(toHex(EMPTY_ROOT), toHex(new MerklePatriciaTrie().EMPTY_TRIE_ROOT));
  assert.equal(rootOf([], 0), toHex(EMPTY_ROOT));
});

const LENGTHS: Record<string, [min: number, max: number]> = {
  "one byte, which nodes hold inline": [1, 1],
  "a few bytes": [1, 8],
  "lengths around those of an inline node": [24, 34],
  "up to 200 bytes": [1, 200],
};

for (const [name, [min, max]] of Object.entries(LENGTHS)) {
  test(`the root of 1 to 300 items of ${name} is that of another library`, async () => {
    const random = new Random(min * 1000 + max);
    const values = Array.from({ length: 300 }, () => random.bytes(random.between(min, max)));

    await checkSizes(values, () => true);
  });
}

test("the root of 1000 and of some sizes around 128 and 256 keys is that of another library", async () => {
  const random = new Random(1);
  const values = Array.from({ length: 1000 }, () => random.bytes(random.between(1, 600)));

  await checkSizes(values, (size) => [127, 128, 129, 255, 256, 257, 258, 512, 999, 1000].includes(size));
});
