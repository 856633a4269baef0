import assert from "node:assert/strict";
import { test } from "node:test";
import type { Block } from "../block/block.ts";
import type { Source } from "../source.ts";
import type { AddressBytes, Bytes, Hash } from "./bytes.ts";
import { checksumAddress } from "./checksum.ts";
import type { Uint } from "./uint.ts";

/** Compiled, never called: every marked line must be a type error. */
export async function mixUps(source: Source, { transactions: [tx], header }: Block, plain: Bytes): Promise<void> {
  if (tx === undefined) return;
  await source.transaction(tx.hash);
  await source.block(plain);
  // @ts-expect-error a sender is no hash
  await source.transaction(tx.from);
  // @ts-expect-error nor is an amount
  await source.block(tx.value);
  checksumAddress(header.miner);
  // @ts-expect-error a hash is no address
  checksumAddress(header.hash);
  // @ts-expect-error nor is an amount
  checksumAddress(tx.value);
  // @ts-expect-error an address is no amount
  const amount: Uint = tx.from;
  const kinds: [Hash, AddressBytes, Uint] = [tx.hash, tx.from, tx.value];
  assert.ok(amount && kinds);
}

test("bytes of all kinds are plain bytes at run time", () => {
  const address: AddressBytes = new Uint8Array(20);

  assert.equal(Object.getOwnPropertySymbols(address).length, 0);
  assert.equal(checksumAddress(address), `0x${"0".repeat(40)}`);
});
