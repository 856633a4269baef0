import type { Bytes } from "../../../chain/encoding/bytes.ts";
import type { Reader } from "../../engine/database.ts";
import { ByteReader, ByteWriter } from "../../rows/encoding.ts";
import { nextDigest } from "../../write/append.ts";
import type { BlockChanges } from "./exchangeReducer.ts";
import type { ExchangeTip } from "./exchangeTip.ts";
import type { PoolState } from "./poolState.ts";
import { writePoolState } from "./poolState.ts";
import { writePosition } from "./position.ts";

interface ChangedRows {
  readonly block: number;
  readonly pools: readonly number[];
  readonly positions: readonly Bytes[];
}

interface EncodedChanges {
  readonly states: readonly (readonly [pool: number, body: Bytes])[];
  readonly positions: readonly (readonly [id: Bytes, body: Bytes])[];
  readonly body: Bytes;
  readonly tip: ExchangeTip;
}

/** Encodes a block's changes and chains its digest. */
export function encodeChanges(before: ExchangeTip, changes: BlockChanges, pools: number): EncodedChanges {
  const states = changes.states.map(([pool, state]) => [pool, encodeState(state)] as const);
  const positions = changes.positions.map(({ id, after }) => [id, writePosition(after)] as const);
  const body = writeChangedRows(states, positions);
  const writer = new ByteWriter(1 << 10);
  writer.varint(changes.number);
  writer.varint(changes.events);
  for (const creation of changes.creations) {
    writer.varint(creation.pool);
    writer.varint(creation.position);
    for (const part of [creation.factory, creation.address, creation.token0, creation.token1]) writer.raw(part);
    writer.json([creation.type, creation.fee ?? null, creation.tickSpacing ?? null]);
    if (creation.hooks !== undefined) writer.raw(creation.hooks);
  }
  for (const [, state] of states) writer.string(state);
  for (const [, position] of positions) writer.string(position);
  const digest = nextDigest(before.digest, [body, writer.view()]);
  const tip = { number: changes.number, events: before.events + changes.events, pools, digest };
  return { states, positions, body, tip };
}

function encodeState(state: PoolState): Bytes {
  const writer = new ByteWriter(192);
  writePoolState(state, writer);
  return writer.copy();
}

function writeChangedRows(
  states: readonly (readonly [pool: number, body: Bytes])[],
  positions: readonly (readonly [id: Bytes, body: Bytes])[],
): Bytes {
  const writer = new ByteWriter(256);
  writer.varint(states.length);
  let last = 0;
  for (const [pool] of states) {
    writer.varint(pool - last);
    last = pool;
  }
  for (const [id] of positions) writer.string(id);
  return writer.copy();
}

function readChangedRows(block: number, body: Bytes): ChangedRows {
  const reader = new ByteReader(body);
  let last = 0;
  const pools = reader.many(() => {
    last += reader.varint();
    return last;
  });
  const positions: Bytes[] = [];
  while (!reader.done) positions.push(reader.string());
  return { block, pools, positions };
}

export async function readChangedBlocks(
  db: Reader,
  from: number,
  to: number,
  limit: number,
  isDescending = false,
): Promise<ChangedRows[]> {
  const order = isDescending ? "DESC" : "ASC";
  const sql = `SELECT number, body FROM exchange_block WHERE number >= ? AND number <= ? ORDER BY number ${order} LIMIT ?`;
  const rows = await db.all<[number, Bytes]>(sql, from, to, limit);
  return rows.map(([number, body]) => readChangedRows(number, body));
}
