import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import { fromHex } from "../../../chain/encoding/hex.ts";
import type { AdvancedFilter, DecimalAmount, TokenSet } from "../../../query/advanced/advancedFilter.ts";
import { NATIVE } from "../../../query/advanced/advancedFilter.ts";
import type { AdvancedType } from "../../../query/advanced/advancedRows.ts";
import { COIN_TYPES } from "../../../query/advanced/advancedRows.ts";
import type { QueryContext } from "../../../query/context.ts";
import { findAddressesNamed } from "../../../query/findAddressesNamed.ts";
import type { MergeCursor } from "../../../query/pages.ts";
import { TOKEN_KINDS } from "../../../query/tokens/tokenList.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { Query } from "../params.ts";
import { ParameterError, parseAddress, parseChoice } from "../params.ts";
import { parseDay, parseMethod } from "../parts/listFilter.ts";

const TYPES: readonly (readonly [AdvancedType, string])[] = [
  [COIN_TYPES[0], "Coins"],
  [COIN_TYPES[1], "Calls of contracts"],
  [COIN_TYPES[2], "New contracts"],
  ...TOKEN_KINDS.map((kind) => [kind, `${kind} transfers`] as const),
];

export interface FilterFields {
  readonly type: string;
  readonly from: string;
  readonly to: string;
  readonly parties: "or" | "and";
  readonly token: string;
  readonly min: string;
  readonly max: string;
  readonly since: string;
  readonly until: string;
  readonly method: string;
}

export function readFields(query: Query): FilterFields {
  const text = (name: string) => {
    const { [name]: value } = query;
    return typeof value === "string" ? value.trim().slice(0, 200) : "";
  };
  return {
    type: text("type"),
    from: text("from"),
    to: text("to"),
    parties: parseChoice(query, "parties", ["or", "and"]),
    token: text("token"),
    min: text("min"),
    max: text("max"),
    since: text("since"),
    until: text("until"),
    method: text("method"),
  };
}

const SECONDS_A_DAY = 86_400;

export function parseFilter(fields: FilterFields): AdvancedFilter {
  const party = (text: string) => ({ include: text === "" ? undefined : [parseAddress(text)], exclude: undefined });
  const until = parseDay(fields.until);
  return {
    types: parseType(fields.type),
    methods: fields.method === "" ? undefined : parseMethod(fields.method).map(fromHex),
    fromTime: parseDay(fields.since),
    toTime: until === undefined ? undefined : until + SECONDS_A_DAY - 1,
    from: party(fields.from),
    to: party(fields.to),
    relation: fields.parties,
    fromAmount: parseAmount(fields.min),
    toAmount: parseAmount(fields.max),
    includedTokens: parseToken(fields.token),
    excludedTokens: undefined,
  };
}

function parseType(text: string): readonly AdvancedType[] | undefined {
  if (text === "") return undefined;
  const known = TYPES.find(([type]) => type === text);
  if (known === undefined) throw new ParameterError("There is no such type here.");
  return [known[0]];
}

function parseAmount(text: string): DecimalAmount | undefined {
  if (text === "") return undefined;
  const [, whole, fraction = ""] = /^(\d{1,78})(?:\.(\d{1,78}))?$/.exec(text) ?? [];
  if (whole === undefined) throw new ParameterError("An amount is digits, with a point before a fraction.");
  return { digits: BigInt(whole + fraction), scale: fraction.length };
}

function parseToken(text: string): TokenSet | undefined {
  if (text === "") return undefined;
  if (text.toLowerCase() === NATIVE) return { addresses: [NATIVE], symbols: undefined };
  return /^0x/i.test(text)
    ? { addresses: [parseAddress(text)], symbols: undefined }
    : { addresses: undefined, symbols: [text] };
}

/** Cursors of the three merged lists and the last row. */
export function parseAfter(query: Query): MergeCursor | undefined {
  const { after } = query;
  if (after === undefined || after === "") return undefined;
  const numbers =
    typeof after === "string" && /^\d{1,16}(-\d{1,16}){5}$/.test(after) ? after.split("-").map(Number) : [];
  const [first, second, third, ...below] = numbers;
  if (numbers.length !== 6 || !numbers.every(Number.isSafeInteger)) throw new ParameterError("There is no such place.");
  return { last: [first!, second!, third!], below };
}

export const formatAfter = ({ last, below }: MergeCursor): string => [...last, ...below].join("-");

/** Accounts, contracts and pools are named as well as given by their address. */
export async function resolveParties(network: QueryContext, fields: FilterFields): Promise<FilterFields> {
  const [from, to] = await Promise.all([fields.from, fields.to].map((text) => resolveParty(network, text)));
  return { ...fields, from: from!, to: to! };
}

async function resolveParty(network: QueryContext, text: string): Promise<string> {
  if (text === "" || /^0x/i.test(text)) return text;
  const found = await findAddressesNamed(network, text);
  const [only] = found;
  if (only !== undefined && found.length === 1) return checksumAddress(fromHex(only));
  const name = `"${text.slice(0, 60)}"`;
  throw new ParameterError(
    found.length === 0
      ? `Nothing is called ${name}. An address is 0x and 40 hex digits.`
      : `${found.length} addresses are called ${name}: give the address.`,
  );
}

/** The filter as REST query parameters. */
export function restQuery(fields: FilterFields): string {
  const { type, from, to, parties, token, min, max, since, until, method } = fields;
  const tokens = /^(0x|native$)/i.test(token) ? "address_hashes" : "symbols";
  const all = {
    transaction_types: type,
    methods: method && parseMethod(method).join(),
    age_from: since && `${since}T00:00:00Z`,
    age_to: until && `${until}T23:59:59Z`,
    from_address_hashes_to_include: from,
    to_address_hashes_to_include: to,
    address_relation: from && to && parties,
    amount_from: min,
    amount_to: max,
    [`token_contract_${tokens}_to_include`]: token,
  };
  const given = Object.entries(all).filter(([, value]) => value !== "");
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

export function filterForm(fields: FilterFields): Html {
  const chosen = (isChosen: boolean) => isChosen && html` selected`;
  const types = TYPES.map(
    ([type, title]) => html`<option value="${type}"${chosen(fields.type === type)}>${title}</option>`,
  );
  const input = (name: keyof FilterFields, title: string, hint = "", type = "text") =>
    html`<label>${title} <input name="${name}" type="${type}" value="${fields[name]}" placeholder="${hint}" maxlength="200"></label>`;
  return html`<form class="filters" action="/advanced-filter" method="get">
<label>What <select name="type"><option value="">Everything</option>${types}</select></label>
${input("from", "From", "0x… or a name")}
${input("to", "To", "0x… or a name")}
<label>From and to <select name="parties"><option value="or"${chosen(fields.parties === "or")}>either one</option><option value="and"${chosen(fields.parties === "and")}>both</option></select></label>
${input("token", "Token", "0x…, a symbol, or native")}
${input("min", "At least", "0.5")}
${input("max", "At most", "100")}
${input("since", "Since", "", "date")}
${input("until", "Until", "", "date")}
${input("method", "Method", "transfer, 0xa9059cbb")}
<p><button type="submit" class="primary">Find</button> <a href="/advanced-filter">Clear</a></p>
</form>`;
}
