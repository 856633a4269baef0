import { transactionHash } from "../chain/block/block.ts";
import { locationOf } from "../chain/block/json.ts";
import { isKnownType, writeTransaction } from "../chain/block/transaction.ts";
import type { Bytes } from "../chain/encoding/bytes.ts";
import { equalBytes } from "../chain/encoding/bytes.ts";
import { quantity, toHex } from "../chain/encoding/hex.ts";
import { RlpWriter } from "../chain/encoding/rlp.ts";
import { RpcError } from "../jsonrpc/rpcError.ts";
import type { BlockId } from "../node/params/blockParams.ts";
import { blockNumberParam, requiredBlockId } from "../node/params/blockParams.ts";
import { expectAtMost, hashParam, quantityParam } from "../node/params/params.ts";
import { isObject } from "../std/values.ts";
import type { StoredBlock } from "../store/read/blocks.ts";
import type { StoredTransaction } from "../store/rows/transactionBody.ts";
import type { ReadSession } from "../store/session.ts";
import type { StoreReader } from "../store/storeReader.ts";
import type { GatewayRecord } from "./records.ts";
import { blockRecord, receiptRecord, transactionRecord } from "./records.ts";

/** One record, a list of records, or a value that every node spells alike. */
export type StoredAnswer =
  | { readonly record: GatewayRecord }
  | { readonly records: readonly GatewayRecord[] }
  | { readonly value: unknown };

export interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Undefined if the node has to answer. */
type StoreMethod = (chain: IndexedChain, params: readonly unknown[]) => Promise<StoredAnswer | undefined>;

/** Indexed blocks up to the last common height with the node. */
interface IndexedChain {
  readonly session: ReadSession;
  readonly height: number;
}

/** Larger blocks are forwarded: reading them at once would block the event loop. */
export const MAX_BLOCK_TRANSACTIONS = 500;

type ReadId = (params: readonly unknown[]) => BlockId;

const byHash: ReadId = (params) => ({ hash: hashParam(params, 0) });
const byNumber: ReadId = (params) => blockNumberParam(params, 0);

const METHODS: Readonly<Record<string, StoreMethod>> = {
  eth_getBlockByNumber: getBlock(byNumber),
  eth_getBlockByHash: getBlock(byHash),
  eth_getBlockReceipts: getReceipts,
  eth_getBlockTransactionCountByNumber: ofBlock(byNumber, ({ sums }) => quantity(sums.transactions)),
  eth_getBlockTransactionCountByHash: ofBlock(byHash, ({ sums }) => quantity(sums.transactions)),
  eth_getUncleCountByBlockNumber: ofBlock(byNumber, ({ header }) => quantity(header.uncles.length)),
  eth_getUncleCountByBlockHash: ofBlock(byHash, ({ header }) => quantity(header.uncles.length)),
  eth_getTransactionByHash: async (chain, params) => {
    const found = await findTransaction(chain, onlyHash(params));
    return found && { record: transactionRecord(found, locationOf(found.block.header)) };
  },
  eth_getTransactionReceipt: async (chain, params) => {
    const found = await findTransaction(chain, onlyHash(params));
    return found && { record: receiptRecord(found, locationOf(found.block.header)) };
  },
  eth_getTransactionByBlockNumberAndIndex: getAtIndex(byNumber),
  eth_getTransactionByBlockHashAndIndex: getAtIndex(byHash),
  eth_getRawTransactionByHash: getRaw,
};

export async function readStored(
  store: StoreReader,
  { method, params }: Call,
  height: number,
): Promise<StoredAnswer | undefined> {
  const read = METHODS[method];
  if (read === undefined || params.some(isJsonNumber)) return undefined;
  try {
    return await store.read((session) => read({ session, height }, params));
  } catch (error) {
    // Invalid parameters are left to the node to reject.
    if (error instanceof RpcError) return undefined;
    throw error;
  }
}

/** geth rejects a JSON number as a block; development nodes accept it. */
export function isJsonNumber(param: unknown): boolean {
  return typeof param === "number" || (isObject(param) && typeof param.blockNumber === "number");
}

function onlyHash(params: readonly unknown[]): Bytes {
  expectAtMost(params, 1);
  return hashParam(params, 0);
}

/** Tags are resolved by the node, which may be ahead of the index. */
export async function findBlock({ session, height }: IndexedChain, id: BlockId): Promise<StoredBlock | undefined> {
  if ("tag" in id) return undefined;
  const { blocks } = session;
  const block = await ("number" in id ? blocks.byNumber(id.number) : blocks.byHash(id.hash));
  return block !== undefined && block.header.number <= height ? block : undefined;
}

export async function findTransaction({ session, height }: IndexedChain, hash: Bytes) {
  const found = await session.transactions.wholeByHash(hash);
  return found !== undefined && found.block.header.number <= height ? found : undefined;
}

async function readTransactions(session: ReadSession, block: StoredBlock): Promise<StoredTransaction[] | undefined> {
  const { transactions } = block.sums;
  if (transactions > MAX_BLOCK_TRANSACTIONS) return undefined;
  return session.transactions.inBlock(block.header.number, 0, transactions);
}

function getBlock(readId: ReadId): StoreMethod {
  return async (chain, params) => {
    expectAtMost(params, 2);
    const isFull = params[1];
    // Nodes have different defaults.
    if (typeof isFull !== "boolean") return undefined;
    const block = await findBlock(chain, readId(params));
    const transactions = block && (await readTransactions(chain.session, block));
    return block && transactions && { record: blockRecord(block.header, transactions, isFull) };
  };
}

async function getReceipts(chain: IndexedChain, params: readonly unknown[]): Promise<StoredAnswer | undefined> {
  expectAtMost(params, 1);
  const block = await findBlock(chain, requiredBlockId(params, 0));
  const transactions = block && (await readTransactions(chain.session, block));
  const copies = block && locationOf(block.header);
  return copies && transactions && { records: transactions.map((tx) => receiptRecord(tx, copies, "receipt in block")) };
}

function ofBlock(readId: ReadId, show: (block: StoredBlock) => unknown): StoreMethod {
  return async (chain, params) => {
    expectAtMost(params, 1);
    const block = await findBlock(chain, readId(params));
    return block && { value: show(block) };
  };
}

function getAtIndex(readId: ReadId): StoreMethod {
  return async (chain, params) => {
    expectAtMost(params, 2);
    const index = Number(quantityParam(params, 1));
    const block = await findBlock(chain, readId(params));
    if (block === undefined) return undefined;
    if (index >= block.sums.transactions) return { value: null };
    const [found] = await chain.session.transactions.inBlock(block.header.number, index, index + 1);
    return found && { record: transactionRecord(found, locationOf(block.header)) };
  };
}

/** Raw blob transactions are forwarded: some nodes include the sidecar. */
async function getRaw(chain: IndexedChain, params: readonly unknown[]): Promise<StoredAnswer | undefined> {
  const found = await findTransaction(chain, onlyHash(params));
  if (found === undefined || !isKnownType(found.transaction.type) || found.transaction.type === 3) return undefined;
  if (!equalBytes(transactionHash(found.transaction), found.transaction.hash)) return undefined;
  const writer = new RlpWriter();
  writeTransaction(found.transaction, writer);
  return { value: toHex(writer.written) };
}
