import type { Hash } from "../chain/encoding/bytes.ts";
import { equalBytes } from "../chain/encoding/bytes.ts";
import { fromHex, toHex } from "../chain/encoding/hex.ts";
import { RPC, RpcError } from "../jsonrpc/rpcError.ts";
import { isObject } from "../std/values.ts";
import type { MinedBlock } from "./block/minedBlock.ts";
import type { StoredBlock } from "./block/stored.ts";
import { decodeHeaderRlp, encodeStored } from "./block/stored.ts";
import type { ChainDatabase } from "./database.ts";

/** The state root of a loaded block whose state was not in the dump. */
export const UNKNOWN_STATE: Hash = new Uint8Array(32);

export function isKnownState({ stateRoot }: Pick<MinedBlock, "stateRoot">): boolean {
  return !equalBytes(stateRoot, UNKNOWN_STATE);
}

/** With geth's message for pruned state. */
export function expectKnownState(block: MinedBlock): void {
  if (isKnownState(block)) return;
  const root = toHex(block.header.stateRoot);
  throw new RpcError(RPC.server, `missing trie node ${root.slice(2)} (path ) state ${root} is not available`);
}

/** The meta key of the node's own genesis block while another replaces it. */
const OWN_GENESIS = "own_genesis";

/** Number of leading blocks that the chain already has. */
export function countShared(database: ChainDatabase, blocks: readonly MinedBlock[]): number {
  let [low, high] = [0, blocks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const ours = database.hashOf(middle);
    if (ours !== undefined && equalBytes(ours, blocks[middle]!.header.hash)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Replaces the chain's blocks from the first given one on. Runs in the caller's transaction. */
export function replaceBlocks(database: ChainDatabase, blocks: readonly MinedBlock[]): void {
  const first = blocks[0]?.header.number;
  if (first === undefined) return;
  if (first === 0) keepOwnGenesis(database);
  database.cut(first - 1);
  for (const block of blocks) putBlock(database, encodeStored(block), block);
}

function putBlock(
  database: ChainDatabase,
  stored: StoredBlock,
  block: Pick<MinedBlock, "header" | "transactions">,
): void {
  const { number, hash } = block.header;
  const transactions = block.transactions.map((tx) => tx.hash);
  database.putBlock(number, stored, { hash, transactions, nodes: new Map(), sidecars: new Map() });
}

function keepOwnGenesis(database: ChainDatabase): void {
  const stored = database.block(0);
  if (stored === undefined || database.meta(OWN_GENESIS) !== undefined) return;
  const { header, body } = stored;
  database.setMeta(OWN_GENESIS, JSON.stringify({ header: toHex(header), body: toHex(body) }));
}

/** Puts the node's own genesis block back. Runs in the caller's transaction. */
export function restoreGenesis(database: ChainDatabase): void {
  const kept: unknown = JSON.parse(database.meta(OWN_GENESIS) ?? "null");
  if (!isObject(kept)) return;
  const [rlp, body] = [fromHex(String(kept.header)), fromHex(String(kept.body))];
  const header = decodeHeaderRlp(rlp);
  database.cut(-1);
  putBlock(database, { header: rlp, body, stateRoot: header.stateRoot }, { header, transactions: [] });
  database.deleteMeta(OWN_GENESIS);
}
