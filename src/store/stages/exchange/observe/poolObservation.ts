import type { AddressBytes, Bytes } from "../../../../chain/encoding/bytes.ts";
import type { Reader, Row, Writer } from "../../../engine/database.ts";
import { asBytes } from "../../../rows/encoding.ts";
import { readSigned, writeSigned } from "../../../rows/signedAmount.ts";

/** A node's answers about a pool at one block. Reproducible, and not part of the fingerprint. */
export interface PoolObservation {
  readonly pool: number;
  readonly block: number;
  readonly hash: Bytes;
  /** Creator confirmed by both sides; undefined if unconfirmed. */
  readonly factory: AddressBytes | undefined;
  /** `balanceOf` minus the ledger balance. */
  readonly difference0: bigint;
  readonly difference1: bigint;
  /** Metadata of tokens without transfers; undefined for the others. */
  readonly tokens: readonly [ReportedToken | undefined, ReportedToken | undefined];
  /** Exchange by factory code; null if unknown, undefined if not asked yet. */
  readonly exchange: string | null | undefined;
  /** Consecutive incomplete observations. */
  readonly failures: number;
  /** Next block to observe it at. */
  readonly again: number;
}

/** Metadata of a contract without transfers. Without any it is no token. */
export interface ReportedToken {
  readonly name: string | null;
  readonly symbol: string | null;
  readonly decimals: number | null;
  readonly supply: bigint | null;
}

const COLUMNS = [
  ...["pool", "block", "hash", "factory", "difference0", "difference1", "failures", "again"],
  ...["tokens", "exchange"],
];

type ObservationRow = [
  ...[pool: number, block: number, hash: Bytes, factory: Bytes | null],
  ...[difference0: Bytes, difference1: Bytes, failures: number, again: number],
  ...[tokens: Bytes | null, exchange: string | null],
];

const NO_EXCHANGE = "";

export async function readPoolObservations(
  db: Reader,
  pools: readonly number[],
): Promise<Map<number, PoolObservation>> {
  const sql = `SELECT ${COLUMNS.join(", ")} FROM pool_observation WHERE pool IN ($keys)`;
  const rows = await db.load<ObservationRow>(sql, pools);
  return new Map(
    rows.map(([pool, block, hash, factory, difference0, difference1, failures, again, tokens, exchange]) => [
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
        tokens: tokens === null ? [undefined, undefined] : readTokens(tokens),
        exchange: exchange === null ? undefined : exchange === NO_EXCHANGE ? null : exchange,
      },
    ]),
  );
}

export function writePoolObservations(writer: Writer, observations: readonly PoolObservation[]): Promise<void> {
  const rows = observations.map(
    (seen): Row => [
      ...[seen.pool, seen.block, seen.hash, seen.factory ?? null],
      ...[writeSigned(seen.difference0), writeSigned(seen.difference1), seen.failures, seen.again],
      ...[writeTokens(seen.tokens), seen.exchange === undefined ? null : (seen.exchange ?? NO_EXCHANGE)],
    ],
  );
  return writer.upsert("pool_observation", COLUMNS, rows);
}

type TokenFields = [name: string | null, symbol: string | null, decimals: number | null, supply: string | null];

function writeTokens(tokens: PoolObservation["tokens"]): Bytes | null {
  if (tokens.every((reported) => reported === undefined)) return null;
  const fields = tokens.map(
    (reported) => reported && [reported.name, reported.symbol, reported.decimals, reported.supply?.toString() ?? null],
  );
  return new TextEncoder().encode(JSON.stringify(fields));
}

function readTokens(bytes: Bytes): PoolObservation["tokens"] {
  const fields = JSON.parse(new TextDecoder().decode(asBytes(bytes))) as [TokenFields | null, TokenFields | null];
  const [token0, token1] = fields;
  return [readToken(token0), readToken(token1)];
}

function readToken(fields: TokenFields | null): ReportedToken | undefined {
  if (fields === null) return undefined;
  const [name, symbol, decimals, supply] = fields;
  return { name, symbol, decimals, supply: supply === null ? null : BigInt(supply) };
}
