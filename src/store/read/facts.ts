import type { BlockNumber } from "../../chain/block/header.ts";
import { createsContract } from "../../chain/block/receipt.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Reader } from "../engine/database.ts";
import { keysetPages } from "../engine/keysetPages.ts";
import type { CallCounters } from "../rows/callCounters.ts";
import { addCall, isPlain, NO_CALLS } from "../rows/callCounters.ts";
import { mustHave } from "../rows/encoding.ts";
import type { AddressId, SignatureId } from "../rows/ids.ts";
import type { Position } from "../rows/position.ts";
import { firstPosition, listableLogs } from "../rows/position.ts";
import type { StoredTransaction } from "../rows/transactionBody.ts";
import { readBody } from "../rows/transactionBody.ts";
import { readFullBody } from "../tables/overflowRows.ts";
import { AddressResolver } from "./addressResolver.ts";

/** Contributions of a transaction to lists and counters, by id. */
export interface TransactionFacts extends StoredTransaction {
  readonly sender: AddressId;
  /** Distinct owners whose transaction lists contain it. */
  readonly parties: readonly AddressId[];
  readonly emitters: readonly { readonly owner: AddressId; readonly signature: SignatureId }[];
  readonly contract: AddressId | undefined;
  /** Undefined for a plain payment. */
  readonly call: (CallCounters & { readonly id: AddressId }) | undefined;
}

/** Reads ids only: address bytes are placeholders. */
export function readFacts(db: Reader, position: Position, body: Bytes): TransactionFacts {
  const resolver = new RecordingResolver(db);
  const stored = readBody(position, body, resolver);
  const { transaction, receipt } = stored;
  const id = (address: Bytes) => mustHave(resolver.addressIds.get(address), "the id of an address");
  const { contractAddress } = receipt;
  const contract = contractAddress !== null && createsContract(receipt) ? id(contractAddress) : undefined;
  const parties = new Set([id(transaction.from)]);
  if (transaction.to !== null) parties.add(id(transaction.to));
  if (contract !== undefined) parties.add(contract);
  return {
    ...stored,
    sender: id(transaction.from),
    parties: [...parties],
    emitters: receipt.logs.map((log) => ({
      owner: id(log.address),
      signature: resolver.signatureIds.get(log.topics) ?? 0,
    })),
    contract,
    call: transaction.to === null ? undefined : callOf(stored, id(transaction.from), id(transaction.to), contract),
  };
}

function callOf({ transaction, receipt }: StoredTransaction, from: number, to: number, contract: number | undefined) {
  if (from !== to && isPlain(transaction, receipt)) return undefined;
  return { id: to, ...addCall(NO_CALLS, receipt.gasUsed, from !== to && contract !== to) };
}

/** `signature` is 0 if anonymous. */
interface ListedLog {
  readonly owner: AddressId;
  readonly signature: SignatureId;
  readonly position: Position;
}

/** Logs with positions, which depends on the number of transactions. */
export function listedLogs({ position, emitters, receipt }: TransactionFacts, transactions: number): ListedLog[] {
  const listable = listableLogs(transactions) - (receipt.logs[0]?.logIndex ?? 0);
  return emitters.slice(0, Math.max(listable, 0)).map((log, at) => ({ ...log, position: position + 1 + at }));
}

const BATCH_SIZE = 500;

/** Inclusive range, a few at a time. */
export async function* storedFacts(
  db: Reader,
  first: BlockNumber,
  last: BlockNumber,
): AsyncGenerator<TransactionFacts> {
  const sql = "SELECT position, body FROM tx WHERE position >= ? AND position < ? ORDER BY position LIMIT ?";
  const pages = keysetPages<[Position, Bytes]>(BATCH_SIZE, (row, count) =>
    db.all(sql, row === undefined ? firstPosition(first) : row[0] + 1, firstPosition(last + 1), count),
  );
  for await (const rows of pages)
    for (const [position, row] of rows) yield readFacts(db, position, await readFullBody(db, position, row));
}

class RecordingResolver extends AddressResolver {
  readonly addressIds = new Map<Bytes, number>();
  readonly signatureIds = new Map<Bytes, number>();

  override address(id: number): Bytes {
    const address = super.address(id);
    this.addressIds.set(address, id);
    return address;
  }

  override fillSignature(target: Bytes, _at: number, id: number): void {
    this.signatureIds.set(target, id);
  }
}
