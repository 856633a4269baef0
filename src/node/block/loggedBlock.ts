import type { Header } from "../../chain/block/header.ts";
import type { Log, Receipt } from "../../chain/block/receipt.ts";
import type { Transaction } from "../../chain/block/transaction.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { uintToNumber } from "../../chain/encoding/uint.ts";
import { keccak256 } from "../../chain/hashing/keccak.ts";
import { RlpReader } from "./rlpReader.ts";
import type { StoredBlock } from "./stored.ts";

export interface LoggedBlock {
  readonly header: Pick<Header, "hash" | "number" | "timestamp">;
  readonly transactions: readonly Pick<Transaction, "hash">[];
  readonly receipts: readonly Pick<Receipt, "logs">[];
}

/** Reads only what logs need, in place: a search passes over thousands of blocks. */
export function decodeLogged({ header, body }: StoredBlock): LoggedBlock {
  const reader = new RlpReader(body).enter();
  const transactions = readTransactions(reader.enter());
  reader.skip();
  return { header: readHeader(header), transactions, receipts: readReceipts(reader.enter()) };
}

/** Fields of a header before its number, and between that and its timestamp. */
const BEFORE_NUMBER = 8;
const BEFORE_TIMESTAMP = 2;

function readHeader(header: Bytes): LoggedBlock["header"] {
  const reader = new RlpReader(header).enter();
  for (let field = 0; field < BEFORE_NUMBER; field++) reader.skip();
  const number = uintToNumber(reader.string());
  for (let field = 0; field < BEFORE_TIMESTAMP; field++) reader.skip();
  return { number, timestamp: uintToNumber(reader.string()), hash: keccak256(header) };
}

/** Hashed where a log is found. */
class LoggedTransaction {
  readonly #raw: Bytes;

  constructor(raw: Bytes) {
    this.#raw = raw;
  }

  get hash(): Bytes {
    return keccak256(this.#raw);
  }
}

function readTransactions(reader: RlpReader): LoggedTransaction[] {
  const transactions: LoggedTransaction[] = [];
  while (!reader.isAtEnd) transactions.push(new LoggedTransaction(reader.string()));
  return transactions;
}

/** A list, with its type before it unless it is a legacy one (EIP-2718). */
const FIRST_LIST = 0xc0;

/** Fields of a receipt before its logs. */
const BEFORE_LOGS = 3;

function readReceipts(reader: RlpReader): { readonly logs: Log[] }[] {
  const receipts: { readonly logs: Log[] }[] = [];
  let logIndex = 0;
  while (!reader.isAtEnd) {
    const bytes = reader.string();
    const receipt = new RlpReader(bytes, bytes[0]! < FIRST_LIST ? 1 : 0).enter();
    for (let field = 0; field < BEFORE_LOGS; field++) receipt.skip();
    const entries = receipt.enter();
    const logs: Log[] = [];
    while (!entries.isAtEnd) logs.push(readLog(entries.enter(), logIndex++));
    receipts.push({ logs });
  }
  return receipts;
}

const TOPIC = 32;

function readLog(reader: RlpReader, logIndex: number): Log {
  const address = reader.string();
  const list = reader.enter();
  const topics = new Uint8Array(TOPIC * 4);
  let length = 0;
  for (; !list.isAtEnd; length += TOPIC) topics.set(list.string(), length);
  return { address, topics: topics.subarray(0, length), data: reader.string(), logIndex };
}
