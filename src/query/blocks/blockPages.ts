import type { IndexedRange } from "../indexedRange.ts";
import { knownHeight, readIndexedRange } from "../indexedRange.ts";
import { blockList } from "../../store/blocks.ts";
import { mustHave } from "../../store/encoding.ts";
import type { OrdinalList } from "../../store/list.ts";
import { NO_LIST } from "../../store/list.ts";
import { blockOf } from "../../store/position.ts";
import type { ReadSession } from "../../store/session.ts";
import type { Context } from "../context.ts";
import { cacheable } from "../../api/http/responseCache.ts";
import { BLOB_UPDATE_FRACTION } from "../../api/settings.ts";
import type { Envelope } from "../../api/rest/envelope.ts";
import { presentList } from "../../api/rest/envelope.ts";
import { readOrdinalPage } from "../pages.ts";
import { BLOCK_TYPES } from "../../api/rest/parameters.ts";
import type { PageRequest, Query } from "../../api/rest/params.ts";
import { parseAddress, parseChoice, parsePage } from "../../api/rest/params.ts";
import { presentBlock } from "../../api/rest/blocks/presentBlock.ts";

/** The indexed blocks, newest first. Uncles and abandoned blocks are not kept: their lists are empty. */
export function serveBlocks(context: Context, query: Query, pageSize?: number): Promise<Envelope<object>> {
  const request = parsePage(query, pageSize);
  const type = parseChoice(query, "type", BLOCK_TYPES);
  return servePage(context, request, async (_, range) =>
    range === undefined || type !== "block" ? NO_LIST : blockList(range.first, range.tip.number),
  );
}

/** The blocks that name an address as their miner, newest first. */
export function serveValidatedBlocks(context: Context, text: string, query: Query): Promise<Envelope<object>> {
  const address = parseAddress(text);
  return servePage(context, parsePage(query), (session) => session.addresses.mined(address));
}

async function servePage(
  context: Context,
  request: PageRequest,
  find: (session: ReadSession, range: IndexedRange | undefined) => Promise<OrdinalList>,
): Promise<Envelope<object>> {
  const { store, settings } = context;
  const { placed, views, around } = await store.read(async (session) => {
    const range = await readIndexedRange(session);
    const { placed, positions } = await readOrdinalPage(await find(session, range), range, request);
    const numbers = positions.map(blockOf);
    const found = await session.blocks.headers(numbers);
    const views = numbers.map((number) => mustHave(found.get(number), `block ${number}`));
    const kinds = await session.addresses.kinds(views.map(({ header }) => header.miner));
    return { placed, views, around: { kinds, height: knownHeight(context, range) } };
  });
  const blobFraction = settings.blobUpdateFraction ?? BLOB_UPDATE_FRACTION;
  return cacheable(
    "index",
    presentList(
      views.map((view) => presentBlock(view, around, blobFraction)),
      placed,
    ),
  );
}
