import type { Header } from "../../chain/block/header.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import type { Wire } from "../../chain/encoding/wire.ts";
import { ChainError } from "../../chain/error.ts";
import type { QueryContext } from "../context.ts";
import type { BalanceChange, StorageChange, TransactionTraces } from "../node/transactionTraces.ts";
import type { PageInfo, PageRequest } from "../pages.ts";
import { pageInBlock } from "../pages.ts";
import { findTransaction } from "../transactions/transaction.ts";

export interface RawTracePage {
  readonly traces: readonly Wire[];
  /** Undefined if pending. */
  readonly header: Header | undefined;
  readonly info: PageInfo;
}

/** From the node; empty if pending. */
export async function listRawTrace(
  context: QueryContext,
  hash: Bytes,
  request: PageRequest<Bytes>,
): Promise<RawTracePage | undefined> {
  const page = await readTraced(context, hash, request, (traces, { hash: block }) => traces.raw(hash, block));
  return page && { traces: page.items, info: page.info, header: page.header };
}

/** Native balance change. */
export interface CoinChange extends BalanceChange {
  /** Whether it is the fee recipient. */
  readonly isMiner: boolean;
}

/** By address, with the block; undefined if not found. */
export async function readCoinChanges(context: QueryContext, hash: Bytes) {
  const found = await findTransaction(context, hash);
  if (found === undefined) return undefined;
  const header = found.outcome?.header;
  const all = header === undefined ? [] : (await tracesOf(context).changes(hash, header.hash)).balances;
  const isMiner = (address: Bytes) => header !== undefined && equalBytes(address, header.miner);
  const changes = all.map((each): CoinChange => ({ ...each, isMiner: isMiner(each.address) }));
  return { changes, header, range: found.range };
}

/** By address and slot; undefined if not found. */
export async function listStorageChanges(
  context: QueryContext,
  hash: Bytes,
): Promise<readonly StorageChange[] | undefined> {
  const found = await findTransaction(context, hash);
  if (found === undefined) return undefined;
  const header = found.outcome?.header;
  return header === undefined ? [] : (await tracesOf(context).changes(hash, header.hash)).storage;
}

function tracesOf({ node }: QueryContext): TransactionTraces {
  if (node === undefined) throw new ChainError("unsupported", "there is no node to trace with");
  return node.transactionTraces;
}

async function readTraced<T>(
  context: QueryContext,
  hash: Bytes,
  request: PageRequest<Bytes>,
  ask: (traces: TransactionTraces, header: Header) => Promise<readonly T[]>,
): Promise<{ items: readonly T[]; info: PageInfo; header: Header | undefined } | undefined> {
  const found = await findTransaction(context, hash);
  if (found === undefined) return undefined;
  const header = found.outcome?.header;
  const all = header === undefined ? [] : await ask(tracesOf(context), header);
  const { info, window } = pageInBlock(all.length, found.range, request, header);
  return { items: all.slice(window.from, window.to), info, header };
}
