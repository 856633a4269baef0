import type { Bytes } from "../../chain/encoding/bytes.ts";
import { mapInTurns } from "../../std/async.ts";
import type { VerifiedContract } from "../../verify/verification.ts";
import type { QueryContext } from "../context.ts";

export interface VerifiedMatch {
  /** Ascending in verification order. */
  readonly id: number;
  readonly address: Bytes;
  readonly verified: number;
  readonly matches: VerifiedContract["matches"];
}

export interface MatchWindow {
  readonly limit: number;
  readonly isNewestFirst: boolean;
  readonly after: number | undefined;
}

export async function listVerifiedMatches(
  { sources }: QueryContext,
  { limit, isNewestFirst, after }: MatchWindow,
): Promise<VerifiedMatch[]> {
  const newest = sources?.verifiedContracts.newestFirst() ?? [];
  const ordered = isNewestFirst ? newest : [...newest].reverse();
  const isAfter = (id: number) => after === undefined || (isNewestFirst ? id < after : id > after);
  const ids = ordered.flatMap(({ id }) => (isAfter(id) ? [id] : [])).slice(0, limit);
  const found = (await sources?.verifiedSources(ids)) ?? [];
  return await mapInTurns(found, ({ address, verified, record }, at) => {
    const { matches } = JSON.parse(record) as VerifiedContract;
    return { id: ids[at] ?? 0, address, verified, matches };
  });
}
