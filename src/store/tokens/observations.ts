import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { uintFromBigInt, uintToBigInt } from "../../chain/encoding/uint.ts";
import type { TokenText } from "../../chain/token/tokenText.ts";
import { BlockReads } from "../blocks.ts";
import { asBytes, ByteReader, ByteWriter, corrupt } from "../encoding.ts";
import type { Engine, Row, Value } from "../engine/engine.ts";
import type { DueTokens } from "./dueTokens.ts";
import { readDueTokens } from "./dueTokens.ts";
import { readSigned, writeSigned } from "./signedAmount.ts";
import type { LedgerVerdict } from "./tokenLabels.ts";
import { readTokenTexts, replaceTokenNames } from "./tokenNames.ts";
import { forgetWrappers, MOST_COINS } from "./wrappedCoins.ts";
import { wrapperCodec } from "./wrapper.ts";

/** What a node said of a token at one block: a cache that can be filled again, and no part of a fingerprint. */
export interface TokenObservation {
  readonly token: number;
  readonly block: number;
  readonly hash: Bytes;
  readonly name: TokenText;
  readonly symbol: TokenText;
  readonly decimals: number | null;
  readonly totalSupply: bigint | null;
  /** What its transfers added up to when it said that; null where they do not tell how its supply changes. */
  readonly ledgerSupply: bigint | null;
  /** How the balances the token tells compare with the ledger's. */
  readonly ledger: LedgerVerdict;
  /** The holders whose balances differed, by address id. */
  readonly differing: readonly number[];
  /** How often in a row the node could not say all; what it did not say is as it was before, or absent. */
  readonly failures: number;
  /** The first block at which the token is asked again. */
  readonly again: number;
}

const COLUMNS = [
  ...["token", "block", "hash", "name", "name_raw", "symbol", "symbol_raw"],
  ...["decimals", "supply", "ledger", "differing", "failures", "again", "ledger_supply"],
];
const SELECT = `SELECT ${COLUMNS.join(", ")} FROM token_observation`;

export const MOST_COUNTED = 10_000;

export class TokenObservations {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async byToken(tokens: readonly number[]): Promise<Map<number, TokenObservation>> {
    const rows = await this.#engine.load(`${SELECT} WHERE token IN ($keys)`, tokens);
    return new Map(rows.map((row) => [row[0] as number, readRow(row)]));
  }

  /** Up to `limit` tokens to observe, those that have waited longest first; undefined before the first block. */
  due(limit: number): Promise<DueTokens | undefined> {
    return this.#engine.snapshot(() => readDueTokens(this.#engine, limit, (tokens) => this.byToken(tokens)));
  }

  /** How many tokens are due at a block, counted up to `MOST_COUNTED`. */
  async dueCount(block: number): Promise<number> {
    const sql = "SELECT count(*) FROM (SELECT token FROM token_due WHERE block <= ? LIMIT ?) d";
    const [row] = await this.#engine.all(sql, block, MOST_COUNTED);
    return row![0] as number;
  }

  /** Keeps what was observed at a block, unless the chain has left it meanwhile. `retried` are asked again unprompted. */
  async record(observations: readonly TokenObservation[], retried: ReadonlySet<number>): Promise<void> {
    await this.#engine.transaction(async () => {
      const kept = await this.#stillOurs(observations);
      await this.#keep(kept);
      const isRetried = ({ token }: TokenObservation) => retried.has(token);
      const done = kept.filter((one) => !isRetried(one)).map(({ token }): Row => [token]);
      await this.#engine.remove("token_due", ["token"], done);
      const waiting = kept.filter(isRetried).map(({ token, again }): Row => [token, again]);
      await this.#engine.upsert("token_due", ["token", "block"], waiting);
    });
  }

  /**
   * Keeps what was observed of contracts that emitted no transfer yet. Those in `coins` are wrapped coins, as long as there
   * are not too many; of all others nothing is kept but when they are asked again, unprompted.
   */
  async recordWrappers(observations: readonly TokenObservation[], coins: ReadonlySet<number>): Promise<void> {
    await this.#engine.transaction(async () => {
      const open = await this.#open(observations.map(({ token }) => token));
      const ours = (await this.#stillOurs(observations)).filter(({ token }) => open.has(token));
      const known = new Set(
        (await this.#engine.all("SELECT token FROM wrapped_coin")).map(([token]) => token as number),
      );
      const isKnown = ({ token }: TokenObservation) => known.has(token);
      const found = ours.filter(({ token }) => coins.has(token));
      const room = Math.max(0, MOST_COINS - known.size);
      const shown = [...found.filter(isKnown), ...found.filter((one) => !isKnown(one)).slice(0, room)];
      const others = ours.filter((one) => !shown.includes(one));
      await this.#keep(shown);
      const rows = shown.map(({ token }): Row => [token]);
      const fresh = shown.filter((one) => !isKnown(one)).map(({ token }): Row => [token]);
      await this.#engine.insert("wrapped_coin", ["token"], fresh);
      await this.#engine.remove("token_due", ["token"], rows);
      await forgetWrappers(
        this.#engine,
        others.map(({ token }) => token),
      );
      const later = others.map(({ token, again }): Row => [token, again]);
      await this.#engine.upsert("token_due", ["token", "block"], later);
    });
  }

  /** Those of some contracts whose deposits are still added up. */
  async #open(tokens: readonly number[]): Promise<Set<number>> {
    const rows = await this.#engine.load("SELECT id, value FROM wrapper WHERE id IN ($keys)", tokens);
    const open = rows.filter(([, value]) => wrapperCodec.read(value as Bytes).phase === "open");
    return new Set(open.map(([id]) => id as number));
  }

  async #stillOurs(observations: readonly TokenObservation[]): Promise<TokenObservation[]> {
    const blocks = await new BlockReads(this.#engine).headers([...new Set(observations.map(({ block }) => block))]);
    return observations.filter(({ block, hash }) => {
      const ours = blocks.get(block);
      return ours !== undefined && equalBytes(ours.header.hash, hash);
    });
  }

  async #keep(observations: readonly TokenObservation[]): Promise<void> {
    const before = await readTokenTexts(
      this.#engine,
      observations.map(({ token }) => token),
    );
    await this.#engine.upsert("token_observation", COLUMNS, observations.map(writeRow));
    const after = observations.map(({ token, name, symbol }) => ({ token, name: name.text, symbol: symbol.text }));
    await replaceTokenNames(this.#engine, before, after);
  }
}

/** Tokens with transfers are observed again as soon as their last observation allows it. */
export async function noteDueTokens(engine: Engine, tokens: readonly number[]): Promise<void> {
  const rows = await engine.load("SELECT token, again FROM token_observation WHERE token IN ($keys)", tokens);
  const again = new Map(rows as [number, number][]);
  const due = tokens.toSorted((a, b) => a - b).map((token): Row => [token, again.get(token) ?? 0]);
  await engine.upsert("token_due", ["token", "block"], due);
}

/** Forgets what was observed above a block. Its tokens are due at once, but for those that are `gone`. */
export async function unwindObservations(engine: Engine, block: number, gone: readonly number[]): Promise<void> {
  const rows = await engine.all("SELECT token FROM token_observation WHERE block > ?", block);
  const forgotten = await readTokenTexts(
    engine,
    rows.map(([token]) => token as number),
  );
  await replaceTokenNames(engine, forgotten, []);
  await engine.run("DELETE FROM token_observation WHERE block > ?", block);
  await engine.upsert(
    "token_due",
    ["token", "block"],
    rows.map(([token]): Row => [token!, 0]),
  );
  await engine.remove(
    "token_due",
    ["token"],
    gone.map((token): Row => [token]),
  );
}

function writeRow(seen: TokenObservation): Row {
  const differing = new ByteWriter(32);
  for (const holder of seen.differing) differing.varint(holder);
  return [
    ...[seen.token, seen.block, seen.hash, seen.name.text, seen.name.raw, seen.symbol.text, seen.symbol.raw],
    ...[seen.decimals, seen.totalSupply === null ? null : uintFromBigInt(seen.totalSupply)],
    ...[seen.ledger, differing.copy(), seen.failures, seen.again],
    seen.ledgerSupply === null ? null : writeSigned(seen.ledgerSupply),
  ];
}

function asText(value: Value | undefined): string | null {
  if (value === null || typeof value === "string") return value;
  throw corrupt("what was observed of a token is no text");
}

function readRow(row: Row): TokenObservation {
  const [token, block, hash, name, nameRaw, symbol, symbolRaw, ...said] = row;
  const [decimals, supply, ledger, differing, failures, again, ledgerSupply] = said;
  const holders: number[] = [];
  for (const reader = new ByteReader(differing as Bytes); !reader.done; ) holders.push(reader.varint());
  return {
    token: token as number,
    block: block as number,
    hash: asBytes(hash),
    name: { text: asText(name), raw: asBytes(nameRaw) },
    symbol: { text: asText(symbol), raw: asBytes(symbolRaw) },
    decimals: decimals as number | null,
    totalSupply: supply === null ? null : uintToBigInt(asBytes(supply)),
    ledgerSupply: ledgerSupply === null ? null : readSigned(ledgerSupply as Bytes),
    ledger: ledger as LedgerVerdict,
    differing: holders,
    failures: failures as number,
    again: again as number,
  };
}
