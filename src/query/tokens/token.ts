import type { Bytes } from "../../chain/encoding/bytes.ts";
import { readTokenRange } from "./tokenStage.ts";
import type { ReadSession } from "../../store/session.ts";
import type { KnownToken } from "../../store/tokens/tokenReads.ts";
import type { Context } from "../context.ts";
import { cacheable } from "../../api/http/responseCache.ts";
import type { Shape } from "../../api/openapi/values.ts";
import { notFound } from "../../api/rest/errors.ts";
import { parseAddress } from "../../api/rest/params.ts";
import { presentToken } from "../../api/rest/tokens/presentToken.ts";
import type { TokenCountersSchema, TokenSchema } from "../../api/rest/tokens/tokenSchema.ts";

/** One token by the address of its contract. */
export async function serveToken({ store }: Context, text: string): Promise<Shape<typeof TokenSchema>> {
  const address = parseAddress(text);
  const token = await store.read(async (session) => {
    await readTokenRange(session);
    return readToken(session, address);
  });
  return cacheable("index", presentToken(token));
}

/** How many hold a token, and how often it changed hands. */
export async function serveTokenCounters({ store }: Context, text: string): Promise<Shape<typeof TokenCountersSchema>> {
  const address = parseAddress(text);
  return store.read(async (session) => {
    await readTokenRange(session);
    const { id, state } = await readToken(session, address);
    const transfers = await session.tokens.transfers.ofToken(id).count();
    return cacheable("index", { token_holders_count: String(state.holders), transfers_count: String(transfers) });
  });
}

/** What has emitted a transfer is a token; all else is not found. */
export async function readToken(session: ReadSession, address: Bytes): Promise<KnownToken> {
  const id = await session.addresses.id(address);
  const token = id === undefined ? undefined : (await session.tokens.byId([id])).get(id);
  if (token === undefined) throw notFound();
  return token;
}
