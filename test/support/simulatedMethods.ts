import { quantity } from "../../src/chain/encoding/hex.ts";
import type { SimulatedBlock, SimulatedChain } from "./simulatedChain.ts";
import { simulatedState } from "./simulatedState.ts";
import { simulatedTrace } from "./simulatedTraces.ts";
import type { WireBlock, WireReceipt } from "./wireForm.ts";

export interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A node's view of a chain, and its capabilities. */
export interface NodeView {
  readonly chain: SimulatedChain;
  /** How many of the newest blocks it does not have yet. */
  readonly lag?: number;
  readonly safeDepth?: number;
  readonly finalizedDepth?: number;
  readonly finalized?: "unsupported";
  readonly chainId?: number;
  /** Served as block 0 instead of the chain's own. */
  readonly genesis?: SimulatedBlock;
  readonly blockReceipts?: "unsupported" | "byNumberOnly";
}

export class RpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export function headOf(view: NodeView): { latest: number; safe: number; finalized: number } {
  const latest = Math.max(0, view.chain.head.number - (view.lag ?? 0));
  const safe = Math.max(0, latest - (view.safeDepth ?? 8));
  return { latest, safe, finalized: Math.max(0, Math.min(safe, latest - (view.finalizedDepth ?? 16))) };
}

export function answer(view: NodeView, { method, params }: Call): unknown {
  switch (method) {
    case "eth_chainId":
      return quantity(view.chainId ?? view.chain.chainId);
    case "net_version":
      return String(view.chainId ?? view.chain.chainId);
    case "web3_clientVersion":
      return `Simulated/v${view.chain.seed}`;
    case "eth_blockNumber":
      return quantity(headOf(view).latest);
    case "eth_getBlockByNumber":
      return asBlock(blockByNumber(view, params[0]), params[1]);
    case "eth_getBlockByHash":
      return asBlock(blockByHash(view, params[0]), params[1]);
    case "eth_getBlockReceipts":
      return blockReceipts(view, params[0]);
    case "eth_getTransactionByHash":
      return transaction(view, params[0]);
    case "eth_getTransactionReceipt":
      return receipt(view, params[0]);
    case "eth_getBalance":
    case "eth_getCode":
    case "eth_getStorageAt":
      return state(view, { method, params });
    case "debug_traceBlockByHash":
      return traceBlock(view, params);
    case "debug_traceTransaction":
      return traceTransaction(view, params);
    default:
      throw new RpcError(-32601, `the method ${method} does not exist/is not available`);
  }
}

function asBlock(found: SimulatedBlock | undefined, full: unknown): WireBlock | object | null {
  if (found === undefined) return null;
  return full === true ? found.block : { ...found.block, transactions: found.block.transactions.map((tx) => tx.hash) };
}

export function blockByNumber(view: NodeView, id: unknown): SimulatedBlock | undefined {
  const number = numberOf(view, id);
  if (number === 0 && view.genesis !== undefined) return view.genesis;
  return number > headOf(view).latest ? undefined : view.chain.at(number);
}

function numberOf(view: NodeView, id: unknown): number {
  const { latest, safe, finalized } = headOf(view);
  if (id === "latest" || id === "pending") return latest;
  if (id === "earliest") return 0;
  if (id === "safe" || id === "finalized") {
    if (view.finalized === "unsupported") throw new RpcError(-39001, `${id} block not found`);
    return id === "safe" ? safe : finalized;
  }
  if (typeof id === "string" && /^0x(0|[1-9a-f][0-9a-f]*)$/.test(id)) return Number(id);
  throw new RpcError(-32602, "invalid argument 0: expected a block number or tag");
}

export function blockByHash(view: NodeView, hash: unknown): SimulatedBlock | undefined {
  if (!isHash(hash)) throw new RpcError(-32602, "invalid argument 0: expected a hash of 32 bytes");
  if (hash === view.genesis?.hash) return view.genesis;
  const found = view.chain.blockByHash(hash);
  if (found === undefined || found.number > headOf(view).latest) return undefined;
  return found.number === 0 && view.genesis !== undefined ? undefined : found;
}

function blockReceipts(view: NodeView, id: unknown): WireReceipt[] | null {
  if (view.blockReceipts === "unsupported") {
    throw new RpcError(-32601, "the method eth_getBlockReceipts does not exist/is not available");
  }
  if (!isHash(id)) return blockByNumber(view, id)?.receipts ?? null;
  if (view.blockReceipts === "byNumberOnly") throw new RpcError(-32602, "hex number > 64 bits");
  return blockByHash(view, id)?.receipts ?? null;
}

function transaction(view: NodeView, hash: unknown): object | null {
  if (!isHash(hash)) throw new RpcError(-32602, "invalid argument 0: expected a hash of 32 bytes");
  const found = view.chain.transactionByHash(hash);
  return found === undefined || Number(found.blockNumber) > headOf(view).latest ? null : found;
}

function receipt(view: NodeView, hash: unknown): object | null {
  const found = transaction(view, hash) as { blockNumber: unknown; transactionIndex: unknown } | null;
  if (found === null || found.blockNumber === null) return null;
  return view.chain.wireReceipts(Number(found.blockNumber))![Number(found.transactionIndex)]!;
}

const tracerOf = (config: unknown) => (config as { tracer?: unknown } | undefined)?.tracer;

function traceBlock(view: NodeView, [hash, config]: readonly unknown[]): object[] {
  const found = blockByHash(view, hash);
  if (found === undefined) throw new RpcError(-32000, `block ${hash} not found`);
  return found.block.transactions.map((tx, index) => ({
    txHash: tx.hash,
    result: simulatedTrace(found, index, tracerOf(config)),
  }));
}

function traceTransaction(view: NodeView, [hash, config]: readonly unknown[]): object {
  const found = transaction(view, hash) as { blockHash: unknown; transactionIndex: unknown } | null;
  const block = found === null || found.blockHash === null ? undefined : blockByHash(view, found.blockHash);
  if (block === undefined) throw new RpcError(-32000, "transaction not found");
  return simulatedTrace(block, Number(found!.transactionIndex), tracerOf(config));
}

function state(view: NodeView, { method, params }: Call): string {
  const [address, at] = [params[0] as string, params.at(-1)];
  const isObject = typeof at === "object" && at !== null;
  const block = isObject ? blockByHash(view, (at as { blockHash: unknown }).blockHash) : blockByNumber(view, at);
  if (block === undefined) throw new RpcError(-32000, "header not found");
  return simulatedState(view.chain, method, address, block);
}

function isHash(value: unknown): value is string {
  return typeof value === "string" && /^0x[0-9a-fA-F]{64}$/.test(value);
}
