import { fromIndex } from "../answers.ts";
import type { Context } from "../context.ts";
import type { Query } from "../params.ts";
import { parseAddress, parsePage } from "../params.ts";
import { presentList } from "./envelope.ts";
import { presentListed } from "./listedTransactions.ts";
import { readOrdinalPage } from "./ordinalPage.ts";
import { knownHeight, readReach } from "./reach.ts";
import { readTransferring } from "./transferring.ts";
import { addressesOf, viewMined } from "./views.ts";

/** The transactions sent by, sent to or creating an address, newest first (specification, section 4.1). */
export async function serveAddressTransactions(context: Context, text: string, query: Query): Promise<object> {
  const address = parseAddress(text);
  const request = parsePage(query);
  const { store } = context;
  const { placed, views, around } = await store.read(async () => {
    const reach = await readReach(store);
    const id = (await store.addresses.id(address)) ?? NOBODY;
    const { placed, positions } = await readOrdinalPage(store.addresses.transactions(id), reach, request);
    const views = (await store.transactions.at(positions)).map(viewMined);
    const kinds = await store.addresses.kinds(views.flatMap(addressesOf));
    const transferring = await readTransferring(store, reach, views);
    return { placed, views, around: { kinds, transferring, height: knownHeight(context, reach) } };
  });
  return fromIndex(presentList(await presentListed(context, views, around), placed));
}

/** Ids begin at 1: the lists of this one are empty. */
const NOBODY = 0;
