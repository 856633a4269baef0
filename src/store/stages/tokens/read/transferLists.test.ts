import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../../../test/support/random.ts";
import { firstSeed } from "../../../../../test/support/seed.ts";
import { numbered, openStage } from "../../../../../test/support/tokenStage.ts";
import type { TokenTransfer } from "../../../../chain/token/tokenTransfer.ts";
import { RUN } from "../../../tables/listRuns.ts";
import { TransferReads } from "./transferReads.ts";

const SEED = firstSeed();
const [ALICE, BOB, TOKEN] = [1, 2, 9];

test(`the first of a list at or above a position is found, in lists of many runs (seed ${SEED})`, async (t) => {
  const random = new Random(SEED);
  const { database, hash, append } = await openStage(t, 9);
  const reads = new TransferReads(database, hash);
  const transfer = (_: unknown, logIndex: number): TokenTransfer => {
    const [from, to] = random.shuffle([ALICE, random.pick([BOB, 3, 4])]).map((id) => numbered(20, id));
    const token = numbered(20, random.chance(0.8) ? TOKEN : 8);
    return { kind: "ERC-20", token, from: from!, to: to!, amount: numbered(32, 1), logIndex, transactionIndex: 0 };
  };
  for (const count of [0, 1, RUN, 5, 40 * RUN, 17]) await append(Array.from({ length: count }, transfer));
  const lists = [reads.ofAddress(ALICE), reads.ofAddress(BOB), reads.ofToken(TOKEN), reads.ofToken(8)];
  lists.push(reads.ofPair(ALICE, TOKEN), reads.ofPair(BOB, TOKEN), reads.ofPair(BOB, 8), reads.ofPair(7, TOKEN));

  for (const list of lists) {
    const all = await list.slice(0, await list.count());
    const last = all.at(-1) ?? 0;
    const near = Array.from({ length: 40 }, () => (random.pick([...all, 5]) as number) + random.int(3) - 1);
    const positions = [0, 1, last, last + 1, Number.MAX_SAFE_INTEGER, ...near];
    const expected = positions.map((position) => {
      const at = all.findIndex((entry) => entry >= position);
      return at < 0 ? all.length : at;
    });
    assert.deepEqual(await list.ordinalsOf(positions), expected);
  }
});
