import type { Bytes } from "../../chain/bytes.ts";
import { ByteReader, ByteWriter, fromDigits } from "../encoding.ts";
import type { Engine } from "../engine/engine.ts";
import { blockOf, firstPosition } from "../position.ts";
import { recallAll } from "../recall.ts";
import { readTransactionIndex } from "./transferBody.ts";

/** The place of a transaction as one integer: its block and its index in it. */
export const placeOf = (block: number, index: number): number => firstPosition(block) + index;

/** The transfers [from, to) of a block's. */
interface Range {
  readonly from: number;
  readonly to: number;
}

const NONE: Range = { from: 0, to: 0 };

/** A block's row, by the index of the transaction of each of its transfers; they stand in the order of its transactions. */
export function writePlaces(indexes: Iterable<number>): Bytes {
  const counts = new Map<number, number>();
  for (const index of indexes) counts.set(index, (counts.get(index) ?? 0) + 1);
  const writer = new ByteWriter(2 * counts.size);
  let last = 0;
  for (const [index, count] of counts) {
    writer.varint(index - last);
    writer.varint(count);
    last = index;
  }
  return writer.copy();
}

function findRange(body: Bytes, wanted: number): Range {
  const reader = new ByteReader(body);
  for (let index = 0, from = 0; !reader.done; ) {
    index += reader.varint();
    const to = from + reader.varint();
    if (index === wanted) return { from, to };
    if (index > wanted) break;
    from = to;
  }
  return NONE;
}

/** Which of a block's transfers are those of one of its transactions. */
export async function transfersOfTransaction(engine: Engine, block: number, index: number): Promise<Range> {
  const body = (await readPlaces(engine, [block])).get(block);
  return body === undefined ? NONE : findRange(body, index);
}

/** Which of some transactions have transfers. */
export async function placesWithTransfers(engine: Engine, places: readonly number[]): Promise<Set<number>> {
  const bodies = await readPlaces(engine, new Set(places.map(blockOf)));
  const found = new Set<number>();
  for (const place of places) {
    const block = blockOf(place);
    const body = bodies.get(block);
    if (body !== undefined && findRange(body, place - firstPosition(block)) !== NONE) found.add(place);
  }
  return found;
}

const SELECT = "SELECT block, hex(body) FROM transfer_place WHERE block IN ($keys)";

function readPlaces(engine: Engine, blocks: Iterable<number>): Promise<Map<number, Bytes>> {
  return recallAll(engine, "transfer place", blocks, async (missing) =>
    (await engine.load(SELECT, missing)).map(([block, digits]): [number, Bytes] => [
      block as number,
      fromDigits(digits as string),
    ]),
  );
}

/** Derives the rows from the transfers that are there. */
export async function fillTransferPlaces(engine: Engine): Promise<void> {
  let block = 0;
  let indexes: number[] = [];
  const write = async () => {
    if (indexes.length > 0) await engine.insert("transfer_place", ["block", "body"], [[block, writePlaces(indexes)]]);
    indexes = [];
  };
  for await (const [position, body] of storedTransfers(engine)) {
    if (blockOf(position) !== block) await write();
    block = blockOf(position);
    indexes.push(readTransactionIndex(body));
  }
  await write();
}

const TRANSFERS_AT_ONCE = 10_000;

async function* storedTransfers(engine: Engine): AsyncGenerator<[position: number, body: Bytes]> {
  const sql = "SELECT position, body FROM transfer WHERE position >= ? ORDER BY position LIMIT ?";
  for (let from = 0; ; ) {
    const rows = (await engine.all(sql, from, TRANSFERS_AT_ONCE)) as [number, Bytes][];
    yield* rows;
    if (rows.length < TRANSFERS_AT_ONCE) return;
    from = rows.at(-1)![0] + 1;
  }
}
