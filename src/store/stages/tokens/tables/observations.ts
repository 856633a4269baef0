import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import { equalBytes } from "../../../../chain/encoding/bytes.ts";
import { settleAll } from "../../../../std/async.ts";
import type { Reader, Row, Transact, Writer } from "../../../engine/database.ts";
import { BlockReads } from "../../../read/blocks.ts";
import { depositCodec } from "./depositLedger.ts";
import type { TokenObservation } from "./observation.ts";
import { writeObservations } from "./observation.ts";
import { readTokenTexts, replaceTokenNames } from "./tokenNames.ts";
import { forgetWrappers, MAX_COINS } from "./wrappedCoins.ts";

export class TokenObservations {
  readonly #transact: Transact;

  constructor(transact: Transact) {
    this.#transact = transact;
  }

  /** Discarded if the block was unwound meanwhile. `retried` are due again without activity. */
  async record(observations: readonly TokenObservation[], retried: ReadonlySet<number>): Promise<void> {
    await this.#transact(async (writer) => {
      const kept = await onCanonicalChain(writer, observations);
      await keep(writer, kept);
      const isRetried = ({ token }: TokenObservation) => retried.has(token);
      const done = kept.filter((one) => !isRetried(one)).map(({ token }): Row => [token]);
      await writer.remove("token_due", ["token"], done);
      const waiting = kept.filter(isRetried).map(({ token, again }): Row => [token, again]);
      await writer.upsert("token_due", ["token", "block"], waiting);
    });
  }

  /**
   * For contracts without transfers. Those in `coins` are wrapped coins, up to a limit; of others only the next due
   * block is stored.
   */
  async recordWrappers(observations: readonly TokenObservation[], coins: ReadonlySet<number>): Promise<void> {
    await this.#transact(async (writer) => {
      const open = await findOpen(
        writer,
        observations.map(({ token }) => token),
      );
      const ours = (await onCanonicalChain(writer, observations)).filter(({ token }) => open.has(token));
      const known = new Set((await writer.all<[number]>("SELECT token FROM wrapped_coin")).map(([token]) => token));
      const isKnown = ({ token }: TokenObservation) => known.has(token);
      const found = ours.filter(({ token }) => coins.has(token));
      const room = Math.max(0, MAX_COINS - known.size);
      const shown = [...found.filter(isKnown), ...found.filter((one) => !isKnown(one)).slice(0, room)];
      const others = ours.filter((one) => !shown.includes(one));
      await keep(writer, shown);
      const rows = shown.map(({ token }): Row => [token]);
      const fresh = shown.filter((one) => !isKnown(one)).map(({ token }): Row => [token]);
      await writer.insert("wrapped_coin", ["token"], fresh);
      await writer.remove("token_due", ["token"], rows);
      await forgetWrappers(
        writer,
        others.map(({ token }) => token),
      );
      const later = others.map(({ token, again }): Row => [token, again]);
      await writer.upsert("token_due", ["token", "block"], later);
    });
  }
}

/** Contracts whose deposits are still summed. */
async function findOpen(db: Reader, tokens: readonly number[]): Promise<Set<number>> {
  const rows = await db.load<[number, Bytes]>("SELECT id, value FROM wrapper WHERE id IN ($keys)", tokens);
  const open = rows.filter(([, value]) => depositCodec.read(value).phase === "open");
  return new Set(open.map(([id]) => id));
}

async function onCanonicalChain(db: Reader, observations: readonly TokenObservation[]): Promise<TokenObservation[]> {
  const blocks = await new BlockReads(db).headers([...new Set(observations.map(({ block }) => block))]);
  return observations.filter(({ block, hash }) => {
    const ours = blocks.get(block);
    return ours !== undefined && equalBytes(ours.header.hash, hash);
  });
}

async function keep(writer: Writer, observations: readonly TokenObservation[]): Promise<void> {
  const before = await readTokenTexts(
    writer,
    observations.map(({ token }) => token),
  );
  await writeObservations(writer, observations);
  const after = observations.map(({ token, name, symbol }) => ({ token, name: name.text, symbol: symbol.text }));
  await replaceTokenNames(writer, before, after);
}

/** Due when the last observation allows it, or earlier if already due. */
export async function noteDueTokens(writer: Writer, tokens: readonly number[]): Promise<void> {
  const read = async (sql: string) =>
    new Map(await writer.load<[number, number]>(`${sql} WHERE token IN ($keys)`, tokens));
  const [again, waiting] = await settleAll([
    read("SELECT token, again FROM token_observation"),
    read("SELECT token, block FROM token_due"),
  ]);
  const dueAt = (token: number) => Math.min(again.get(token) ?? 0, waiting.get(token) ?? Number.POSITIVE_INFINITY);
  const moved = tokens.filter((token) => dueAt(token) !== waiting.get(token));
  const due = moved.toSorted((a, b) => a - b).map((token): Row => [token, dueAt(token)]);
  await writer.upsert("token_due", ["token", "block"], due);
}

/** Deletes observations above a block. Affected tokens are due at once, except those in `gone`. */
export async function unwindObservations(writer: Writer, block: number, gone: readonly number[]): Promise<void> {
  const rows = await writer.all<[number]>("SELECT token FROM token_observation WHERE block > ?", block);
  const forgotten = await readTokenTexts(
    writer,
    rows.map(([token]) => token),
  );
  await replaceTokenNames(writer, forgotten, []);
  await writer.run("DELETE FROM token_observation WHERE block > ?", block);
  await writer.upsert(
    "token_due",
    ["token", "block"],
    rows.map(([token]): Row => [token, 0]),
  );
  await writer.remove(
    "token_due",
    ["token"],
    gone.map((token): Row => [token]),
  );
}
