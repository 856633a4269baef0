import type { Bytes } from "../../chain/bytes.ts";
import { fromIndex } from "../answers.ts";
import type { Context } from "../context.ts";
import { parseHash } from "../params.ts";
import { notFound } from "./errors.ts";
import { presentTransaction } from "./presentTransaction.ts";
import type { Reach } from "./reach.ts";
import { holds, knownHeight, readReach } from "./reach.ts";
import { readShownTransfers } from "./tokenTransfers.ts";
import type { Surroundings, TransactionView } from "./views.ts";
import { addressesOf, viewFromSource, viewMined } from "./views.ts";

export interface FoundTransaction {
  readonly view: TransactionView;
  readonly around: Surroundings;
  readonly isIndexed: boolean;
  /** What the tokens stage adds to the record. */
  readonly transfers?: object;
}

/** One transaction: from the index, or from the node if it waits or is in a block the index has not reached. */
export async function serveTransaction(context: Context, text: string): Promise<object> {
  const { view, around, transfers, isIndexed } = await expectTransaction(context, parseHash(text));
  const record = { ...presentTransaction(view, around), ...transfers };
  return isIndexed ? fromIndex(record) : record;
}

export async function expectTransaction(context: Context, hash: Bytes): Promise<FoundTransaction> {
  const found = await findTransaction(context, hash);
  if (found === undefined) throw notFound();
  return found;
}

export async function findTransaction(context: Context, hash: Bytes): Promise<FoundTransaction | undefined> {
  return (await context.store.read(() => readIndexed(context, hash))) ?? (await distant(context, hash));
}

async function readIndexed(context: Context, hash: Bytes): Promise<FoundTransaction | undefined> {
  const { store } = context;
  const mined = await store.transactions.byHash(hash);
  if (mined === undefined) return undefined;
  const reach = await readReach(store);
  const found = await surround(context, reach, viewMined(mined));
  return { ...found, isIndexed: true, transfers: await readShownTransfers(store, reach, mined) };
}

/** A transaction the node puts in a block of a height that the index holds is the index's to answer. */
async function distant(context: Context, hash: Bytes): Promise<FoundTransaction | undefined> {
  const sent = await context.readThrough?.transaction(hash);
  if (sent === undefined) return undefined;
  return context.store.read(async () => {
    const reach = await readReach(context.store);
    const indexed = await readIndexed(context, hash);
    if (indexed !== undefined) return indexed;
    const isHeld = sent.block !== undefined && holds(reach, sent.block.header.number);
    return isHeld ? undefined : surround(context, reach, viewFromSource(sent));
  });
}

async function surround(context: Context, reach: Reach | undefined, view: TransactionView): Promise<FoundTransaction> {
  const kinds = await context.store.addresses.kinds(addressesOf(view));
  return { view, isIndexed: false, around: { kinds, height: knownHeight(context, reach) } };
}
