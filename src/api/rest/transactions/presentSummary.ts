import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import { formatAmount } from "../../../exchange/decimal.ts";
import type { Asset } from "../../../query/actions/action.ts";
import { describeActions } from "../../../query/actions/sentence.ts";
import type { Part } from "../../../query/actions/sentenceParts.ts";
import type { Rates } from "../../../query/exchange/rates.ts";
import type { TransactionDetails } from "../../../query/transactions/transaction.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import type { Shape } from "../../openapi/values.ts";
import { presentAddress } from "../addresses/presentAddress.ts";
import { presentToken } from "../tokens/presentToken.ts";
import { presentMethod } from "./presentMethod.ts";
import type { SentenceSchema, SummarySchema } from "./summarySchema.ts";

export function presentSummary(details: TransactionDetails, rates: Rates): Shape<typeof SummarySchema> {
  return { success: true, data: { summaries: [presentSentence(details, rates)] } };
}

type Described = Pick<TransactionDetails, "actions" | "addresses">;

export function presentSentence({ actions, addresses }: Described, rates: Rates): Shape<typeof SentenceSchema> {
  const { headline, detail, also } = describeActions(actions);
  const variables = new Variables();
  const parts = [headline, detail, also].flatMap((some, at) => (at === 0 || some.length === 0 ? some : [" ", ...some]));
  const template = parts.map((part) => presentPart(part, variables, addresses, rates)).join("");
  return { summary_template: template, summary_template_variables: Object.fromEntries(variables.all) as object };
}

/** Numbered from the second of a kind on: `token`, `token_2`. */
class Variables {
  readonly all = new Map<string, { readonly type: string; readonly value: object | string }>();

  add(name: string, type: string, value: object | string): string {
    let [key, at] = [name, 1];
    while (this.all.has(key)) key = `${name}_${++at}`;
    this.all.set(key, { type, value });
    return `{${key}}`;
  }
}

function presentPart(part: Part, variables: Variables, addresses: AddressInfos, rates: Rates): string {
  if (typeof part === "string") return part;
  if ("asset" in part) return presentAsset(part.asset, variables, rates);
  if ("token" in part) return variables.add("token", "token", presentToken(part.token, rates));
  if ("address" in part) return variables.add("address", "address", presentAddress(part.address, addresses));
  if ("pool" in part) return variables.add("pool", "string", checksumAddress(part.pool.address));
  if ("text" in part) return variables.add("text", "string", part.text);
  return variables.add("method", "method", presentMethod(part.method) ?? "");
}

const COIN_DECIMALS = 18;

/** `{native}` is the symbol of the coin rather than a variable. */
function presentAsset({ token, amount, ids }: Asset, variables: Variables, rates: Rates): string {
  const decimals = token === null ? COIN_DECIMALS : (token.seen?.decimals ?? 0);
  const isSingle = ids?.length === 1 && amount === 1n;
  const quantity = isSingle ? "" : `${variables.add("amount", "currency", formatAmount(amount, ids ? 0 : decimals))} `;
  const unit = token === null ? "{native}" : variables.add("token", "token", presentToken(token, rates));
  const [id] = ids ?? [];
  const item = id === undefined || ids!.length > 1 ? "" : ` #${variables.add("token_id", "string", String(id))}`;
  return `${quantity}${unit}${item}`;
}
