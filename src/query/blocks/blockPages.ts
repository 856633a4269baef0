import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { AddressInfos } from "../../store/read/addressInfos.ts";
import { blockList } from "../../store/read/blocks.ts";
import { mustHave } from "../../store/rows/encoding.ts";
import { blockOf } from "../../store/rows/position.ts";
import type { ReadSession } from "../../store/session.ts";
import type { OrdinalList } from "../../store/tables/list.ts";
import { NO_LIST } from "../../store/tables/list.ts";
import type { QueryContext } from "../context.ts";
import type { IndexedRange } from "../indexedRange.ts";
import { knownHeight, readIndexedRange } from "../indexedRange.ts";
import type { PageInfo, PageRequest } from "../pages.ts";
import { readListPage } from "../pages.ts";
import type { BlockView } from "./block.ts";
import { viewBlock } from "./block.ts";

export interface BlockPage {
  readonly blocks: readonly BlockView[];
  readonly addresses: AddressInfos;
  readonly info: PageInfo;
}

/** Uncles and abandoned blocks are not stored: their lists are empty. */
type BlockType = "block" | "uncle" | "reorg";

export function listBlocks(context: QueryContext, type: BlockType, request: PageRequest): Promise<BlockPage> {
  return readPage(context, request, async (_, indexed) => {
    const range = await indexed;
    return range === undefined || type !== "block" ? NO_LIST : blockList(range.first, range.tip.number);
  });
}

export function listMinedBlocks(context: QueryContext, miner: Bytes, request: PageRequest): Promise<BlockPage> {
  return readPage(context, request, (session) => session.addresses.mined(miner));
}

function readPage(
  context: QueryContext,
  request: PageRequest,
  find: (session: ReadSession, range: Promise<IndexedRange | undefined>) => Promise<OrdinalList>,
): Promise<BlockPage> {
  return context.store.read(async (session) => {
    const indexed = readIndexedRange(session);
    const [list, range] = await Promise.all([find(session, indexed), indexed]);
    const { info, positions } = await readListPage(list, range, request);
    const numbers = positions.map(blockOf);
    const [found, internal] = await Promise.all([session.blocks.headers(numbers), session.traces.countsOf(numbers)]);
    const height = knownHeight(context, range);
    const blocks = numbers.map((number) =>
      viewBlock(context, height, mustHave(found.get(number), `block ${number}`), internal),
    );
    const addresses = await session.addresses.infos(blocks.map(({ header }) => header.miner));
    return { blocks, addresses, info };
  });
}
