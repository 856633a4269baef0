import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Slab } from "../../std/bytes.ts";
import type { BlockStamp } from "./blockBody.ts";
import { HEAD_SIZE, PARTS, readPackedHead, SELECTOR_SIZE } from "./bodyParts.ts";
import { ByteReader } from "./encoding.ts";
import type { Amount } from "./gasPrice.ts";
import { readPrice } from "./gasPrice.ts";
import type { IdResolver } from "./ids.ts";
import type { PackedRow } from "./packedRows.ts";
import { HAS } from "./transactionFlags.ts";
import { readData, skipData } from "./words.ts";

/** Stored form, decoded when written: thousands of decoded transactions at once would dominate the cost of a list. */
export interface RecordRow {
  readonly row: PackedRow;
  readonly block: BlockStamp;
  /** Sender, recipient and created contract, in a shared buffer. */
  readonly addresses: Bytes;
  readonly addressesAt: number;
  /** Null if in an overflow row. */
  readonly inputSize: number | null;
}

/** Fields of long lists. Hash and addresses are offsets into shared buffers. */
export interface TransactionRecord {
  readonly block: BlockStamp;
  readonly index: number;
  readonly hashes: Bytes;
  readonly hashAt: number;
  readonly addresses: Bytes;
  readonly fromAt: number;
  readonly toAt: number | null;
  readonly contractAt: number | null;
  readonly nonce: Amount;
  readonly gas: Amount;
  readonly value: Amount;
  /** Null if in an overflow row. */
  readonly input: Bytes | null;
  /** Effective price, or the transaction's price if the receipt has none. */
  readonly gasPrice: Amount;
  readonly gasUsed: number;
  readonly cumulativeGasUsed: number;
  /** Undefined before Byzantium. */
  readonly status: 0 | 1 | undefined;
}

const [FROM, TO, CONTRACT] = [0, 20, 40];
export const ADDRESSES_SIZE = 60;

/** Addresses are filled when the resolver is loaded. */
export function readRecordRow(
  row: PackedRow,
  block: BlockStamp,
  addresses: Bytes,
  addressesAt: number,
  resolver: IdResolver,
): RecordRow {
  const { overflow } = readPackedHead(row);
  const reader = new ByteReader(row.bytes, row.start + HEAD_SIZE, row.end);
  reader.varint();
  const flags = reader.varint();
  reader.varint();
  reader.skip(32);
  resolver.fillAddress(addresses, addressesAt + FROM, reader.varint());
  if (flags & HAS.to) resolver.fillAddress(addresses, addressesAt + TO, reader.varint());
  for (let field = 0; field < 6; field++) reader.skipString();
  const inputSize = overflow & PARTS.input ? null : skipData(reader);
  if (flags & HAS.contract) {
    if (inputSize === null) reader.skip(SELECTOR_SIZE);
    readPrice(flags, overflow, reader);
    reader.varint();
    reader.varint();
    if (flags & HAS.root) reader.skip(32);
    resolver.fillAddress(addresses, addressesAt + CONTRACT, reader.varint());
  }
  return { row, block, addresses, addressesAt, inputSize };
}

export function readRecord({ row, block, addresses, addressesAt }: RecordRow, slab: Slab): TransactionRecord {
  const { overflow } = readPackedHead(row);
  const reader = new ByteReader(row.bytes, row.start + HEAD_SIZE, row.end);
  reader.varint();
  const flags = reader.varint();
  const index = reader.varint();
  const hashAt = reader.at;
  reader.skip(32);
  reader.varint();
  if (flags & HAS.to) reader.varint();
  const nonce = reader.integer();
  const gas = reader.integer();
  const value = reader.integer();
  for (let field = 0; field < 3; field++) reader.skipString();
  const input = overflow & PARTS.input ? null : readData(reader, slab);
  if (input === null) reader.skip(SELECTOR_SIZE);
  const gasPrice = readPrice(flags, overflow, reader);
  return {
    block,
    index,
    hashes: row.bytes,
    hashAt,
    addresses,
    fromAt: addressesAt + FROM,
    toAt: flags & HAS.to ? addressesAt + TO : null,
    contractAt: flags & HAS.contract ? addressesAt + CONTRACT : null,
    nonce,
    gas,
    value,
    input,
    gasPrice,
    gasUsed: reader.varint(),
    cumulativeGasUsed: reader.varint(),
    status: flags & HAS.root ? undefined : flags & HAS.success ? 1 : 0,
  };
}
