import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import type { Draft } from "../../chain/encoding/wire.ts";
import type { BlockStamp } from "./blockBody.ts";
import { HEAD_SIZE, PARTS, readPackedHead, SELECTOR_SIZE } from "./bodyParts.ts";
import { ByteReader } from "./encoding.ts";
import type { Amount } from "./gasPrice.ts";
import { readPrice } from "./gasPrice.ts";
import type { PackedRow } from "./packedRows.ts";
import type { Position } from "./position.ts";
import { slotOf } from "./position.ts";
import { HAS } from "./transactionFlags.ts";
import { skipData } from "./words.ts";

export interface LogContext {
  readonly block: BlockStamp;
  readonly position: Position;
  /** Hash at an offset of a shared buffer. */
  readonly hashes: Bytes;
  readonly hashAt: number;
  readonly transactionIndex: number;
  readonly gasUsed: number;
  readonly gasPrice: Amount;
  readonly firstLog: number;
}

const UNREAD: BlockStamp = { number: 0, hash: EMPTY, timestamp: 0 };

/** Decodes only these fields. The caller fills in the block. */
export function readLogContext(row: PackedRow): Draft<LogContext> {
  const { overflow } = readPackedHead(row);
  const reader = new ByteReader(row.bytes, row.start + HEAD_SIZE, row.end);
  reader.varint();
  const flags = reader.varint();
  const transactionIndex = reader.varint();
  const hashAt = reader.at;
  reader.skip(32);
  reader.varint();
  if (flags & HAS.to) reader.varint();
  for (let field = 0; field < 6; field++) reader.skipString();
  if (overflow & PARTS.input) reader.skip(SELECTOR_SIZE);
  else skipData(reader);
  const gasPrice = readPrice(flags, overflow, reader);
  const gasUsed = reader.varint();
  reader.varint();
  if (flags & HAS.root) reader.skip(32);
  if (flags & HAS.contract) reader.varint();
  const firstLog = flags & HAS.firstLog ? reader.varint() : slotOf(row.key) - transactionIndex;
  return { block: UNREAD, position: row.key, hashes: row.bytes, hashAt, transactionIndex, gasUsed, gasPrice, firstLog };
}
