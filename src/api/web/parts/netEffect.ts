import type { Bytes } from "../../../chain/encoding/bytes.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import { uintFromBigInt } from "../../../chain/encoding/uint.ts";
import type { Asset } from "../../../query/actions/action.ts";
import type { HolderEffect } from "../../../query/traces/netEffect.ts";
import type { TransactionDetails } from "../../../query/transactions/transaction.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { SentenceContext } from "./actionText.ts";
import { amount, count } from "./format.ts";
import type { Names } from "./links.ts";
import { addressLink, itemLink, markedToken } from "./links.ts";
import { assetDollars, dollarAmount } from "./money.ts";
import { section } from "./table.ts";

const MAX_HOLDERS = 12;

/** Who gained and lost what, fees included. */
export function netEffect(
  effects: readonly HolderEffect[],
  { addresses, transfers }: TransactionDetails,
  context: Omit<SentenceContext, "addresses">,
): Html {
  const infos = new Map([...addresses, ...(transfers?.addresses ?? [])]);
  const known = new Map<Hex, Bytes>([...infos.keys()].map((address) => [toHex(address), address]));
  const tokens = new Map(transfers?.transfers.map(({ token }) => [toHex(token.address), token.seen?.name.text]));
  const names: Names = {
    of: (address) => {
      const token = tokens.get(toHex(address));
      return context.names.of(address) ?? (token ? { text: token, kind: "label" } : undefined);
    },
  };
  const rows = effects.slice(0, MAX_HOLDERS).map(({ address, isSender, isMiner, changes }) => {
    const link = addressLink(known.get(toHex(address)) ?? address, infos, names);
    const role = isSender ? "sender" : isMiner ? "miner" : undefined;
    return html`<li><div class="who">${link}${role && html` <span class="tag">${role}</span>`}</div><ul>${changes.map((change) => html`<li>${renderChange(change, context)}</li>`)}</ul></li>`;
  });
  const more =
    effects.length > MAX_HOLDERS &&
    html`<p class="quiet"><a href="?tab=state">${count(effects.length - MAX_HOLDERS)} more</a></p>`;
  return section(
    "Who gained and lost",
    html`<ul class="effect">${rows}</ul>${more}<p class="quiet note">Fees included. <a href="?tab=state">Balances before and after</a></p>`,
  );
}

function renderChange(asset: Asset, context: Omit<SentenceContext, "addresses">): Html {
  const { token, amount: value, ids } = asset;
  const isGain = value > 0n;
  const dollars = assetDollars(asset, context.rates);
  const worth = dollars !== undefined && html` <span class="quiet">${isGain && "+"}${dollarAmount(dollars)}</span>`;
  return html`<span class="${isGain ? "gain" : "loss"}">${isGain ? "+" : "−"}${quantity(asset, context.coin)}</span>${token && html` ${markedToken(token, context)}`}${token && ids?.map((id) => html` ${itemLink(token.address, uintFromBigInt(id))}`)}${worth}`;
}

function quantity({ token, amount: value, ids }: Asset, coin: string): Html {
  const size = value < 0n ? -value : value;
  if (token === null) return amount(size, { decimals: 18, symbol: coin });
  return ids === undefined ? amount(size, { decimals: token.seen?.decimals ?? null }) : html`${count(size)}`;
}
