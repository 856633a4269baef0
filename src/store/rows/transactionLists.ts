import type { AccessListEntry, Authorization } from "../../chain/block/transaction.ts";
import type { ByteReader, ByteWriter } from "./encoding.ts";

export function writeAccessList(entries: readonly AccessListEntry[], writer: ByteWriter): void {
  writer.varint(entries.length);
  for (const { address, storageKeys } of entries) {
    writer.raw(address);
    writer.varint(storageKeys.length);
    for (const key of storageKeys) writer.word(key, 0);
  }
}

export function readAccessList(reader: ByteReader): AccessListEntry[] {
  return reader.many(() => ({
    address: reader.raw(20),
    storageKeys: reader.many(() => {
      const key = new Uint8Array(32);
      reader.word(key, 0);
      return key;
    }),
  }));
}

export function skipAccessList(reader: ByteReader): void {
  for (let entries = reader.varint(); entries > 0; entries--) {
    reader.skip(20);
    for (let keys = reader.varint(); keys > 0; keys--) reader.skip(reader.byte());
  }
}

export function writeAuthorizations(entries: readonly Authorization[], writer: ByteWriter): void {
  writer.varint(entries.length);
  for (const { chainId, address, nonce, yParity, r, s } of entries) {
    writer.raw(address);
    for (const value of [chainId, nonce, yParity, r, s]) writer.string(value);
  }
}

export function readAuthorizations(reader: ByteReader): Authorization[] {
  return reader.many(() => ({
    address: reader.raw(20),
    chainId: reader.string(),
    nonce: reader.string(),
    yParity: reader.string(),
    r: reader.string(),
    s: reader.string(),
  }));
}

export function skipAuthorizations(reader: ByteReader): void {
  for (let entries = reader.varint(); entries > 0; entries--) {
    reader.skip(20);
    for (let value = 0; value < 5; value++) reader.skipString();
  }
}
