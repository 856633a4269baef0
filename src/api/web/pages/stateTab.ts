import { toHex } from "../../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import { findCopies } from "../../../query/tokens/copies.ts";
import type { StateChangePage } from "../../../query/traces/stateChanges.ts";
import { listStateChanges } from "../../../query/traces/stateChanges.ts";
import type { CoinChange } from "../../../query/traces/transactionTrace.ts";
import { listStorageChanges } from "../../../query/traces/transactionTrace.ts";
import type { TransactionDetails } from "../../../query/transactions/transaction.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import type { Content, Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRequest } from "../context.ts";
import { expectFound } from "../found.ts";
import { parsePage } from "../params.ts";
import { attempt } from "../parts/attempt.ts";
import { amount, coins, figure } from "../parts/format.ts";
import type { TokenNames } from "../parts/links.ts";
import { addressLink, itemLink, markedToken, shorten } from "../parts/links.ts";
import { pager, section, table } from "../parts/table.ts";

const MAX_WORDS = 200;

/** State changes: native and token balances, then storage. */
export async function stateTab(
  { network, site }: WebContext,
  { transaction }: TransactionDetails,
  query: WebRequest["query"],
  path: string,
): Promise<Html> {
  const page = expectFound(await listStateChanges(network, transaction.hash, parsePage(query)));
  const copies = await findCopies(
    network,
    page.tokens.map(({ token }) => token),
  );
  const names = { names: network.names, copies };
  const rows = [
    ...page.coins.map((change) => coinRow(change, page.addresses, site.coin)),
    ...page.tokens.map((change) => tokenRow(change, page.addresses, names)),
  ];
  const columns = ["Address", "Asset", ...["Before", "After", "Change"].map((title) => ({ title, isNumber: true }))];
  const missing =
    !page.hasTokens && html`<p class="quiet">Tokens are not indexed as far: their balances are not listed.</p>`;
  return html`${table(columns, rows, "It changed no balance.")}${missing}${pager(page.info, path, { tab: "state" })}
${section("Storage", await attempt(() => storage(network, transaction.hash)))}`;
}

function holder(address: Uint8Array, isMiner: boolean, addresses: AddressInfos): Html {
  return html`${addressLink(address, addresses)}${isMiner && html` <span class="tag">miner</span>`}`;
}

function coinRow({ address, before, after, isMiner }: CoinChange, addresses: AddressInfos, coin: string): Content[] {
  return [
    holder(address, isMiner, addresses),
    coin,
    coins(before, coin, true),
    coins(after, coin, true),
    changed(after - before, coins(after - before, coin, true)),
  ];
}

function tokenRow(move: StateChangePage["tokens"][number], addresses: AddressInfos, names: TokenNames): Content[] {
  const { token, tokenId, before, change, moved } = move;
  const text = (value: bigint) => amount(value, { decimals: token.seen?.decimals ?? null, isExact: true });
  const items = moved?.map(
    ({ tokenId: id, direction }) =>
      html`<span class="${SIGNS[direction].kind}">${SIGNS[direction].sign}${itemLink(token.address, id)}</span> `,
  );
  return [
    holder(move.holder, move.isMiner, addresses),
    html`${markedToken(token, names)}${tokenId && html` ${itemLink(token.address, tokenId)}`}`,
    before === null ? "–" : text(before),
    before === null ? "–" : text(before + change),
    items ?? changed(change, text(change)),
  ];
}

/** Direction of an item. */
const SIGNS = { from: { sign: "−", kind: "loss" }, to: { sign: "+", kind: "gain" } } as const;

function changed(difference: bigint, text: Html): Html {
  if (difference === 0n) return text;
  return difference > 0n ? html`<span class="gain">+${text}</span>` : html`<span class="loss">${text}</span>`;
}

async function storage(network: WebContext["network"], hash: TransactionDetails["transaction"]["hash"]): Promise<Html> {
  const changes = expectFound(await listStorageChanges(network, hash));
  const shown = changes.slice(0, MAX_WORDS);
  const addresses = await network.store.read((session) => session.addresses.infos(shown.map(({ address }) => address)));
  const rows = shown.map(({ address, slot, before, after }) => [
    addressLink(address, addresses),
    html`<code title="${toHex(slot)}">${shorten(toHex(slot))}</code>`,
    ...[before, after].map(
      (word) =>
        html`<span class="word"><code title="${toHex(word)}">0x${uintToBigInt(word).toString(16)}</code></span>`,
    ),
  ]);
  const rest =
    changes.length > MAX_WORDS &&
    html`<p class="quiet">The first ${figure(MAX_WORDS)} of ${figure(changes.length)} words.</p>`;
  return html`${table(["Contract", "Slot", { title: "Before", isNumber: true }, { title: "After", isNumber: true }], rows, "It changed no storage.")}${rest}`;
}
