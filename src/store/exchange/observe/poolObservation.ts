import type { AddressBytes, Bytes } from "../../../chain/encoding/bytes.ts";
import type { Connection, Engine, Row } from "../../engine/engine.ts";
import { asBytes } from "../../rows/encoding.ts";
import { readSigned, writeSigned } from "../../tokens/ledger/signedAmount.ts";

/** What a node said of a pool at one block: a cache that can be filled again, and no part of a fingerprint. */
export interface PoolObservation {
  readonly pool: number;
  readonly block: number;
  readonly hash: Bytes;
  /** Who created it, as he and the pool both say; undefined where they do not. */
  readonly factory: AddressBytes | undefined;
  /** What the pool has of each token by `balanceOf`, less what transfers add up to. */
  readonly difference0: bigint;
  readonly difference1: bigint;
  /** How often in a row the node could not say all. */
  readonly failures: number;
  /** The first block at which the pool is asked again. */
  readonly again: number;
}

const COLUMNS = ["pool", "block", "hash", "factory", "difference0", "difference1", "failures", "again"];

type ObservationRow = [
  ...[pool: number, block: number, hash: Bytes, factory: Bytes | null],
  ...[difference0: Bytes, difference1: Bytes, failures: number, again: number],
];

export async function readPoolObservations(
  connection: Connection,
  pools: readonly number[],
): Promise<Map<number, PoolObservation>> {
  const sql = `SELECT ${COLUMNS.join(", ")} FROM pool_observation WHERE pool IN ($keys)`;
  const rows = await connection.load<ObservationRow>(sql, pools);
  return new Map(
    rows.map(([pool, block, hash, factory, difference0, difference1, failures, again]) => [
      pool,
      {
        pool,
        block,
        hash: asBytes(hash),
        factory: factory === null ? undefined : asBytes(factory),
        difference0: readSigned(difference0),
        difference1: readSigned(difference1),
        failures,
        again,
      },
    ]),
  );
}

export function writePoolObservations(engine: Engine, observations: readonly PoolObservation[]): Promise<void> {
  const rows = observations.map(
    (seen): Row => [
      ...[seen.pool, seen.block, seen.hash, seen.factory ?? null],
      ...[writeSigned(seen.difference0), writeSigned(seen.difference1), seen.failures, seen.again],
    ],
  );
  return engine.upsert("pool_observation", COLUMNS, rows);
}
