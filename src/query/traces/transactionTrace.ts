import type { Header } from "../../chain/block/header.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import type { Wire } from "../../chain/encoding/wire.ts";
import { ChainError } from "../../chain/error.ts";
import type { AddressInfos } from "../../store/read/addressInfos.ts";
import type { QueryContext } from "../context.ts";
import type { BalanceChange, TransactionTraces } from "../node/transactionTraces.ts";
import type { PageInfo, PageRequest } from "../pages.ts";
import { pageInBlock } from "../pages.ts";
import { findTransaction } from "../transactions/transaction.ts";

export interface RawTracePage {
  readonly traces: readonly Wire[];
  /** Of the block it is in. */
  readonly header: Header | undefined;
  readonly info: PageInfo;
}

/** All calls of a transaction as the node traces it now; a pending one has none. */
export async function listRawTrace(
  context: QueryContext,
  hash: Bytes,
  request: PageRequest<Bytes>,
): Promise<RawTracePage | undefined> {
  const page = await readTraced(context, hash, request, (traces, { hash: block }) => traces.raw(hash, block));
  return page && { traces: page.items, info: page.info, header: page.header };
}

/** A balance of the chain's coin that a transaction changed. */
export interface CoinChange extends BalanceChange {
  /** Whether it is that of who made the block. */
  readonly isMiner: boolean;
}

export interface CoinChangePage {
  readonly changes: readonly CoinChange[];
  readonly addresses: AddressInfos;
  readonly info: PageInfo;
}

/** The balances that a transaction changed, by address. */
export async function listCoinChanges(
  context: QueryContext,
  hash: Bytes,
  request: PageRequest<Bytes>,
): Promise<CoinChangePage | undefined> {
  const page = await readTraced(context, hash, request, (traces, header) => traces.balances(hash, header.hash));
  if (page === undefined) return undefined;
  const { items, info, header } = page;
  const addresses = await context.store.read((session) => session.addresses.infos(items.map(({ address }) => address)));
  const isMiner = (address: Bytes) => header !== undefined && equalBytes(address, header.miner);
  return { changes: items.map((each) => ({ ...each, isMiner: isMiner(each.address) })), addresses, info };
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
  if (context.node === undefined) throw new ChainError("unsupported", "there is no node to trace with");
  const all = header === undefined ? [] : await ask(context.node.transactionTraces, header);
  const { info, window } = pageInBlock(all.length, found.range, request, header);
  return { items: all.slice(window.from, window.to), info, header };
}
