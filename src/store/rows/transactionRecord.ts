import type { Bytes, Hash } from "../../chain/encoding/bytes.ts";
import type { Uint } from "../../chain/encoding/uint.ts";
import type { AddressResolver } from "../read/addressResolver.ts";
import { HEAD_SIZE, PARTS, readRowHead, SELECTOR_SIZE } from "./bodyParts.ts";
import { ByteReader } from "./encoding.ts";
import type { Position } from "./position.ts";
import { HAS } from "./transactionFlags.ts";
import { skipAccessList, skipAuthorizations } from "./transactionLists.ts";
import { readData } from "./words.ts";

/** What long lists tell of a transaction. */
export interface TransactionRecord {
  readonly position: Position;
  /** Its place in the block. */
  readonly index: number;
  readonly hash: Hash;
  readonly from: Bytes;
  readonly to: Bytes | null;
  readonly nonce: Uint;
  readonly gas: Uint;
  readonly value: Uint;
  /** Null where it lies apart, as it is too long for a list; its first four bytes do not. */
  readonly input: Bytes | null;
  readonly selector?: Bytes | undefined;
  /** What a unit of gas cost. Where a receipt does not say, it is the price that the transaction names, or the highest. */
  readonly gasPrice: Uint | undefined;
  readonly gasUsed: number;
  readonly cumulativeGasUsed: number;
  /** Undefined before Byzantium. */
  readonly status: 0 | 1 | undefined;
  readonly contractAddress: Bytes | null;
}

/** Reads no more of a row than that. Addresses are filled in when the resolver is loaded. */
export function readRecord(position: Position, row: Bytes, resolver: AddressResolver): TransactionRecord {
  const { apart } = readRowHead(row);
  const reader = new ByteReader(row, HEAD_SIZE);
  reader.varint();
  const flags = reader.varint();
  const index = reader.varint();
  const hash = reader.raw(32);
  const from = addressOf(reader, resolver);
  const to = flags & HAS.to ? addressOf(reader, resolver) : null;
  const [nonce, gas, value] = [reader.string(), reader.string(), reader.string()];
  for (let field = 0; field < 3; field++) skipString(reader);
  const selector = apart & PARTS.input ? reader.raw(SELECTOR_SIZE) : undefined;
  const input = selector === undefined ? readData(reader, resolver.slab) : null;
  const gasPrice = readPrice(flags, apart, reader);
  const [gasUsed, cumulativeGasUsed] = [reader.varint(), reader.varint()];
  if (flags & HAS.root) reader.skip(32);
  const status = flags & HAS.root ? undefined : flags & HAS.success ? 1 : 0;
  const contractAddress = flags & HAS.contract ? addressOf(reader, resolver) : null;
  const place = { position, index, hash, from, to, nonce, gas, value, input, selector };
  return { ...place, gasPrice, gasUsed, cumulativeGasUsed, status, contractAddress };
}

/** Those of a list are as good as all different. */
function addressOf(reader: ByteReader, resolver: AddressResolver): Bytes {
  const address = resolver.slab.take(20);
  resolver.fillAddress(address, 0, reader.varint());
  return address;
}

const skipString = (reader: ByteReader): void => reader.skip(reader.varint());

/** Moves past all that may be there or not. */
function readPrice(flags: number, apart: number, reader: ByteReader): Uint | undefined {
  const named = flags & HAS.gasPrice ? reader.string() : undefined;
  const highest = flags & HAS.maxFee ? reader.string() : undefined;
  if (flags & HAS.maxPriorityFee) skipString(reader);
  if (flags & HAS.chainId) skipString(reader);
  if (flags & HAS.accessList && (apart & PARTS.accessList) === 0) skipAccessList(reader);
  if (flags & HAS.blobs) {
    skipString(reader);
    if ((apart & PARTS.blobs) === 0) reader.skip(32 * reader.varint());
  }
  if (flags & HAS.authorizations && (apart & PARTS.authorizations) === 0) skipAuthorizations(reader);
  const paid = flags & HAS.effectiveGasPrice ? reader.string() : undefined;
  if (flags & HAS.blobGasUsed) reader.varint();
  if (flags & HAS.blobGasPrice) skipString(reader);
  if ((apart & PARTS.extra) === 0) {
    if (flags & HAS.extra) skipString(reader);
    if (flags & HAS.receiptExtra) skipString(reader);
  }
  return paid ?? named ?? highest;
}
