import { isZero } from "../../../chain/encoding/bytes.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import type { TransferView } from "../../../query/tokens/transfers.ts";
import type { TransactionDetails } from "../../../query/transactions/transaction.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import { coins, safeText } from "./format.ts";
import { addressLink, tokenLink } from "./links.ts";
import { counted, transferAmount } from "./rows.ts";

/** One-sentence summary of a transaction. */
export function summarySentence(details: TransactionDetails, coin: string): Html {
  const { transaction: tx, outcome, addresses } = details;
  const who = addressLink(tx.from, addresses);
  if (outcome?.receipt.status === 0) return html`${who} tried to ${whatWasTried(details, coin)}, and it failed.`;
  const verb = outcome === undefined ? "wants to " : "";
  if (verb !== "") return html`${who} ${verb}${whatWasTried(details, coin)}.`;
  const value = uintToBigInt(tx.value);
  if (tx.to === null) {
    const made = outcome?.receipt.contractAddress;
    return html`${who} created the contract ${made ? addressLink(made, addresses) : "of this transaction"}.`;
  }
  const moved = describeTransfers(details);
  const to = addressLink(tx.to, addresses);
  if (details.method === undefined) return html`${who} sent ${coins(value, coin)} to ${to}.`;
  const paid = value > 0n ? html` with ${coins(value, coin)}` : undefined;
  return html`${who} called ${methodName(details)} of ${to}${paid}${moved && html`, which ${moved}`}.`;
}

function whatWasTried({ transaction: tx, method, addresses, ...details }: TransactionDetails, coin: string): Html {
  if (tx.to === null) return html`create a contract`;
  const to = addressLink(tx.to, addresses);
  if (method === undefined) return html`send ${coins(uintToBigInt(tx.value), coin)} to ${to}`;
  return html`call ${methodName({ method, decoded: details.decoded })} of ${to}`;
}

function methodName({ method, decoded }: Pick<TransactionDetails, "method" | "decoded">): Html {
  const name = decoded?.signature.name ?? (typeof method === "string" ? method : method && toHex(method));
  return html`<code><bdi>${safeText(name ?? "", 60)}</bdi></code>`;
}

function describeTransfers({ transfers }: TransactionDetails): Html | undefined {
  const [first, ...others] = transfers?.transfers ?? [];
  if (first === undefined) return undefined;
  if (others.length > 0) return html`made ${counted(transfers!.count, "token transfer")}`;
  return describeTransfer(first, transfers!.addresses);
}

function describeTransfer({ transfer, token }: TransferView, addresses: TransactionDetails["addresses"]): Html {
  const what = html`${transferAmount(transfer, token)} ${tokenLink(token)}`;
  if (isZero(transfer.from)) return html`minted ${what} to ${addressLink(transfer.to, addresses)}`;
  if (isZero(transfer.to)) return html`burnt ${what} of ${addressLink(transfer.from, addresses)}`;
  return html`moved ${what} from ${addressLink(transfer.from, addresses)} to ${addressLink(transfer.to, addresses)}`;
}
