import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY, equalBytes } from "../../chain/encoding/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import type { MinedRecord } from "../../store/read/transactions.ts";
import type { ReadSession } from "../../store/session.ts";
import { NO_LIST } from "../../store/write/list.ts";
import type { BlockWindow } from "../blockWindow.ts";
import { MOST_SEARCHED, readBlockWindow } from "../blockWindow.ts";
import type { QueryContext } from "../context.ts";
import { knownHeight, readIndexedRange } from "../indexedRange.ts";
import type { ReadParts } from "../readInParts.ts";
import { readInParts } from "../readInParts.ts";
import { listedInput } from "./method.ts";

/** Bytes of input in one answer. */
export const MOST_INPUT = 32 << 20;

/** Transactions that are looked at for one answer, and bytes of input that it has, at most. */
const LIMITS = { searched: MOST_SEARCHED, input: MOST_INPUT };

/** Bytes of input that are read in one part. */
const INPUT_AT_ONCE = 1 << 20;

/** A transaction with all of its input. */
export type HistoricRecord = MinedRecord & { readonly input: Bytes };

/** The same with the name of the function it called, where that is known. */
export interface HistoricTransaction {
  readonly mined: HistoricRecord;
  readonly functionName: string | undefined;
}

export interface AddressHistory {
  readonly transactions: readonly HistoricTransaction[];
  /** The highest block known of. */
  readonly height: number;
}

/** Which of the transactions of an address: all, those it sent, or those that were sent to it or created it. */
export type Role = "any" | "from" | "to";

/** The transactions of an address in some blocks. */
export async function readAddressHistory(
  context: QueryContext,
  address: Bytes,
  role: Role,
  window: BlockWindow,
  limits = LIMITS,
): Promise<AddressHistory> {
  const { mined, height } = await readInParts(context.store, window.toBlock, async (parts) => {
    const find = (session: ReadSession) => findTransactions(context, session, address, role);
    const { listed, items } = await readBlockWindow(parts, window, find, limits.searched);
    return { mined: await readWhole(parts, items, limits.input), height: listed.height };
  });
  const calls = mined.map((record) => (record.to === null ? EMPTY : listedInput(record)));
  const names = await context.decoder.listedNames(calls);
  return { transactions: mined.map((each, at) => ({ mined: each, functionName: names[at] })), height };
}

async function findTransactions(context: QueryContext, session: ReadSession, address: Bytes, role: Role) {
  const id = await session.addresses.id(address);
  return {
    height: knownHeight(context, await readIndexedRange(session)),
    list: ({ addresses }: ReadSession) => (id === undefined ? NO_LIST : addresses.transactions(id)),
    read: ({ transactions }: ReadSession, positions: readonly number[]) => transactions.records(positions),
    isWanted: role === "any" ? undefined : (mined: MinedRecord) => hasRole(mined, address, role),
  };
}

function hasRole({ from, to, contractAddress }: MinedRecord, address: Bytes, role: "from" | "to"): boolean {
  if (role === "from") return equalBytes(from, address);
  return [to, contractAddress].some((party) => party !== null && equalBytes(party, address));
}

/** Reads the inputs that the rows of transactions have no room for. */
async function readWhole(
  parts: ReadParts,
  found: readonly MinedRecord[],
  mostInput: number,
): Promise<readonly HistoricRecord[]> {
  const whole: HistoricRecord[] = [];
  let size = 0;
  const add = (mined: MinedRecord, input: Bytes) => {
    size += input.length;
    whole.push(mined.input === null ? { ...mined, input } : (mined as HistoricRecord));
    if (size <= mostInput) return;
    throw new ChainError("limit_exceeded", `the transactions have over ${mostInput} bytes of input; ask for fewer`);
  };
  while (whole.length < found.length) {
    const next = found[whole.length]!;
    if (next.input !== null) {
      add(next, next.input);
      continue;
    }
    const before = size;
    await parts.read(async ({ transactions }) => {
      while (whole.length < found.length && size - before < INPUT_AT_ONCE) {
        const mined = found[whole.length]!;
        add(mined, mined.input ?? (await transactions.input(mined.position)));
      }
    });
  }
  return whole;
}
