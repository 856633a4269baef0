import type { Bytes, Hash } from "../encoding/bytes.ts";
import { wasm } from "../hashing/webAssembly.ts";
import { H_HASH, H_NUMBER, H_TRANSACTIONS, HEADER_SIZE } from "./records.ts";
import { SCANNER_MODULE } from "./scannerModule.ts";

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  prepare(blockLength: number, receiptsLength: number): number;
  decode(blockLength: number, receiptsLength: number): number;
  outline(blockLength: number): number;
  fieldsFrom(): number;
  fieldsTo(): number;
  recordsTo(): number;
}

/** Zeroed by the module behind each document. */
const SLACK = 128;
/** Memory above this is given back after the document that took it. */
const MAX_KEPT_BYTES = 16 << 20;

const module = new wasm.Module(Buffer.from(SCANNER_MODULE, "base64"));
let instance: Exports | undefined;

const create = () => new wasm.Instance(module).exports as Exports;

/**
 * Decodes a block and its receipts from the bytes of a node's JSON, and compares them with the hashes in the header.
 * Undefined for what is not in the usual form: unknown, repeated or missing fields, other types of transactions, or
 * values that contradict each other. Those are left to `decodeBlock`, which tells what is wrong.
 *
 * The result is for `unpackBlock`, in this thread or another: the offset of the header's record, all fields, and the records.
 */
export function scanBlock(block: Bytes, receipts: Bytes): ArrayBuffer | undefined {
  return withScanner((scanner) => scan(scanner, block, receipts));
}

export interface BlockOutline {
  readonly number: number;
  readonly hash: Hash;
  readonly isEmpty: boolean;
}

/**
 * Fields needed to ask for the receipts. For a block in the usual form `scanBlock` finds them; another one may
 * deceive it, so the decoded block has to be compared.
 */
export function outlineBlock(block: Bytes): BlockOutline | undefined {
  return withScanner((scanner) => outline(scanner, block));
}

function withScanner<T>(work: (scanner: Exports) => T): T | undefined {
  instance ??= create();
  try {
    return work(instance);
  } catch (error) {
    if (!(error instanceof wasm.RuntimeError)) throw error;
    instance = undefined;
    return undefined;
  } finally {
    if (instance !== undefined && instance.memory.buffer.byteLength > MAX_KEPT_BYTES) instance = undefined;
  }
}

function scan(scanner: Exports, block: Bytes, receipts: Bytes): ArrayBuffer | undefined {
  const at = scanner.prepare(block.length, receipts.length);
  if (at === 0) return undefined;
  const documents = new Uint8Array(scanner.memory.buffer);
  documents.set(block, at);
  documents.set(receipts, at + block.length + SLACK);
  const header = scanner.decode(block.length, receipts.length);
  return header === 0 ? undefined : pack(scanner, header);
}

function outline(scanner: Exports, block: Bytes): BlockOutline | undefined {
  const at = scanner.prepare(block.length, 0);
  if (at === 0) return undefined;
  new Uint8Array(scanner.memory.buffer).set(block, at);
  const header = scanner.outline(block.length);
  if (header === 0) return undefined;
  const { buffer } = scanner.memory;
  const record = new DataView(buffer, header, HEADER_SIZE);
  const hash = scanner.fieldsFrom() + record.getUint32(H_HASH, true);
  return {
    number: record.getFloat64(H_NUMBER, true),
    hash: new Uint8Array(buffer.slice(hash, hash + 32)),
    isEmpty: record.getUint32(H_TRANSACTIONS, true) === 0,
  };
}

/** Fields keep their offsets; records follow at a multiple of 8. */
function pack(scanner: Exports, header: number): ArrayBuffer {
  const [from, to, end] = [scanner.fieldsFrom(), scanner.fieldsTo(), scanner.recordsTo()];
  const records = (to - from + 7) & ~7;
  const packed = new Uint8Array(records + end - header);
  const memory = scanner.memory.buffer;
  packed.set(new Uint8Array(memory, from, to - from));
  packed.set(new Uint8Array(memory, header, end - header), records);
  new Uint32Array(packed.buffer, 0, 1)[0] = records;
  return packed.buffer;
}
