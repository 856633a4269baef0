import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { equalBytes } from "../../../chain/encoding/bytes.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import type { Action, TransactionActions } from "../../../query/actions/action.ts";
import { assetsIn } from "../../../query/actions/actionParts.ts";
import type { Rates } from "../../../query/exchange/rates.ts";
import { feesOf } from "../../../query/transactions/transactionFees.ts";
import type { TransactionPage } from "../../../query/transactions/transactionPages.ts";
import type { TransactionSummary } from "../../../query/transactions/transactionSummaries.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { SentenceContext } from "./actionText.ts";
import { renderSentence } from "./actionText.ts";
import { coins, time } from "./format.ts";
import type { Names } from "./links.ts";
import { addressLink, blockLink, shorten } from "./links.ts";
import { assetDollars, dollarAmount } from "./money.ts";
import type { Direction } from "./transferRows.ts";
import { DIRECTION_ICONS, directed } from "./transferRows.ts";

type Rows = Pick<TransactionPage, "transactions" | "addresses" | "copies">;

interface RowOptions {
  readonly coin: string;
  readonly rates: Rates;
  readonly names: Names;
  /** The account on whose page they are. */
  readonly owner?: Bytes;
  readonly isShort?: boolean;
}

/** Row of a transaction: action, block, parties, value, age. */
export function transactionRows({ transactions, addresses, copies }: Rows, options: RowOptions): Html {
  if (transactions.length === 0) return html`<p class="none">There are no transactions.</p>`;
  const context = { addresses, copies, ...options };
  return html`<ol class="rows${options.isShort && " short"}">${transactions.map((view) => renderRow(view, context, options))}</ol>`;
}

function renderRow(view: TransactionSummary, context: SentenceContext, { coin, owner }: RowOptions): Html {
  const { transaction: tx, outcome, actions } = view;
  const direction = owner && directionFor(actions!, owner);
  const hash = toHex(tx.hash);
  const { headline, detail } = renderSentence(actions!, context, owner && { viewer: owner });
  const isOwn = owner !== undefined && equalBytes(owner, tx.from);
  return html`<li data-key="${hash}">${icon(actions!, direction)}<div class="what"><p class="headline">${headline}</p>
<p class="under"><a class="hash" href="/tx/${hash}" title="${hash}"><code>${shorten(hash, 6, 4)}</code></a>${detail && html`${DOTS}<span class="detail">${detail}</span>`}${!isOwn && html`${DOTS}<span>by ${addressLink(tx.from, context.addresses)}</span>`}${outcome && html`<span class="block">${DOTS}block ${blockLink(outcome.header.number)}</span>`}</p></div>
<div class="worth"><p>${directed(direction, worthOf(view, context))}</p>
<p class="under">${outcome === undefined ? PENDING : time(outcome.header.timestamp)}${DOTS}<span class="fee">fee ${coins(feesOf(view).fee, coin)}</span></p></div></li>
`;
}

const DOTS = html`<span class="dot"> · </span>`;
const PENDING = html`<span class="status pending">pending</span>`;

/** The first amount of the first action in dollars, or else the coins that were sent. */
function worthOf({ transaction: tx, actions }: TransactionSummary, context: SentenceContext): Html | undefined {
  const [first] = actions?.actions ?? [];
  const [asset] = first === undefined ? [] : assetsIn(first);
  const dollars = asset && assetDollars(asset, context.rates);
  if (dollars !== undefined) return dollarAmount(dollars);
  const value = actions?.failure ? 0n : uintToBigInt(tx.value);
  return value === 0n ? undefined : coins(value, context.coin);
}

/** By kind; the words beside them say the same. */
const ICONS: Readonly<Record<Action["type"], string>> = {
  swap: "⇄",
  add_liquidity: "+",
  remove_liquidity: "−",
  collect: "+",
  approve: "✓",
  wrap: "◇",
  unwrap: "◇",
  mint: "◆",
  burn: "◆",
  create_contract: "{}",
  delegate: "↪",
  post_blobs: "⬡",
  transfer: "→",
  send: "→",
};

/** Whether what the first action moved left or reached an account. */
function directionFor({ actions: [first], failure }: TransactionActions, owner: Bytes): Direction {
  if (failure || (first?.type !== "transfer" && first?.type !== "send")) return undefined;
  const [isOut, isIn] = [first.from, first.to].map((party) => party !== undefined && equalBytes(party, owner));
  return isOut && isIn ? "self" : isOut ? "out" : isIn ? "in" : undefined;
}

export function icon({ actions: [first], failure, isPending }: TransactionActions, direction?: Direction): Html {
  const known = direction === undefined ? first && ICONS[first.type] : DIRECTION_ICONS[direction];
  const sign = failure ? "✕" : isPending ? "…" : (known ?? "ƒ");
  return html`<span class="icon${failure && " failed"}" aria-hidden="true">${sign}</span>`;
}
