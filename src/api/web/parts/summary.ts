import type { Asset, TransactionActions } from "../../../query/actions/action.ts";
import { describeAction } from "../../../query/actions/describeAction.ts";
import type { Rates } from "../../../query/exchange/rates.ts";
import type { TransactionDetails } from "../../../query/transactions/transaction.ts";
import { feesOf } from "../../../query/transactions/transactionFees.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { SentenceContext } from "./actionText.ts";
import { renderPart, renderSentence } from "./actionText.ts";
import { coins, safeText } from "./format.ts";
import type { Names } from "./links.ts";
import { addressLink } from "./links.ts";
import { assetDollars, dollarAmount } from "./money.ts";
import { icon } from "./transactionRows.ts";

/** Sentence for each action of a transaction. */
export function summaryCard(
  details: TransactionDetails,
  { coin, rates, names }: { readonly coin: string; readonly rates: Rates; readonly names: Names },
): Html {
  const { actions, addresses, copies, transaction } = details;
  const context = { addresses, copies, coin, rates, names };
  const { headline, detail } = renderSentence(actions, context, { withDollars: true });
  const by = html`by ${addressLink(transaction.from, addresses)}`;
  const facts = [priceOf(actions, context), feeOf(details, context)].map(
    (fact) => fact && html` <span class="dot">·</span> ${fact}`,
  );
  return html`<section class="summary" aria-label="Summary">${icon(actions)}<div><p class="headline">${headline}</p>
<p class="under">${detail && html`${detail} <span class="dot">·</span> `}${by}${facts}${!actions.isComplete && TOO_MANY}</p>
${actions.actions.length > 1 && allActions(details, context)}</div></section>`;
}

/** Of a swap of one token for another: how many of one for one of the other, whichever is more. */
function priceOf({ actions: [first, ...others] }: TransactionActions, { coin }: SentenceContext): Html | undefined {
  if (first?.type !== "swap" || others.some(({ type }) => type === "swap")) return undefined;
  const [given, received] = [first.given[0], first.received[0]];
  if (given === undefined || received === undefined || first.given.length + first.received.length > 2) return undefined;
  const [paid, got] = [unitsIn(given), unitsIn(received)];
  if (paid === undefined || got === undefined || paid === 0 || got === 0) return undefined;
  const [many, one, price] = got >= paid ? [received, given, got / paid] : [given, received, paid / got];
  const text = price.toLocaleString("en", { maximumSignificantDigits: 5 });
  return html`price ${text} ${unitOf(many, coin)} per ${unitOf(one, coin)}`;
}

function unitsIn({ token, amount }: Asset): number | undefined {
  const decimals = token === null ? 18 : (token.seen?.decimals ?? undefined);
  return decimals === undefined ? undefined : Number(amount) / 10 ** decimals;
}

const unitOf = ({ token }: Asset, coin: string): Html =>
  token === null ? html`${coin}` : html`<bdi>${safeText(token.seen?.symbol.text || "of the token", 20)}</bdi>`;

function feeOf(details: TransactionDetails, { rates, coin }: SentenceContext): Html | undefined {
  if (details.outcome === undefined) return undefined;
  const { fee } = feesOf(details);
  const dollars = assetDollars({ token: null, amount: fee }, rates);
  return html`fee ${dollars === undefined ? coins(fee, coin) : dollarAmount(dollars)}`;
}

const TOO_MANY = html` <span class="dot">·</span> it has too many logs to say more`;

const MAX_LISTED = 50;

function allActions({ actions: { actions, call } }: TransactionDetails, context: SentenceContext): Html {
  const render = (action: (typeof actions)[number]) => {
    const { headline, detail } = describeAction(action, call.from, call.from);
    const parts = detail.length === 0 ? headline : [...headline, " ", ...detail];
    return html`<li>${parts.map((part) => renderPart(part, context, true))}</li>`;
  };
  const more = actions.length - MAX_LISTED;
  return html`<ul class="actions">${actions.slice(0, MAX_LISTED).map(render)}${more > 0 && html`<li class="quiet">${more} more</li>`}</ul>`;
}
