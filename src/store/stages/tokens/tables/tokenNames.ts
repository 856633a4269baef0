import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import { normaliseText } from "../../../../chain/token/searchText.ts";
import type { Reader, Writer } from "../../../engine/database.ts";
import { keysetPages } from "../../../engine/keysetPages.ts";
import type { AddressId } from "../../../rows/ids.ts";

interface TokenTexts {
  readonly token: AddressId;
  readonly name: string | null;
  readonly symbol: string | null;
}

/** Offset of a match in a symbol or name. */
export const NAME_FIELDS = { symbol: 0, name: 1, word: 2, inside: 3 } as const;

export type NameField = (typeof NAME_FIELDS)[keyof typeof NAME_FIELDS];

/** Characters indexed from each start. */
export const MAX_TEXT_LENGTH = 32;
/** Starts per name or symbol. */
export const MAX_NAME_CHARACTERS = 64;
/** Rows per token. */
export const MAX_ROWS = 2 * MAX_NAME_CHARACTERS;

const COLUMNS = ["place", "text", "token"] as const;

type NameRow = [field: NameField, text: Bytes, token: AddressId];
type TextsRow = [token: AddressId, name: string | null, symbol: string | null];

/** One row per position at which a query may start. */
export function nameRows({ token, name, symbol }: TokenTexts): NameRow[] {
  const rows = new Map<string, NameRow>();
  const add = (field: NameField, text: string) => rows.set(`${field}${text}`, [field, textBytes(text), token]);
  for (const [text, start] of [
    [symbol, NAME_FIELDS.symbol],
    [name, NAME_FIELDS.name],
  ] as const) {
    const characters = [...normaliseText(text ?? "")];
    let before: string | undefined;
    for (const [at, character] of characters.slice(0, MAX_NAME_CHARACTERS).entries()) {
      if (character !== " ")
        add(fieldOf(before, character, start), characters.slice(at, at + MAX_TEXT_LENGTH).join(""));
      before = character;
    }
  }
  return [...rows.values()];
}

/** Normalized query. */
export function queryText(query: string): Bytes {
  return textBytes([...normaliseText(query)].slice(0, MAX_TEXT_LENGTH).join(""));
}

const encoder = new TextEncoder();

function textBytes(text: string): Bytes {
  return encoder.encode(text);
}

function fieldOf(before: string | undefined, character: string, start: NameField): NameField {
  if (before === undefined) return start;
  return isWordStart(before, character) ? NAME_FIELDS.word : NAME_FIELDS.inside;
}

const OF_WORDS = /^[\p{L}\p{N}]/u;

function isWordStart(before: string, character: string): boolean {
  return OF_WORDS.test(character) && !OF_WORDS.test(before);
}

export async function readTokenTexts(db: Reader, tokens: readonly number[]): Promise<TokenTexts[]> {
  const rows = await db.load<TextsRow>(
    "SELECT token, name, symbol FROM token_observation WHERE token IN ($keys)",
    tokens,
  );
  return rows.map(asTexts);
}

/** Runs inside the transaction that changes the observations. */
export async function replaceTokenNames(
  writer: Writer,
  before: readonly TokenTexts[],
  after: readonly TokenTexts[],
): Promise<void> {
  const known = new Map(before.map((texts) => [texts.token, texts]));
  const reported = new Map(after.map((texts) => [texts.token, texts]));
  const old = [...known.values()].filter((texts) => !isSame(texts, reported.get(texts.token)));
  const fresh = [...reported.values()].filter((texts) => !isSame(texts, known.get(texts.token)));
  await writer.remove("token_name", COLUMNS, old.flatMap(nameRows).sort(byKey));
  await writer.insert("token_name", COLUMNS, fresh.flatMap(nameRows).sort(byKey));
}

function isSame({ name, symbol }: TokenTexts, other: TokenTexts | undefined): boolean {
  return other !== undefined && name === other.name && symbol === other.symbol;
}

function byKey([field, text]: NameRow, [otherField, otherText]: NameRow): number {
  return field - otherField || Buffer.compare(text, otherText);
}

const OBSERVATION_BATCH_SIZE = 1000;

/** Observed names in batches. */
export async function* walkTokenTexts(db: Reader): AsyncGenerator<TokenTexts[]> {
  const sql = "SELECT token, name, symbol FROM token_observation WHERE token > ? ORDER BY token LIMIT ?";
  const pages = keysetPages<TextsRow>(OBSERVATION_BATCH_SIZE, (last, count) => db.all(sql, last?.[0] ?? -1, count));
  for await (const rows of pages) yield rows.map(asTexts);
}

function asTexts([token, name, symbol]: TextsRow): TokenTexts {
  return { token, name, symbol };
}
