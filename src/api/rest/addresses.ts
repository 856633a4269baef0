import type { Bytes } from "../../chain/bytes.ts";
import { blockOf } from "../../store/position.ts";
import type { Store } from "../../store/store.ts";
import type { MinedTransaction } from "../../store/transactions.ts";
import type { Context } from "../context.ts";
import type { PageRequest, Query } from "../params.ts";
import { parseAddress, parsePage } from "../params.ts";
import type { Placed, Window } from "./envelope.ts";
import { placePage, presentList } from "./envelope.ts";
import { LONGEST_LISTED_INPUT, presentTransaction } from "./presentTransaction.ts";
import type { Reach } from "./reach.ts";
import { knownHeight, readReach } from "./reach.ts";
import { addressesOf, viewMined } from "./views.ts";

/** The transactions sent by, sent to or creating an address, newest first (specification, section 4.1). */
export async function serveAddressTransactions(context: Context, text: string, query: Query): Promise<object> {
  const address = parseAddress(text);
  const request = parsePage(query);
  const { store } = context;
  const { placed, views, around } = await store.read(async () => {
    const reach = await readReach(store);
    const { placed, transactions } = await readPage(store, reach, address, request);
    const views = transactions.map(viewMined);
    const kinds = await store.addresses.kinds(views.flatMap(addressesOf));
    return { placed, views, around: { kinds, height: knownHeight(context, reach) } };
  });
  return presentList(
    views.map((view) => presentTransaction(view, around, LONGEST_LISTED_INPUT)),
    placed,
  );
}

async function readPage(
  store: Store,
  reach: Reach | undefined,
  address: Bytes,
  request: PageRequest,
): Promise<{ placed: Placed; transactions: MinedTransaction[] }> {
  const id = (await store.addresses.id(address)) ?? NOBODY;
  const window = placePage(request, await store.addresses.transactionCount(id));
  const entries = await store.addresses.transactions(id, window.from, window.to);
  const placed = {
    request,
    window,
    anchor: request.anchor ?? { count: window.total, block: reach?.tip.number ?? 0 },
    block: reach === undefined ? null : await trueAt(store, reach.tip.number, id, request, window),
    since: reach?.first ?? null,
  };
  return { placed, transactions: await store.transactions.at(entries.map(({ position }) => position).reverse()) };
}

/** Ids begin at 1: the lists of this one are empty. */
const NOBODY = 0;

/** The anchor's block, unless a reorg has put later blocks' transactions below its top: then the list is the tip's. */
async function trueAt(store: Store, tip: number, id: number, request: PageRequest, window: Window): Promise<number> {
  const { anchor } = request;
  if (anchor === undefined || anchor.block >= tip) return tip;
  const [top] = await store.addresses.transactions(id, window.total - 1, window.total);
  return top === undefined || blockOf(top.position) <= anchor.block ? anchor.block : tip;
}
