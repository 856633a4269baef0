import type { Signature } from "../../chain/abi/signature.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY, equalBytes } from "../../chain/encoding/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import { Slab } from "../../std/bytes.ts";
import type { RecordRow, TransactionRecord } from "../../store/rows/transactionRecord.ts";
import { readRecord } from "../../store/rows/transactionRecord.ts";
import type { ReadSession } from "../../store/session.ts";
import { NO_LIST } from "../../store/tables/list.ts";
import type { BlockWindow } from "../blockWindow.ts";
import { MAX_SEARCHED, readBlockWindow } from "../blockWindow.ts";
import type { QueryContext } from "../context.ts";
import type { KnownHeight } from "../indexedRange.ts";
import { knownHeight, readIndexedRange } from "../indexedRange.ts";
import type { ReadParts } from "../readInParts.ts";
import { readInParts } from "../readInParts.ts";

export const MAX_INPUT = 32 << 20;

/** Transactions scanned and input bytes per response. */
const LIMITS = { searched: MAX_SEARCHED, input: MAX_INPUT };

/** Input bytes per part. */
const INPUT_BATCH_BYTES = 1 << 20;

/** With the input if the row does not contain it. */
interface HistoricRow extends RecordRow {
  readonly longInput?: Bytes;
}

export interface HistoricTransaction {
  readonly record: TransactionRecord;
  readonly input: Bytes;
  readonly called: Signature | undefined;
}

interface AddressHistory {
  readonly rows: readonly HistoricRow[];
  readonly decode: (row: HistoricRow) => HistoricTransaction;
  readonly height: KnownHeight;
}

/** All, sent, or received and creating. */
export type Role = "any" | "from" | "to";

export async function readAddressHistory(
  context: QueryContext,
  address: Bytes,
  role: Role,
  window: BlockWindow,
  limits = LIMITS,
): Promise<AddressHistory> {
  const { rows, height } = await readInParts(context.store, window.toBlock, async (parts) => {
    const find = (session: ReadSession) => findTransactions(context, session, address, role);
    const { listed, items } = await readBlockWindow(parts, window, find, limits.searched);
    return { rows: await readWhole(parts, items, limits.input), height: listed.height };
  });
  return { rows, decode: decodeWith(context.decoder.signaturesOfCalls()), height };
}

function decodeWith(signatureOf: (input: Bytes) => Signature | undefined): AddressHistory["decode"] {
  const slab = new Slab();
  return (row) => {
    const record = readRecord(row, slab);
    const input = row.longInput ?? record.input ?? EMPTY;
    return { record, input, called: record.toAt === null ? undefined : signatureOf(input) };
  };
}

async function findTransactions(context: QueryContext, session: ReadSession, address: Bytes, role: Role) {
  const id = await session.addresses.id(address);
  const slab = new Slab();
  return {
    height: knownHeight(context, await readIndexedRange(session)),
    list: ({ addresses }: ReadSession) => (id === undefined ? NO_LIST : addresses.transactions(id)),
    read: ({ transactions }: ReadSession, positions: readonly number[]) => transactions.records(positions),
    isWanted: role === "any" ? undefined : (row: RecordRow) => hasRole(readRecord(row, slab), address, role),
  };
}

function hasRole(record: TransactionRecord, address: Bytes, role: "from" | "to"): boolean {
  const { addresses, fromAt, toAt, contractAt } = record;
  const places = role === "from" ? [fromAt] : [toAt, contractAt];
  return places.some((at) => at !== null && equalBytes(addresses.subarray(at, at + 20), address));
}

/** Reads inputs that rows do not contain. */
async function readWhole(
  parts: ReadParts,
  found: readonly RecordRow[],
  maxInput: number,
): Promise<readonly HistoricRow[]> {
  const whole: HistoricRow[] = [];
  let size = 0;
  const add = (row: HistoricRow, inputSize: number) => {
    size += inputSize;
    whole.push(row);
    if (size <= maxInput) return;
    throw new ChainError("limit_exceeded", `the transactions have over ${maxInput} bytes of input; ask for fewer`);
  };
  while (whole.length < found.length) {
    const next = found[whole.length]!;
    if (next.inputSize !== null) {
      add(next, next.inputSize);
      continue;
    }
    const before = size;
    await parts.read(async ({ transactions }) => {
      while (whole.length < found.length && size - before < INPUT_BATCH_BYTES) {
        const row = found[whole.length]!;
        const longInput = row.inputSize === null ? await transactions.input(row.row.key) : undefined;
        add(longInput === undefined ? row : { ...row, longInput }, longInput?.length ?? row.inputSize ?? 0);
      }
    });
  }
  return whole;
}
