import assert from "node:assert/strict";
import { test } from "node:test";
import type { BlockNumber } from "../../chain/block/header.ts";
import type { AddressBytes, Hash } from "../../chain/encoding/bytes.ts";
import type { Uint } from "../../chain/encoding/uint.ts";
import type { AddressId, ItemId, MinerId, SignatureId } from "./ids.ts";
import type { Ordinal, Position } from "./position.ts";

type Mixable<T> = { [A in keyof T]: { [B in keyof T]: A extends B ? never : T[A] extends T[B] ? B : never }[keyof T] };
/** True if no two types are assignable. */
type AreDistinct<T> = [Mixable<T>[keyof T]] extends [never] ? true : false;

test("the compiler takes no kind of integer or bytes for another, and plain ones for any", () => {
  const integers: AreDistinct<{
    position: Position;
    ordinal: Ordinal;
    block: BlockNumber;
    address: AddressId;
    signature: SignatureId;
    miner: MinerId;
    item: ItemId;
  }> = true;
  const bytes: AreDistinct<{ address: AddressBytes; hash: Hash; amount: Uint }> = true;
  const plain: AreDistinct<{ number: number; position: Position }> = false;

  assert.deepEqual([integers, bytes, plain], [true, true, false]);
});
