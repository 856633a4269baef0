import assert from "node:assert/strict";
import { test } from "node:test";
import { toHex } from "../../../chain/encoding/hex.ts";
import { KeyedHash } from "../../dictionary/keyedHash.ts";
import { ExchangeMemory } from "./exchangeMemory.ts";
import { managedBy } from "./position.ts";
import { PositionReducer } from "./positionReducer.ts";
import { transactionContext } from "./transactionContext.ts";

const address = (fill: number) => new Uint8Array(20).fill(fill);
const token = (id: number) => new Uint8Array(32).fill(id, 31);

const [MANAGER, OTHER] = [address(1), address(2)];
const RANGE = { tickLower: -60, tickUpper: 60 };

function logged(slot: number, liquidity: bigint, [amount0, amount1]: readonly [bigint, bigint], owner = MANAGER) {
  return { pool: 3, slot, change: { owner, ...RANGE, liquidity, amount0, amount1 } };
}

/** Sums of the tokens of a manager by their ids. */
function sumsOf(reducer: PositionReducer) {
  const managed = reducer.changes.flatMap(({ id, after }) => {
    const { manager, tokenId } = managedBy(id) ?? {};
    const { added, removed, collected } = after;
    return manager === undefined || tokenId === undefined
      ? []
      : [[`${toHex(manager).slice(-2)} ${tokenId.at(-1)}`, [added, removed, collected].map(String)] as const];
  });
  return Object.fromEntries(managed);
}

test("a manager's log counts once, for what the pool logged for that manager and range", () => {
  const reducer = new PositionReducer(new ExchangeMemory(new KeyedHash(KeyedHash.newSecret())));
  const context = transactionContext(0);
  const added = { liquidity: 10n, amount0: 100n, amount1: 200n };
  for (const id of [1, 2]) {
    reducer.mint(context, logged(id, 10n, [100n, 200n]));
    reducer.increase(context, MANAGER, { tokenId: token(id), ...added });
  }

  // The pool pays once, whatever a manager logs, and what is another's is nobody else's.
  reducer.burn(context, logged(5, 4n, [40n, 80n]));
  reducer.decrease(context, MANAGER, { tokenId: token(1), liquidity: 4n });
  reducer.decrease(context, MANAGER, { tokenId: token(2), liquidity: 4n });
  reducer.collect(context, logged(6, 0n, [45n, 81n]));
  reducer.collect(context, logged(7, 0n, [9n, 9n], OTHER));
  reducer.collectToken(context, MANAGER, token(1));
  reducer.collectToken(context, MANAGER, token(1));
  reducer.collectToken(context, MANAGER, token(2));
  reducer.collectToken(context, OTHER, token(1));
  reducer.increase(context, MANAGER, { tokenId: token(2), ...added });

  assert.deepEqual(sumsOf(reducer), {
    "01 1": ["100,200", "40,80", "45,81"],
    "01 2": ["100,200", "0,0", "0,0"],
  });
});
