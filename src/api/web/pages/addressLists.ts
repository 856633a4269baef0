import { readRates } from "../../../query/exchange/rates.ts";
import { findCopies } from "../../../query/tokens/copies.ts";
import { listAddressTransfersOf } from "../../../query/tokens/filteredTransfers.ts";
import { listAddressTransfers } from "../../../query/tokens/transfers.ts";
import { listTransactionsIn } from "../../../query/transactions/filteredTransactions.ts";
import { listAddressTransactions } from "../../../query/transactions/transactionPages.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import { parseAddress, parsePage } from "../params.ts";
import { attemptForm } from "../parts/attempt.ts";
import {
  filterBar,
  givenFields,
  isFiltered,
  olderLink,
  partyOf,
  readListFields,
  selectionOf,
  spanOf,
  walkRequest,
} from "../parts/listFilter.ts";
import { pager } from "../parts/table.ts";
import { transactionRows } from "../parts/transactionRows.ts";
import { transferRows } from "../parts/transferRows.ts";
import type { Render } from "./addressTab.ts";

export async function transactions(...[{ network, site }, { address }, query, path]: Render): Promise<Html> {
  const fields = readListFields(query);
  const bar = filterBar(path, fields, ["direction", "method", "since", "until"]);
  const options = { coin: site.coin, rates: await readRates(network), names: network.names, owner: address };
  if (isFiltered(fields)) {
    const list = await attemptForm(async () => {
      const filter = { selection: selectionOf(fields, address), span: spanOf(fields) };
      const page = await listTransactionsIn(network, address, filter, walkRequest(query));
      return html`${transactionRows(page, options)}${olderLink(page.info, path, givenFields(fields))}`;
    });
    return html`${bar}${list}`;
  }
  const page = await listAddressTransactions(network, address, parsePage(query), "actions");
  return html`${bar}${transactionRows(page, options)}${pager(page.info, path)}`;
}

export async function transfers(...[{ network }, { address }, query, path]: Render): Promise<Html> {
  const fields = readListFields(query);
  const tab = { tab: "transfers" };
  const bar = filterBar(path, fields, ["direction", "token"], tab);
  const list = await attemptForm(async () => {
    const token = fields.token === "" ? undefined : parseAddress(fields.token);
    const party = partyOf(fields.direction, address);
    const [page, rates] = await Promise.all([
      isFiltered(fields)
        ? listAddressTransfersOf(network, address, token, { party }, walkRequest(query))
        : listAddressTransfers(network, address, parsePage(query)),
      readRates(network),
    ]);
    const copies = await findCopies(
      network,
      page.transfers.map(({ token: moved }) => moved),
    );
    const rows = transferRows(page.transfers, page.addresses, { owner: address, rates, names: network.names, copies });
    const { info } = page;
    const pages =
      info.total === null ? olderLink(info, path, { ...tab, ...givenFields(fields) }) : pager(info, path, tab);
    return html`${rows}${pages}`;
  });
  return html`${bar}${list}`;
}
