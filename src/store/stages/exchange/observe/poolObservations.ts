import { equalBytes } from "../../../../chain/encoding/bytes.ts";
import { settleAll } from "../../../../std/async.ts";
import type { Reader, Row, Transact, Writer } from "../../../engine/database.ts";
import { readNumber } from "../../../engine/database.ts";
import { BlockReads } from "../../../read/blocks.ts";
import type { PoolObservation } from "./poolObservation.ts";
import { writePoolObservations } from "./poolObservation.ts";

/** Confirmed pools observed again without activity. */
export const MAX_REPEATED = 500;

const CONFIRMED = "SELECT count(*) FROM (SELECT 1 FROM pool_observation WHERE factory IS NOT NULL LIMIT ?) c";

export interface ObservedPool {
  readonly observation: PoolObservation;
  /** Due again even without activity. */
  readonly isRepeated: boolean;
  /** Tokens whose `balanceOf` moved relative to the ledger, which suggests rebasing. */
  readonly moved: readonly number[];
}

export class PoolObservations {
  readonly #transact: Transact;

  constructor(transact: Transact) {
    this.#transact = transact;
  }

  /** Discarded if the block was unwound meanwhile. */
  async record(observed: readonly ObservedPool[]): Promise<void> {
    await this.#transact(async (writer) => {
      const kept = await onCanonicalChain(writer, observed);
      await writePoolObservations(
        writer,
        kept.map(({ observation }) => observation),
      );
      const areFew = (await readNumber(writer, CONFIRMED, MAX_REPEATED + 1)) <= MAX_REPEATED;
      const isWaiting = ({ observation, isRepeated }: ObservedPool) =>
        isRepeated || (areFew && observation.factory !== undefined);
      const done = kept.filter((one) => !isWaiting(one)).map(({ observation }): Row => [observation.pool]);
      await writer.remove("pool_due", ["pool"], done);
      const waiting = kept.filter(isWaiting).map(({ observation: { pool, again } }): Row => [pool, again]);
      await writer.upsert("pool_due", ["pool", "block"], waiting);
      const moved = new Set(kept.flatMap((one) => one.moved));
      await writer.upsert(
        "token_due",
        ["token", "block"],
        [...moved].map((token): Row => [token, 0]),
      );
    });
  }
}

async function onCanonicalChain(db: Reader, observed: readonly ObservedPool[]): Promise<ObservedPool[]> {
  const numbers = new Set(observed.map(({ observation }) => observation.block));
  const blocks = await new BlockReads(db).headers(numbers);
  return observed.filter(({ observation: { block, hash } }) => {
    const ours = blocks.get(block);
    return ours !== undefined && equalBytes(ours.header.hash, hash);
  });
}

/** Changed pools become due when their last observation allows it, new ones at once. */
export async function noteDuePools(
  writer: Writer,
  changed: ReadonlySet<number>,
  created: ReadonlySet<number>,
): Promise<void> {
  const pools = [...new Set([...changed, ...created])].sort((a, b) => a - b);
  const read = async (sql: string) =>
    new Map(await writer.load<[number, number]>(`${sql} WHERE pool IN ($keys)`, pools));
  const [again, waiting] = await settleAll([
    read("SELECT pool, again FROM pool_observation"),
    read("SELECT pool, block FROM pool_due"),
  ]);
  const dueAt = (pool: number) =>
    created.has(pool) ? 0 : Math.min(again.get(pool) ?? 0, waiting.get(pool) ?? Number.POSITIVE_INFINITY);
  await writer.upsert(
    "pool_due",
    ["pool", "block"],
    pools.map((pool): Row => [pool, dueAt(pool)]),
  );
}

/** Deletes observations above a block. Affected pools are due at once. */
export async function unwindPoolObservations(writer: Writer, block: number, pools: number): Promise<void> {
  const rows = await writer.all<[number]>("SELECT pool FROM pool_observation WHERE block > ?", block);
  await writer.run("DELETE FROM pool_observation WHERE block > ?", block);
  await writer.upsert(
    "pool_due",
    ["pool", "block"],
    rows.map(([pool]): Row => [pool, 0]),
  );
  await writer.run("DELETE FROM pool_observation WHERE pool > ?", pools);
  await writer.run("DELETE FROM pool_due WHERE pool > ?", pools);
}
