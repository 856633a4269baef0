import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { hasHappened } from "../../chain/trace/internalCall.ts";
import { Slab } from "../../std/bytes.ts";
import type { Amount } from "../../store/rows/gasPrice.ts";
import type { TransactionRecord } from "../../store/rows/transactionRecord.ts";
import { readRecord } from "../../store/rows/transactionRecord.ts";
import type { ReadSession } from "../../store/session.ts";
import type { MinedCall } from "../../store/stages/traces/traceReads.ts";
import { NO_LIST } from "../../store/tables/list.ts";
import { MAX_SEARCHED, readBlockWindow } from "../blockWindow.ts";
import type { QueryContext } from "../context.ts";
import type { IndexedRange } from "../indexedRange.ts";
import type { ReadParts } from "../readInParts.ts";
import { readInParts } from "../readInParts.ts";
import { notTraced, readTraceRange } from "../stageRanges.ts";

export interface Funding {
  readonly block: number;
  readonly timestamp: number;
  readonly index: number;
  readonly from: Bytes;
  readonly transaction: Bytes;
  readonly value: bigint;
}

const FIRST = { order: "asc", skip: 0, limit: 1 } as const;

/** The first transaction or internal call by which an address received coins from another; undefined if there is none. */
export function findFunding({ store }: QueryContext, address: Bytes): Promise<Funding | undefined> {
  return readInParts(store, Number.MAX_SAFE_INTEGER, async (parts) => {
    const range = await parts.read(readTraceRange);
    if (range === undefined) return undefined;
    const sent = await firstTransaction(parts, address);
    const called = await firstCall(parts, address, range, sent);
    if (sent === undefined || called === undefined) return sent ?? called;
    const isFirst = called.block < sent.block || (called.block === sent.block && called.index < sent.index);
    return isFirst ? called : sent;
  });
}

async function firstTransaction(parts: ReadParts, address: Bytes): Promise<Funding | undefined> {
  const slab = new Slab();
  const window = { fromBlock: 0, toBlock: Number.MAX_SAFE_INTEGER, ...FIRST };
  const { items } = await readBlockWindow(parts, window, async ({ addresses }) => {
    const id = await addresses.id(address);
    return {
      list: (session: ReadSession) => (id === undefined ? NO_LIST : session.addresses.transactions(id)),
      read: async ({ transactions }: ReadSession, positions: readonly number[]) =>
        (await transactions.records(positions)).map((row) => fundingOf(readRecord(row, slab), address)),
      isWanted: (funding: Funding | undefined) => funding !== undefined,
    };
  });
  return items[0];
}

function fundingOf(record: TransactionRecord, address: Bytes): Funding | undefined {
  const { addresses, fromAt, toAt, contractAt, status, block } = record;
  const isAt = (at: number | null) => at !== null && equalBytes(addresses.subarray(at, at + 20), address);
  const value = amountOf(record.value);
  if (value === 0n || status === 0 || isAt(fromAt) || !(isAt(toAt) || isAt(contractAt))) return undefined;
  return {
    block: block.number,
    timestamp: block.timestamp,
    index: record.index,
    from: addresses.slice(fromAt, fromAt + 20),
    transaction: record.hashes.slice(record.hashAt, record.hashAt + 32),
    value,
  };
}

const amountOf = (amount: Amount): bigint => (typeof amount === "number" ? BigInt(amount) : uintToBigInt(amount));

/** Up to the block of the transaction. Throws if calls before it are not traced. */
async function firstCall(
  parts: ReadParts,
  address: Bytes,
  range: IndexedRange,
  sent: Funding | undefined,
): Promise<Funding | undefined> {
  const toBlock = sent?.block ?? Number.MAX_SAFE_INTEGER;
  const { listed, items } = await readBlockWindow(
    parts,
    { fromBlock: 0, toBlock, ...FIRST },
    async (session) => ({
      tip: await session.blocks.tip(),
      list: ({ traces }: ReadSession) => traces.ofAddress(address),
      read: ({ traces }: ReadSession, positions: readonly number[]) => traces.at(positions),
      isWanted: (call: MinedCall) => isFunding(call, address),
    }),
    MAX_SEARCHED,
  );
  const [call] = items;
  if (call !== undefined) return fundingBy(call);
  const last = Math.min(toBlock, listed.tip?.number ?? 0);
  if (range.tip.number < last) throw notTraced(last, range);
  return undefined;
}

function isFunding(call: MinedCall, address: Bytes): boolean {
  if (call.to === null || !hasHappened(call) || uintToBigInt(call.value) === 0n) return false;
  return equalBytes(call.to, address) && !equalBytes(call.from, address);
}

function fundingBy({ from, value, mined }: MinedCall): Funding {
  const { header } = mined.block;
  return {
    block: header.number,
    timestamp: header.timestamp,
    index: mined.index,
    from,
    transaction: mined.transaction.hash,
    value: uintToBigInt(value),
  };
}
