import { describeAction } from "../../../query/actions/describeAction.ts";
import type { Rates } from "../../../query/exchange/rates.ts";
import type { TransactionDetails } from "../../../query/transactions/transaction.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { SentenceContext } from "./actionText.ts";
import { renderPart, renderSentence } from "./actionText.ts";
import type { Names } from "./links.ts";
import { addressLink } from "./links.ts";
import { icon } from "./transactionRows.ts";

/** What a transaction did, in a sentence; where it did several things, each of them. */
export function summaryCard(
  details: TransactionDetails,
  { coin, rates, names }: { readonly coin: string; readonly rates: Rates; readonly names: Names },
): Html {
  const { actions, addresses, copies, transaction } = details;
  const context = { addresses, copies, coin, rates, names };
  const { headline, detail } = renderSentence(actions, context, { withDollars: true });
  const by = html`by ${addressLink(transaction.from, addresses)}`;
  return html`<section class="summary" aria-label="Summary">${icon(actions)}<div><p class="headline">${headline}</p>
<p class="under">${detail && html`${detail} <span class="dot">·</span> `}${by}${!actions.isComplete && TOO_MANY}</p>
${actions.actions.length > 1 && allActions(details, context)}</div></section>`;
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
