import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import { NO_RATES } from "../../../query/exchange/rates.ts";
import type { ItemMetadata } from "../../../query/itemMetadata.ts";
import { findCopies } from "../../../query/tokens/copies.ts";
import { listItemHolders } from "../../../query/tokens/itemHolders.ts";
import type { FoundItem } from "../../../query/tokens/items.ts";
import { findItem } from "../../../query/tokens/items.ts";
import { readMetadata } from "../../../query/tokens/metadata.ts";
import { countItemTransfers, listItemTransfers } from "../../../query/tokens/transfers.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRequest, WebRoute } from "../context.ts";
import { expectFound } from "../found.ts";
import type { WebPage } from "../page.ts";
import { parseAddress, parseChoice, parseItemId, parsePage } from "../params.ts";
import { figure, named, safeText } from "../parts/format.ts";
import { addressLink, fullAddress, markedToken, shorten } from "../parts/links.ts";
import { facts, pager, section, table, tabs } from "../parts/table.ts";
import { transferRows } from "../parts/transferRows.ts";

export const ITEM_PAGES: readonly WebRoute[] = [{ path: "/token/:address/instance/:id", serve: serveItem }];

const TABS = ["transfers", "holders"] as const;
const VIEWS = { transfers, holders };

async function serveItem(context: WebContext, { parameter, second, query }: WebRequest): Promise<WebPage> {
  const { network } = context;
  const [address, tokenId] = [parseAddress(parameter), parseItemId(second ?? "")];
  const tab = parseChoice(query, "tab", TABS);
  const item = expectFound(await findItem(network, address, tokenId));
  const [count, metadata, copies] = await Promise.all([
    countItemTransfers(network, address, tokenId),
    readMetadata(network, item, item.range),
    findCopies(network, [item.token]),
  ]);
  const token = markedToken(item.token, { names: network.names, copies });
  const id = uintToBigInt(tokenId).toString();
  const path = `/token/${checksumAddress(address)}/instance/${id}`;
  const all = [
    { name: "transfers", title: "Transfers", count },
    { name: "holders", title: item.isUnique ? "Owner" : "Holders" },
  ];
  const body = html`<h1>${token} <span class="quiet">#${shorten(id, 12, 6)}</span></h1>
${overview(item, token, id, metadata)}${metadata.json !== null && describeMetadata(metadata.json)}
${tabs(all, tab, path)}${await VIEWS[tab](context, item, query, path)}`;
  const json = `/api/v2/tokens/${checksumAddress(address)}/instances/${id}/${tab}`;
  return {
    title: `Item ${shorten(id)} of ${safeText(item.token.seen?.symbol.text || "a token", 20)}`,
    body,
    json,
    isList: true,
  };
}

function overview(
  { token: { address }, owner, addresses }: FoundItem,
  token: Html,
  id: string,
  { uri, problem }: ItemMetadata,
): Html {
  return facts([
    ["Token", html`${token} ${fullAddress(address)}`],
    ["Id", html`<code>${id}</code>`],
    owner !== undefined && ["Owner", addressLink(owner, addresses)],
    uri !== null && ["Metadata", html`<code>${safeText(uri, 200)}</code>`],
    problem !== null && ["Metadata are missing", problem],
  ]);
}

/** Text fields only: images of other hosts are not loaded. */
function describeMetadata(json: NonNullable<ItemMetadata["json"]>): Html {
  const { name, description, attributes } = json;
  const traits = (Array.isArray(attributes) ? attributes.slice(0, 100) : []).map((each) => {
    const { trait_type: kind, value } = Object(each) as { trait_type?: unknown; value?: unknown };
    return [named(plain(kind), 60), named(plain(value), 100)];
  });
  return section(
    "Metadata",
    html`${typeof name === "string" && html`<h3>${named(name, 100)}</h3>`}${typeof description === "string" && html`<p>${named(description, 1000)}</p>`}
${traits.length > 0 && table(["Trait", "Value"], traits, "")}`,
  );
}

function plain(value: unknown): string {
  return ["string", "number", "boolean"].includes(typeof value) ? String(value) : "";
}

async function transfers(
  { network }: WebContext,
  { token, tokenId }: FoundItem,
  query: WebRequest["query"],
  path: string,
) {
  const page = expectFound(await listItemTransfers(network, token.address, tokenId, parsePage(query)));
  const copies = await findCopies(
    network,
    page.transfers.map((transfer) => transfer.token),
  );
  return html`${transferRows(page.transfers, page.addresses, { rates: NO_RATES, names: network.names, copies })}${pager(page.info, path)}`;
}

async function holders(
  { network }: WebContext,
  { token, tokenId }: FoundItem,
  query: WebRequest["query"],
  path: string,
) {
  const page = expectFound(await listItemHolders(network, token.address, tokenId, parsePage(query)));
  const rows = page.holders.map(({ holder, amount }) => [addressLink(holder, page.addresses), figure(amount)]);
  const columns = ["Holder", { title: "Amount", isNumber: true }];
  return html`${table(columns, rows, "Nobody has it.")}${pager(page.info, path, { tab: "holders" })}`;
}
