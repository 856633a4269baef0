import { parseInteger } from "../../../chain/encoding/parse.ts";
import type { Account } from "../../../query/accounts/account.ts";
import { listAllWithdrawals } from "../../../query/blocks/allWithdrawals.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRequest } from "../context.ts";
import { PAGE_SIZE, ParameterError } from "../params.ts";
import { coins, figure, time } from "../parts/format.ts";
import { blockLink } from "../parts/links.ts";
import { table } from "../parts/table.ts";

/** No list has them by receiver: a page looks through a bounded number of blocks, the newest first. */
export async function withdrawalsTab(
  { network, site }: WebContext,
  { address }: Account,
  query: WebRequest["query"],
  path: string,
): Promise<Html> {
  const after = parseAfter(query);
  const cursor = after === undefined ? undefined : { after };
  const { withdrawals, info } = await listAllWithdrawals(network, address, { page: 1, pageSize: PAGE_SIZE, cursor });
  const rows = withdrawals.map(({ index, validatorIndex, wei, header }) => [
    figure(index),
    blockLink(header.number),
    time(header.timestamp),
    figure(validatorIndex),
    coins(wei, site.coin),
  ]);
  const columns = ["Withdrawal", "Block", "Time", "Validator", { title: "Amount", isNumber: true }];
  const none = info.next === null ? "There are no more withdrawals." : "There are none in the blocks looked at so far.";
  const older =
    info.next && `${path}?${new URLSearchParams({ tab: "withdrawals", after: String(info.next.cursor.after) })}`;
  return html`${table(columns, rows, after === undefined && info.next === null ? "It received no withdrawals." : none)}
${older !== null && html`<nav class="pager" aria-label="Pages"><a href="${older}" rel="next">Older blocks</a></nav>`}`;
}

function parseAfter({ after }: WebRequest["query"]): number | undefined {
  if (after === undefined) return undefined;
  const position = parseInteger(after);
  if (position === undefined || !Number.isSafeInteger(position)) throw new ParameterError("There is no such place.");
  return position;
}
