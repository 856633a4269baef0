import { normaliseText } from "../../src/chain/token/searchText.ts";
import type { Row, Writer } from "../../src/store/engine/database.ts";
import type { TokenObservation } from "../../src/store/stages/tokens/tables/observation.ts";
import { replaceTokenNames, walkTokenTexts } from "../../src/store/stages/tokens/tables/tokenNames.ts";
import { NO_TOKEN, tokenState } from "../../src/store/stages/tokens/tables/tokenState.ts";
import type { Store } from "../../src/store/store.ts";
import type { Random } from "./random.ts";

/** A token as a search sees it. */
export interface NamedToken {
  readonly token: number;
  readonly name: string | null;
  readonly symbol: string | null;
  readonly holders: number;
}

const PIECES = [
  ..."a b ab aba Ä É z 1 10 USD usdt Coin coin Token é ß ss ς 日本 한 🦄 % _ \\ ' \" - . ( )".split(" "),
  " ",
  "  ",
  "\u0000",
  "\u202e",
];

export function randomText(random: Random, max = 6): string {
  return Array.from({ length: random.int(max + 1) }, () => random.pick(PIECES)).join("");
}

export function randomToken(random: Random, token: number): NamedToken {
  const text = (max: number) => {
    if (random.chance(0.1)) return null;
    return random.chance(0.03) ? randomText(random, 6).repeat(20) : randomText(random, max);
  };
  return { token, name: text(6), symbol: text(3), holders: random.int(random.pick([2, 10, 1000])) };
}

/** The ids of the tokens a query finds, the best first: by a look at every name. */
export function plainSearch(tokens: readonly NamedToken[], query: string): number[] {
  const term = [...normaliseText(query)].slice(0, 32).join("");
  if (term === "") return [];
  const ranked = tokens.map((token) => ({ ...token, rank: rankOf(token, term) }));
  return ranked
    .filter(({ rank }) => rank < 5)
    .sort((a, b) => a.rank - b.rank || b.holders - a.holders || a.token - b.token)
    .slice(0, 1000)
    .map(({ token }) => token);
}

function rankOf({ name, symbol }: NamedToken, term: string): number {
  const texts = [symbol, name].map((text) => [...normaliseText(text ?? "")]);
  const starts = texts.map((text) => text.slice(0, 32).join(""));
  const exact = starts.indexOf(term);
  if (exact >= 0) return exact;
  if (starts.some((start) => start.startsWith(term))) return 2;
  const places = texts.flatMap((text) =>
    Array.from(
      { length: Math.min(text.length, 64) },
      (_, at) => [text[at - 1] ?? "", text.slice(at).join("")] as const,
    ),
  );
  const matching = places.filter(([, rest]) => rest.startsWith(term));
  if (matching.length === 0) return 5;
  return matching.some(([before]) => !/[\p{L}\p{N}]/u.test(before) && /^[\p{L}\p{N}]/u.test(term)) ? 3 : 4;
}

/** Puts tokens and what was observed of them into a store's tables, as a chain and a node would have. */
export async function insertTokens(writer: Writer, tokens: readonly NamedToken[]): Promise<void> {
  const none = new Uint8Array(0);
  await writer.insert("token", ["id", "value"], tokens.map(stateRow));
  await writer.insert(
    "token_observation",
    "token block hash name name_raw symbol symbol_raw ledger differing failures again".split(" "),
    tokens.map(({ token, name, symbol }): Row => {
      return [token, 1, new Uint8Array(32), name, none, symbol, none, "agrees", none, 0, 1001];
    }),
  );
}

function stateRow({ token, holders }: NamedToken): Row {
  return [token, tokenState.write({ ...NO_TOKEN, kinds: ["ERC-20"], holders, supply: 1n })];
}

type Texts = Pick<NamedToken, "name" | "symbol">;

/** Records an observation with these names for every due token. */
export async function observeAll(store: Store, tell: (token: number) => Texts, again = 1_000_000): Promise<void> {
  const due = await store.read((session) => session.observations.due(100_000));
  const raw = new Uint8Array(0);
  const tokens = (due?.tokens ?? []).filter(({ isWrapper }) => !isWrapper);
  const observations = tokens.map(({ token, state }): TokenObservation => {
    const { name, symbol } = tell(token);
    const at = { token, block: due!.at.number, hash: due!.at.hash };
    const texts = { name: { text: name, raw }, symbol: { text: symbol, raw } };
    const supplies = { totalSupply: 1n, ledgerSupply: state.supply };
    return { ...at, ...texts, decimals: 18, ...supplies, ledger: "agrees", differing: [], failures: 0, again };
  });
  await store.observations.record(observations, new Set());
}

export async function indexTokenNames(writer: Writer): Promise<void> {
  for await (const texts of walkTokenTexts(writer)) await replaceTokenNames(writer, [], texts);
}
