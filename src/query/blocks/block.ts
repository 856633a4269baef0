import type { Block } from "../../chain/block/block.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { IndexedRange } from "../indexedRange.ts";
import { contains, knownHeight, readIndexedRange } from "../indexedRange.ts";
import type { BlockView, Surroundings } from "../transactions/transactionView.ts";
import { viewBlock } from "../transactions/transactionView.ts";
import type { ReadSession } from "../../store/session.ts";
import type { Context } from "../context.ts";
import { cacheable } from "../../api/http/responseCache.ts";
import { BLOB_UPDATE_FRACTION } from "../../api/settings.ts";
import { notFound } from "../../api/rest/errors.ts";
import { parseBlockId } from "../../api/rest/params.ts";
import { presentBlock } from "../../api/rest/blocks/presentBlock.ts";

export interface FoundBlock {
  readonly view: BlockView;
  readonly around: Surroundings;
}

/** One block by number or hash: from the index, or from the node where the index does not range. */
export async function serveBlock(context: Context, text: string): Promise<object> {
  const id = parseBlockId(text);
  const indexed = await indexedBlock(context, id);
  const { view, around } = indexed ?? (await distantBlock(context, id)) ?? missing();
  const block = presentBlock(view, around, context.settings.blobUpdateFraction ?? BLOB_UPDATE_FRACTION);
  return indexed === undefined ? block : cacheable("index", block);
}

export async function findBlock(context: Context, id: number | Bytes): Promise<FoundBlock | undefined> {
  return (await indexedBlock(context, id)) ?? (await distantBlock(context, id));
}

function missing(): never {
  throw notFound();
}

function indexedBlock(context: Context, id: number | Bytes): Promise<FoundBlock | undefined> {
  return context.store.read((session) => readIndexed(context, session, id));
}

async function readIndexed(
  context: Context,
  session: ReadSession,
  id: number | Bytes,
): Promise<FoundBlock | undefined> {
  const block = typeof id === "number" ? await session.blocks.byNumber(id) : await session.blocks.byHash(id);
  if (block === undefined) return undefined;
  return surround(context, session, await readIndexedRange(session), block);
}

/** What the node has. A height that the index contains by now is the index's to answer, or it was on a lost fork. */
async function distantBlock(context: Context, id: number | Bytes): Promise<FoundBlock | undefined> {
  const block = await askBlock(context, id);
  if (block === undefined) return undefined;
  return context.store.read(async (session) => {
    const range = await readIndexedRange(session);
    return contains(range, block.header.number)
      ? readIndexed(context, session, id)
      : surround(context, session, range, viewBlock(block));
  });
}

/** A block from the node, unless its height is one that the index contains. */
export async function askBlock({ store, readThrough }: Context, id: number | Bytes): Promise<Block | undefined> {
  if (readThrough === undefined) return undefined;
  const isHeld = typeof id === "number" && contains(await store.read((session) => readIndexedRange(session)), id);
  return isHeld ? undefined : readThrough.block(id);
}

async function surround(
  context: Context,
  session: ReadSession,
  range: IndexedRange | undefined,
  view: BlockView,
): Promise<FoundBlock> {
  const kinds = await session.addresses.kinds([view.header.miner]);
  return { view, around: { kinds, height: knownHeight(context, range) } };
}
