import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import { uintFromBigInt, uintToBigInt } from "../../../../chain/encoding/uint.ts";
import type { TokenText } from "../../../../chain/token/tokenText.ts";
import type { Reader, Row, Value, Writer } from "../../../engine/database.ts";
import { asBytes, ByteReader, ByteWriter, corrupt } from "../../../rows/encoding.ts";
import type { AddressId } from "../../../rows/ids.ts";
import { readSigned, writeSigned } from "../../../rows/signedAmount.ts";
import type { LedgerVerdict } from "./tokenLabels.ts";

/** A node's answers about a token at one block. Reproducible, and not part of the fingerprint. */
export interface TokenObservation {
  readonly token: AddressId;
  readonly block: number;
  readonly hash: Bytes;
  readonly name: TokenText;
  readonly symbol: TokenText;
  readonly decimals: number | null;
  readonly totalSupply: bigint | null;
  /** Ledger sum at that block; null if transfers do not predict the supply. */
  readonly ledgerSupply: bigint | null;
  /** Comparison with the ledger. */
  readonly ledger: LedgerVerdict;
  /** Address ids of holders that differed. */
  readonly differing: readonly number[];
  /** Consecutive incomplete observations; missing values keep their previous state. */
  readonly failures: number;
  /** Next block to observe it at. */
  readonly again: number;
}

const COLUMNS = [
  ...["token", "block", "hash", "name", "name_raw", "symbol", "symbol_raw"],
  ...["decimals", "supply", "ledger", "differing", "failures", "again", "ledger_supply"],
];
const SELECT = `SELECT ${COLUMNS.join(", ")} FROM token_observation`;

export async function readObservations(db: Reader, tokens: readonly number[]): Promise<Map<number, TokenObservation>> {
  const rows = await db.load<ObservationRow>(`${SELECT} WHERE token IN ($keys)`, tokens);
  return new Map(rows.map((row) => [row[0], readRow(row)]));
}

export function writeObservations(writer: Writer, observations: readonly TokenObservation[]): Promise<void> {
  return writer.upsert("token_observation", COLUMNS, observations.map(writeRow));
}

function writeRow(seen: TokenObservation): Row {
  const differing = new ByteWriter(32);
  for (const holder of seen.differing) differing.varint(holder);
  return [
    ...[seen.token, seen.block, seen.hash, seen.name.text, seen.name.raw, seen.symbol.text, seen.symbol.raw],
    ...[seen.decimals, seen.totalSupply === null ? null : uintFromBigInt(seen.totalSupply)],
    ...[seen.ledger, differing.copy(), seen.failures, seen.again],
    seen.ledgerSupply === null ? null : writeSigned(seen.ledgerSupply),
  ];
}

function asText(value: Value | undefined): string | null {
  if (value === null || typeof value === "string") return value;
  throw corrupt("what was observed of a token is no text");
}

type ObservationRow = [
  ...[
    token: AddressId,
    block: number,
    hash: Bytes,
    name: string | null,
    nameRaw: Bytes,
    symbol: string | null,
    symbolRaw: Bytes,
  ],
  ...[
    decimals: number | null,
    supply: Bytes | null,
    ledger: LedgerVerdict,
    differing: Bytes,
    failures: number,
    again: number,
  ],
  ledgerSupply: Bytes | null,
];

function readRow(row: ObservationRow): TokenObservation {
  const [token, block, hash, name, nameRaw, symbol, symbolRaw, ...rest] = row;
  const [decimals, supply, ledger, differing, failures, again, ledgerSupply] = rest;
  const holders: number[] = [];
  for (const reader = new ByteReader(differing); !reader.done; ) holders.push(reader.varint());
  return {
    token: token,
    block: block,
    hash: asBytes(hash),
    name: { text: asText(name), raw: asBytes(nameRaw) },
    symbol: { text: asText(symbol), raw: asBytes(symbolRaw) },
    decimals: decimals,
    totalSupply: supply === null ? null : uintToBigInt(asBytes(supply)),
    ledgerSupply: ledgerSupply === null ? null : readSigned(ledgerSupply),
    ledger: ledger,
    differing: holders,
    failures: failures,
    again: again,
  };
}
