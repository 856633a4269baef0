import { quantity, toHex } from "../chain/encoding/hex.ts";
import { JsonText } from "../jsonrpc/envelope.ts";
import { RPC, RpcError } from "../jsonrpc/rpcError.ts";
import type { BlockId } from "../node/params/blockParams.ts";
import { isObject } from "../std/isObject.ts";

/** Asks a node. */
type Pass = (method: string, params: readonly unknown[]) => Promise<JsonText>;

/** Whether a node does not have the method at all (EIP-1474). */
export function lacksMethod(error: unknown): boolean {
  return error instanceof RpcError && (error.code === RPC.methodNotFound || error.code === RPC.methodNotSupported);
}

/** For blobs that exist, and that nobody has: `null` would say that they do not (specification, section 7). */
export function blobsUnavailable(owner: string): RpcError {
  const reason = "neither a node nor the archive has them";
  return new RpcError(RPC.server, `the blobs of ${owner} are not available: ${reason}`);
}

/** The sidecars of a block that is not indexed, by what a node without the methods for them says of the block. */
export async function sidecarsOfBlock(id: BlockId, pass: Pass): Promise<JsonText> {
  if ("tag" in id && id.tag === "pending") return NULL;
  const block =
    "hash" in id
      ? await pass("eth_getBlockByHash", [toHex(id.hash), false])
      : await pass("eth_getBlockByNumber", ["tag" in id ? id.tag : quantity(id.number), false]);
  const found: unknown = JSON.parse(block.text);
  if (!isObject(found)) return NULL;
  if (Number(found.blobGasUsed ?? 0) === 0) return new JsonText("[]");
  throw blobsUnavailable(`block ${Number(found.number)}`);
}

/** The same of a transaction. One that is pending has no sidecar yet. */
export async function sidecarOfTransaction(hash: Uint8Array, pass: Pass): Promise<JsonText> {
  const { text } = await pass("eth_getTransactionByHash", [toHex(hash)]);
  const found: unknown = JSON.parse(text);
  if (!isObject(found) || typeof found.blockHash !== "string" || !Array.isArray(found.blobVersionedHashes)) return NULL;
  throw blobsUnavailable(`transaction ${toHex(hash)}`);
}

const NULL = new JsonText("null");
