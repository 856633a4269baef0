import type { Block } from "../../chain/block/block.ts";
import type { BlockSums } from "../../chain/block/fees.ts";
import { sumBlock } from "../../chain/block/fees.ts";
import type { Header } from "../../chain/block/header.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import type { AddressInfos } from "../../store/read/addressInfos.ts";
import type { ReadSession } from "../../store/session.ts";
import type { CacheScope } from "../cacheScope.ts";
import type { QueryContext } from "../context.ts";
import type { IndexedRange, KnownHeight } from "../indexedRange.ts";
import { confirmationsOf, contains, knownHeight, readIndexedRange } from "../indexedRange.ts";
import { blobGasPrice } from "./blobGasPrice.ts";

export interface SummedBlock {
  readonly header: Header;
  readonly sums: BlockSums;
}

/** A block from the index or the node, with derived values. */
export interface BlockView extends SummedBlock {
  readonly confirmations: number;
  /** Applies to the next blob if the block has none. */
  readonly blobGasPrice: bigint | null;
  /** Block subsidy plus fees not burnt; null for genesis. */
  readonly reward: bigint | null;
  readonly internal: number | null;
}

interface FoundBlock {
  readonly block: BlockView;
  readonly addresses: AddressInfos;
  readonly scope: CacheScope | undefined;
}

/** From the index, or from the node where the index does not reach. */
export async function findBlock(context: QueryContext, id: number | Bytes): Promise<FoundBlock | undefined> {
  const indexed = await context.store.read((session) => findIndexed(context, session, id));
  return indexed ?? findAtNode(context, id);
}

async function findIndexed(
  context: QueryContext,
  session: ReadSession,
  id: number | Bytes,
): Promise<FoundBlock | undefined> {
  const [block, range, internal] = await Promise.all([
    readBlock(session, id),
    readIndexedRange(session),
    typeof id === "number" ? session.traces.countsOf([id]) : undefined,
  ]);
  if (block === undefined || !contains(range, block.header.number)) return undefined;
  return describe(context, session, { range, block, internal, scope: "index" });
}

export function readBlock({ blocks }: ReadSession, id: number | Bytes): Promise<SummedBlock | undefined> {
  return typeof id === "number" ? blocks.byNumber(id) : blocks.byHash(id);
}

/** An indexed height is the index's to answer: otherwise the node's block is on a lost fork. */
async function findAtNode(context: QueryContext, id: number | Bytes): Promise<FoundBlock | undefined> {
  const block = await askForBlock(context, id);
  if (block === undefined) return undefined;
  return context.store.read(async (session) => {
    const range = await readIndexedRange(session);
    const found = contains(range, block.header.number)
      ? await findIndexed(context, session, id)
      : await describe(context, session, { range, block: { header: block.header, sums: sumBlock(block) } });
    return found && { ...found, scope: undefined };
  });
}

export async function askForBlock({ store, node }: QueryContext, id: number | Bytes): Promise<Block | undefined> {
  if (node === undefined) return undefined;
  const range = await store.read(readIndexedRange);
  if (typeof id === "number") return contains(range, id) ? undefined : node.readThrough.block(id);
  const block = await node.readThrough.block(id);
  if (block === undefined || range?.fork === undefined) return block;
  // Nodes also return non-canonical blocks by hash.
  const canonical = await node.readThrough.block(block.header.number);
  return canonical && equalBytes(canonical.header.hash, block.header.hash) ? canonical : undefined;
}

interface ReadBlock {
  readonly range: IndexedRange | undefined;
  readonly block: SummedBlock;
  /** Unless they are still to be read. */
  readonly internal?: ReadonlyMap<number, number> | undefined;
  readonly scope?: CacheScope;
}

async function describe(
  context: QueryContext,
  session: ReadSession,
  { range, block, internal: counted, scope }: ReadBlock,
): Promise<FoundBlock> {
  const { number } = block.header;
  const [addresses, internal] = await Promise.all([
    session.addresses.infos([block.header.miner]),
    contains(range, number) ? (counted ?? session.traces.countsOf([number])) : NOT_TRACED,
  ]);
  const { newest, canonical } = knownHeight(context, range);
  const height = { newest, canonical: scope === undefined ? number : canonical };
  return { block: viewBlock(context, height, block, internal), addresses, scope };
}

const NOT_TRACED: ReadonlyMap<number, number> = new Map();

export function viewBlock(
  { blobUpdateFraction, blockReward }: Pick<QueryContext, "blobUpdateFraction" | "blockReward">,
  height: KnownHeight,
  { header, sums }: SummedBlock,
  internal: ReadonlyMap<number, number>,
): BlockView {
  return {
    header,
    sums,
    confirmations: confirmationsOf(height, header.number),
    blobGasPrice: blobPriceOf({ header, sums }, blobUpdateFraction),
    reward: rewardOf({ header, sums }, blockReward),
    internal: internal.get(header.number) ?? null,
  };
}

function blobPriceOf({ header, sums }: SummedBlock, updateFraction: number): bigint | null {
  const { excessBlobGas, blobGasUsed = 0 } = header;
  if (blobGasUsed > 0 && sums.blobFees > 0n) return sums.blobFees / BigInt(blobGasUsed);
  return excessBlobGas === undefined ? null : blobGasPrice(excessBlobGas, updateFraction);
}

/** Subsidy plus tips; before EIP-1559 all fees. Null for genesis. */
export function rewardOf(block: SummedBlock, subsidy: bigint): bigint | null {
  if (block.header.number === 0) return null;
  return subsidy + (feesOf(block).priority ?? block.sums.fees);
}

/** Base fee and blob fee are burnt, the rest goes to the miner. */
export function feesOf({ header, sums }: SummedBlock): {
  readonly burnt: bigint | null;
  readonly priority: bigint | null;
} {
  const { baseFeePerGas, gasUsed } = header;
  if (baseFeePerGas === undefined) return { burnt: null, priority: null };
  const burnt = uintToBigInt(baseFeePerGas) * BigInt(gasUsed);
  const priority = sums.fees - burnt - sums.blobFees;
  return { burnt, priority: priority < 0n ? 0n : priority };
}
