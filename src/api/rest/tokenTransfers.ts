import type { Bytes } from "../../chain/bytes.ts";
import { isZero } from "../../chain/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import type { OrdinalList } from "../../store/list.ts";
import { NO_LIST } from "../../store/list.ts";
import type { Store } from "../../store/store.ts";
import { ZERO_ADDRESS_ID } from "../../store/tokens/transferIds.ts";
import type { MinedTransfer } from "../../store/tokens/transferReads.ts";
import type { Context } from "../context.ts";
import type { Query } from "../params.ts";
import { parseAddress, parsePage } from "../params.ts";
import { presentList } from "./envelope.ts";
import { readOrdinalPage } from "./ordinalPage.ts";
import { presentTransfer } from "./presentTransfer.ts";
import { readTokenReach } from "./tokenStage.ts";
import { readToken } from "./tokens.ts";

/** The transfers of a token, newest first. */
export function serveTokenTransfers({ store }: Context, text: string, query: Query): Promise<object> {
  const address = parseAddress(text);
  return serveTransfers(store, query, async () => store.tokens.transfers.ofToken((await readToken(store, address)).id));
}

/** The transfers from or to an address, newest first; with `token`, those of one token. */
export function serveAddressTransfers({ store }: Context, text: string, query: Query): Promise<object> {
  const address = parseAddress(text);
  const token = query.token === undefined ? undefined : parseAddress(String(query.token), "token");
  return serveTransfers(store, query, () =>
    token === undefined ? ofAddress(store, address) : ofPair(store, address, token),
  );
}

async function serveTransfers(store: Store, query: Query, find: () => Promise<OrdinalList>): Promise<object> {
  const request = parsePage(query);
  const { placed, transfers, tokens, kinds } = await store.read(async () => {
    const reach = await readTokenReach(store);
    const { placed, positions } = await readOrdinalPage(await find(), reach, request);
    const transfers = await store.tokens.transfers.at(positions);
    const tokens = await store.tokens.byId(transfers.map(({ token }) => token));
    return { placed, transfers, tokens, kinds: await store.addresses.kinds(transfers.flatMap(addressesOf)) };
  });
  return presentList(
    transfers.map((transfer) => presentTransfer(transfer, tokens.get(transfer.token)!, kinds)),
    placed,
  );
}

export function addressesOf({ from, to, mined }: MinedTransfer): Bytes[] {
  const called = mined.transaction.to;
  return called === null ? [from, to] : [from, to, called];
}

async function ofAddress(store: Store, address: Bytes): Promise<OrdinalList> {
  const id = isZero(address) ? ZERO_ADDRESS_ID : await store.addresses.id(address);
  return id === undefined ? NO_LIST : store.tokens.transfers.ofAddress(id);
}

async function ofPair(store: Store, address: Bytes, token: Bytes): Promise<OrdinalList> {
  if (isZero(address))
    throw new ChainError("unsupported", "what the zero address mints and burns has no list by token");
  const [holder, asset] = [await store.addresses.id(address), await store.addresses.id(token)];
  return holder === undefined || asset === undefined ? NO_LIST : store.tokens.transfers.ofPair(holder, asset);
}
