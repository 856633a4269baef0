import type { TokenKind } from "../../../../chain/token/tokenTransfer.ts";
import type { Row, Writer } from "../../../engine/database.ts";
import type { AddressId } from "../../../rows/ids.ts";
import type { Change } from "../../../tables/mutableRows.ts";
import type { TokenState } from "./tokenState.ts";
import { typeOf } from "./tokenState.ts";
import { KINDS } from "./transferBody.ts";

/** The overall list precedes those of the standards. */
export const EVERY_TOKEN = 0;

export const listOf = (kind: TokenKind): number => KINDS.indexOf(kind) + 1;

/** Minus the holders, so that ascending keys are most holders first, then first seen. */
export const rankOf = (holders: number): number => 0 - holders;

export type RankedState = Pick<TokenState, "kinds" | "hasItems" | "holders">;

const COLUMNS = ["list", "rank", "token"] as const;

type RankRow = [list: number, rank: number, token: AddressId];

/** Empty if the token does not exist. */
export function tokenRanks(token: AddressId, state: RankedState | undefined): RankRow[] {
  if (state === undefined) return [];
  return [EVERY_TOKEN, listOf(typeOf(state))].map((list) => [list, rankOf(state.holders), token]);
}

/** Updates the ranking of tokens. */
export async function rankTokens(writer: Writer, changes: readonly Change<TokenState>[]): Promise<void> {
  const moved = changes.filter(({ before, after }) => isMoved(before, after));
  const old = moved.flatMap(({ id, before }) => tokenRanks(id, before));
  const fresh = moved.flatMap(({ id, after }) => tokenRanks(id, after));
  await writer.remove("token_rank", COLUMNS, old.sort(byKey));
  await writer.insert("token_rank", COLUMNS, fresh.sort(byKey));
  await count(writer, old, fresh);
}

function isMoved(before: TokenState | undefined, after: TokenState | undefined): boolean {
  if (before === undefined || after === undefined) return before !== after;
  return before.holders !== after.holders || typeOf(before) !== typeOf(after);
}

function byKey(a: RankRow, b: RankRow): number {
  return a[0] - b[0] || a[1] - b[1];
}

async function count(writer: Writer, old: readonly RankRow[], fresh: readonly RankRow[]): Promise<void> {
  const added = new Map<number, number>();
  const add = (list: number, by: number) => added.set(list, (added.get(list) ?? 0) + by);
  for (const [list] of old) add(list, -1);
  for (const [list] of fresh) add(list, 1);
  const changed = [...added].filter(([, by]) => by !== 0);
  if (changed.length === 0) return;
  const counts = new Map(await writer.all<[number, number]>("SELECT list, tokens FROM token_rank_count"));
  const rows = changed.map(([list, by]): [number, number] => [list, (counts.get(list) ?? 0) + by]);
  const gone = rows.filter(([, tokens]) => tokens === 0).map(([list]): Row => [list]);
  await writer.remove("token_rank_count", ["list"], gone);
  await writer.upsert(
    "token_rank_count",
    ["list", "tokens"],
    rows.filter(([, tokens]) => tokens !== 0),
  );
}
