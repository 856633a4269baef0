import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import { toHex } from "../../../../chain/encoding/hex.ts";
import type { Reader } from "../../../engine/database.ts";
import { inDialect } from "../../../engine/database.ts";
import { loadCached } from "../../../read/snapshotCache.ts";
import type { AddressId } from "../../../rows/ids.ts";
import type { NameField } from "../tables/tokenNames.ts";
import { NAME_FIELDS, queryText } from "../tables/tokenNames.ts";
import { MAX_HOLDERS_LENGTH, readHolders } from "../tables/tokenState.ts";

export interface NameMatch {
  readonly token: AddressId;
  /** Index in `RANKS`; best first. */
  readonly rank: number;
  readonly holders: number;
}

export const MAX_MATCHES = 1000;
/** Rows scanned per rank in alphabetical order: among more, the largest token may be missed. */
export const MAX_SCANNED_POSITIONS = 2000;
/** Tokens with one symbol that are compared, oldest first. */
export const MAX_NAMESAKES = 64;

/** Rows of a field whose text equals the query, starts with it, or either. */
type Scan = readonly [place: NameField, extent: "exact" | "longer" | "any"];

/** Symbol, name, prefix, word prefix, substring. */
const RANKS: readonly (readonly Scan[])[] = [
  [[NAME_FIELDS.symbol, "exact"]],
  [[NAME_FIELDS.name, "exact"]],
  [
    [NAME_FIELDS.symbol, "longer"],
    [NAME_FIELDS.name, "longer"],
  ],
  [[NAME_FIELDS.word, "any"]],
  [[NAME_FIELDS.inside, "any"]],
];

/** Selective searches first; a broad one is left out where the others find enough. */
const SCANNED_TOGETHER = [
  [0, 1, 2],
  [3, 4],
] as const;

const SCAN = `SELECT n.token, count(*) FROM (
    SELECT token FROM token_name WHERE place = ? AND text >= ? AND text < ? ORDER BY text, token LIMIT ?
  ) n GROUP BY n.token`;

/** Oldest tokens with a symbol; the join order matters. */
const NAMESAKES = inDialect(({ digits, joinInOrder }) => {
  const state = digits(`substr(t.value, 1, ${MAX_HOLDERS_LENGTH})`);
  return `SELECT ${digits("k.column1")}, ${state} FROM ($pairs) k ${joinInOrder} token_name n ${joinInOrder} token t
    WHERE n.place = k.column2 AND n.text = k.column1 AND t.id = n.token AND n.token <= coalesce((
      SELECT m.token FROM token_name m WHERE m.place = k.column2 AND m.text = k.column1
      ORDER BY m.token LIMIT 1 OFFSET ${MAX_NAMESAKES - 1}), ${Number.MAX_SAFE_INTEGER})`;
});

const HOLDERS = inDialect(
  ({ digits }) => `SELECT id, ${digits(`substr(value, 1, ${MAX_HOLDERS_LENGTH})`)} FROM token WHERE id IN ($keys)`,
);

export class NameReads {
  readonly #db: Reader;

  constructor(db: Reader) {
    this.#db = db;
  }

  /** At most `MAX_MATCHES`, by rank, holders, first appearance. */
  async find(query: string): Promise<NameMatch[]> {
    const text = queryText(query);
    const ranks = new Map<number, number>();
    if (text.length === 0) return [];
    for (const some of SCANNED_TOGETHER) {
      if (ranks.size >= MAX_MATCHES) break;
      const scans = some.flatMap((rank) => (RANKS[rank] ?? []).map((scan, _, { length }) => ({ rank, scan, length })));
      const found = await Promise.all(
        scans.map(({ scan, length }) => this.#scan(scan, text, ranks, MAX_SCANNED_POSITIONS / length)),
      );
      for (const [at, { rank }] of scans.entries()) {
        for (const token of found[at] ?? []) if (!ranks.has(token)) ranks.set(token, rank);
      }
    }
    const holders = await this.#holders([...ranks.keys()]);
    const matches = [...ranks].map(([token, rank]) => ({ token, rank, holders: holders.get(token) ?? 0 }));
    return matches.sort(byRank).slice(0, MAX_MATCHES);
  }

  /**
   * Excludes `known`. Continues where many rows of few tokens hide others; bounded, since a token has at most 128 rows.
   */
  async #scan(
    [place, extent]: Scan,
    text: Bytes,
    known: ReadonlyMap<number, number>,
    first: number,
  ): Promise<number[]> {
    const range = [place, extent === "longer" ? after(text, 0) : text, after(text, extent === "exact" ? 0 : 0xff)];
    for (let limit = first; ; limit *= 2) {
      const found = await this.#db.all<[number, number]>(SCAN, ...range, limit);
      const rows = found.reduce((sum, [, count]) => sum + count, 0);
      const tokens = found.map(([token]) => token).filter((token) => !known.has(token));
      if (rows < limit || known.size + tokens.length >= MAX_MATCHES) return tokens;
    }
  }

  /** Maximum holders per symbol. */
  maxHoldersBySymbol(symbols: readonly string[]): Promise<Map<string, number>> {
    return loadCached(this.#db, "holders of symbol", new Set(symbols), (missing) => this.#maxHoldersBySymbol(missing));
  }

  async #maxHoldersBySymbol(symbols: readonly string[]): Promise<[string, number][]> {
    const texts = new Map(symbols.map((symbol) => [symbol, queryText(symbol)]));
    const pairs = [...texts.values()].map((text) => [text, NAME_FIELDS.symbol] as const);
    const maxHolders = new Map<string, number>();
    for (const [text, state] of await this.#db.loadPairs<[string, string]>(NAMESAKES(this.#db), pairs)) {
      const key = text.toLowerCase();
      maxHolders.set(key, Math.max(maxHolders.get(key) ?? 0, readHolders(Buffer.from(state, "hex"))));
    }
    return [...texts].map(([symbol, text]) => [symbol, maxHolders.get(toHex(text).slice(2)) ?? 0]);
  }

  #holders(tokens: readonly number[]): Promise<Map<number, number>> {
    return loadCached(this.#db, "holders of token", tokens, async (missing) => {
      const rows = await this.#db.load<[number, string]>(HOLDERS(this.#db), missing);
      return rows.map(([id, digits]): [number, number] => [id, readHolders(Buffer.from(digits, "hex"))]);
    });
  }
}

function byRank(a: NameMatch, b: NameMatch): number {
  return a.rank - b.rank || b.holders - a.holders || a.token - b.token;
}

/** Upper bound of a prefix range, or of equality with 0: UTF-8 has no 0xff, names no NUL. */
function after(text: Bytes, last: 0 | 0xff): Bytes {
  const bytes = new Uint8Array(text.length + 1);
  bytes.set(text);
  bytes[text.length] = last;
  return bytes;
}
