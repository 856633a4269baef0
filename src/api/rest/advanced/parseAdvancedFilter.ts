import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { fromHex } from "../../../chain/encoding/hex.ts";
import { isSelector } from "../../../chain/encoding/parse.ts";
import type { AdvancedFilter, DecimalAmount, PartyFilter, TokenSet } from "../../../query/advanced/advancedFilter.ts";
import { NATIVE } from "../../../query/advanced/advancedFilter.ts";
import type { AdvancedType } from "../../../query/advanced/advancedRows.ts";
import { COIN_TYPES } from "../../../query/advanced/advancedRows.ts";
import { TOKEN_KINDS } from "../../../query/tokens/tokenList.ts";
import type { Query } from "../params.ts";
import { ParameterError, parseAddress, parseChoice } from "../params.ts";
import { isAbsent, parseTime } from "../parseTime.ts";
import { MAX_VALUES, RELATIONS } from "./advancedParameters.ts";

export function parseAdvancedFilter(query: Query): AdvancedFilter {
  const [from, to] = [parseTime(query.age_from, "age_from"), parseTime(query.age_to, "age_to")];
  const { address_relation: relation } = query;
  return {
    types: parseTypes(query),
    methods: parseEach(query, "methods", parseSelector),
    fromTime: from === undefined ? undefined : Math.ceil(from / 1000),
    toTime: to === undefined ? undefined : Math.floor(to / 1000),
    from: parseParties(query, "from"),
    to: parseParties(query, "to"),
    relation: isAbsent(relation) ? RELATIONS[0] : parseChoice(query, "address_relation", RELATIONS),
    fromAmount: parseAmount(query, "amount_from"),
    toAmount: parseAmount(query, "amount_to"),
    includedTokens: parseTokens(query, "include"),
    excludedTokens: parseTokens(query, "exclude"),
  };
}

/** Undefined if absent. */
function parseEach<T>(
  query: Query,
  parameter: string,
  parse: (text: string, parameter: string) => T,
): readonly T[] | undefined {
  const value = query[parameter];
  if (isAbsent(value)) return undefined;
  const texts = typeof value === "string" ? value.split(",", MAX_VALUES + 1) : [];
  if (texts.length === 0 || texts.length > MAX_VALUES) {
    throw new ParameterError(parameter, `up to ${MAX_VALUES} values, separated by commas`);
  }
  return texts.map((text) => parse(text, parameter));
}

const TYPES: readonly AdvancedType[] = [...COIN_TYPES, ...TOKEN_KINDS];

/** Standards of other explorers; no transfer here has them. */
const FOREIGN = ["ERC-404", "ERC-7984"];

function parseTypes(query: Query): readonly AdvancedType[] | undefined {
  const named = parseEach(query, "transaction_types", (text) => {
    const word = [...TYPES, ...FOREIGN].find((type) => type.toLowerCase() === text.toLowerCase());
    if (word === undefined) throw new ParameterError("transaction_types", `some of ${TYPES.join(",")}`);
    return word;
  });
  return named && TYPES.filter((type) => named.includes(type));
}

function parseSelector(text: string, parameter: string): Bytes {
  const selector = text.toLowerCase();
  if (!isSelector(selector)) throw new ParameterError(parameter, "selectors of 0x and 8 hex digits");
  return fromHex(selector);
}

function parseParties(query: Query, side: "from" | "to"): PartyFilter {
  const parse = (word: string) => parseEach(query, `${side}_address_hashes_to_${word}`, parseAddress);
  return { include: parse("include"), exclude: parse("exclude") };
}

function parseTokens(query: Query, word: "include" | "exclude"): TokenSet | undefined {
  const addresses = parseEach(query, `token_contract_address_hashes_to_${word}`, (text, parameter) =>
    text.toLowerCase() === NATIVE ? NATIVE : parseAddress(text, parameter),
  );
  const symbols = parseEach(query, `token_contract_symbols_to_${word}`, parseSymbol);
  return addresses === undefined && symbols === undefined ? undefined : { addresses, symbols };
}

const MAX_SYMBOL_LENGTH = 256;

function parseSymbol(text: string, parameter: string): string {
  if (text === "" || text.length > MAX_SYMBOL_LENGTH) {
    throw new ParameterError(parameter, `symbols of 1 to ${MAX_SYMBOL_LENGTH} characters`);
  }
  return text;
}

/** 256 bits have 78 digits. */
const AMOUNT = /^(\d{1,78})(?:\.(\d{1,78}))?$/;

function parseAmount(query: Query, parameter: string): DecimalAmount | undefined {
  const value = query[parameter];
  if (isAbsent(value)) return undefined;
  const [, whole, fraction = ""] = (typeof value === "string" && AMOUNT.exec(value)) || [];
  if (whole === undefined) throw new ParameterError(parameter, "a decimal number such as 1 or 0.5");
  return { digits: BigInt(whole + fraction), scale: fraction.length };
}

const MAX_NAME_LENGTH = 256;

export function parseMethodText({ q }: Query): string | undefined {
  if (isAbsent(q)) return undefined;
  if (typeof q === "string" && q.length <= MAX_NAME_LENGTH) return q;
  throw new ParameterError("q", `one text of up to ${MAX_NAME_LENGTH} characters`);
}
