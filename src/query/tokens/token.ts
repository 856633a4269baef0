import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { TokenKind } from "../../chain/token/tokenTransfer.ts";
import type { ReadSession } from "../../store/session.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import { typeOf } from "../../store/stages/tokens/tables/tokenState.ts";
import type { QueryContext } from "../context.ts";
import { readTokenRange } from "../stageRanges.ts";
import { askToken } from "./askToken.ts";

/** Undefined without transfers. A token not observed yet is asked for its metadata now. */
export async function findToken(context: QueryContext, address: Bytes): Promise<KnownToken | undefined> {
  const [range, token] = await context.store.read((session) =>
    Promise.all([readTokenRange(session), readToken(session, address)]),
  );
  return token && (token.seen === undefined ? askToken(context, token, range) : token);
}

interface TokenCounters {
  readonly holders: number;
  readonly transfers: number;
}

export function readTokenCounters({ store }: QueryContext, address: Bytes): Promise<TokenCounters | undefined> {
  return store.read(async (session) => {
    const [token, list] = await Promise.all([
      readToken(session, address),
      session.tokens.transfers.ofTokenAt(address),
      readTokenRange(session),
    ]);
    return token && { holders: token.state.holders, transfers: await list.count() };
  });
}

export async function readToken(session: ReadSession, address: Bytes): Promise<KnownToken | undefined> {
  const id = await session.addresses.id(address);
  return id === undefined ? undefined : (await session.tokens.byId([id])).get(id);
}

/** Resolves a token that emitted transfers of several standards. */
export function kindOf({ state }: KnownToken): TokenKind {
  return typeOf(state);
}

/** Reported supply plus mints and burns since, or the ledger sum if transfers are unreliable. Null if negative. */
export function supplyOf({ state, seen, labels }: KnownToken): bigint | null {
  const reported = seen?.totalSupply ?? null;
  const then = seen?.ledgerSupply ?? state.supply;
  const since = labels.length > 0 ? 0n : state.supply - then;
  const supply = reported === null ? state.supply : reported + since;
  return supply < 0n ? null : supply;
}
