import { setTimeout as delay } from "node:timers/promises";
import { quantity, toHex } from "../chain/encoding/hex.ts";
import { JsonText } from "../jsonrpc/envelope.ts";
import { RPC, RpcError } from "../jsonrpc/rpcError.ts";
import type { BlockId } from "../node/params/blockParams.ts";
import { isObject } from "../std/values.ts";

type Pass = (method: string, params: readonly unknown[]) => Promise<JsonText>;

/** True for EIP-1474's "method not found" and "method not supported". */
export function lacksMethod(error: unknown): boolean {
  return error instanceof RpcError && (error.code === RPC.methodNotFound || error.code === RPC.methodNotSupported);
}

/** The blobs exist but no copy is available; `null` would mean that they do not exist (specification, section 7). */
export function blobsUnavailable(owner: string): RpcError {
  const reason = "neither a node nor the archive has them";
  return new RpcError(RPC.server, `the blobs of ${owner} are not available: ${reason}`);
}

export interface AwaitedBlobs {
  readonly owner: string;
  readonly blockNumber: number;
}

/** Milliseconds to wait for the block to be indexed and its blobs archived. */
export const INDEX_WAIT = 3000;

export const MAX_BLOCKS_BEHIND = 8;

const WAIT_INTERVAL = 50;

/** Polls the archive. */
export async function waitForBlobs<T>(
  { owner, blockNumber }: AwaitedBlobs,
  tip: () => Promise<number | undefined>,
  find: () => Promise<T | undefined>,
): Promise<T> {
  const deadline = performance.now() + INDEX_WAIT;
  if (blockNumber - ((await tip()) ?? -1) <= MAX_BLOCKS_BEHIND) {
    while (performance.now() < deadline) {
      const found = await find();
      if (found !== undefined) return found;
      await delay(WAIT_INTERVAL);
    }
  }
  throw blobsUnavailable(owner);
}

/** Sidecars of a block that is not indexed, for a node without sidecar methods. */
export async function sidecarsOfBlock(id: BlockId, pass: Pass): Promise<JsonText | AwaitedBlobs> {
  if ("tag" in id && id.tag === "pending") return NULL;
  const block =
    "hash" in id
      ? await pass("eth_getBlockByHash", [toHex(id.hash), false])
      : await pass("eth_getBlockByNumber", ["tag" in id ? id.tag : quantity(id.number), false]);
  const found: unknown = JSON.parse(block.text);
  if (!isObject(found)) return NULL;
  if (Number(found.blobGasUsed ?? 0) === 0) return new JsonText("[]");
  const blockNumber = Number(found.number);
  return { owner: `block ${blockNumber}`, blockNumber };
}

/** A pending transaction has no sidecar yet. */
export async function sidecarOfTransaction(hash: Uint8Array, pass: Pass): Promise<JsonText | AwaitedBlobs> {
  const { text } = await pass("eth_getTransactionByHash", [toHex(hash)]);
  const found: unknown = JSON.parse(text);
  if (!isObject(found) || typeof found.blockHash !== "string" || !Array.isArray(found.blobVersionedHashes)) return NULL;
  return { owner: `transaction ${toHex(hash)}`, blockNumber: Number(found.blockNumber) };
}

const NULL = new JsonText("null");
