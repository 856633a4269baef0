import type { Random } from "./random.ts";
import { SimulatedChain } from "./simulatedChain.ts";
import type { Call, NodeView } from "./simulatedMethods.ts";
import type { WireBlock, WireObject, WireReceipt } from "./wireForm.ts";

export type TransportFault =
  | "tooManyRequests" // 429 with Retry-After
  | "unavailable" // 503
  | "html" // an HTML page with 200
  | "tooManyRequestsHtml" // "429 Too Many Requests" in an HTML page with 200
  | "itemErrors" // a JSON-RPC error -32005 for some items, at least one
  | "batchError" // one error object for the whole batch
  | "reordered"
  | "short" // items missing from the batch; a single answer becomes an empty batch
  | "duplicatedIds"
  | "wrongIds"
  | "truncated" // a complete HTTP answer whose JSON is cut
  | "reset" // the connection breaks in the middle of the body
  | "hang" // no answer at all
  | "drip" // a byte now and then
  | "huge" // spaces before the JSON
  | "delay";

export type DataFault =
  | "nullBlock"
  | "emptyTransactions"
  | "nullReceipts"
  | "emptyReceipts"
  | "otherBlockReceipts"
  | "duplicatedLog"
  | "missingLog"
  | "wrongLogIndex"
  | "removedLog"
  | "zeroBloom";

export interface FaultSettings {
  /** The chance that a request is a faulty one; 1 unless given. All below holds for faulty requests only. */
  readonly probability?: number;
  /** After so many faulty requests all is well again. */
  readonly requests?: number;
  /** Only requests that call one of these methods can be faulty. */
  readonly methods?: readonly string[];
  /** One of these is chosen for each faulty request. */
  readonly transport?: readonly TransportFault[];
  /** One of these is chosen for each answer of a faulty request. */
  readonly data?: readonly DataFault[];
  /** The last word on a result: may lie in any field. It gets a copy it may change. */
  readonly respond?: (call: Call, result: unknown) => unknown;
  /** The head is reported so many blocks lower and the blocks above it are absent. */
  readonly staleBy?: number;
  readonly finalized?: "unsupported" | "movesBack";
  readonly chainId?: number;
  readonly otherGenesis?: boolean;
  /** Another chain altogether, as when a load balancer has two nodes on different forks. */
  readonly otherChain?: SimulatedChain;
  readonly blockReceipts?: "unsupported" | "byNumberOnly";
  readonly retryAfterSeconds?: number;
  /** For `delay`, and between the bytes of `drip`. */
  readonly delayMs?: number;
  readonly hugeBytes?: number;
}

/** The switch for all that can go wrong; `set` replaces what was set before. */
export class Faults {
  #settings: FaultSettings = {};
  #left = 0;
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  set(settings: FaultSettings): void {
    this.#settings = settings;
    this.#left = settings.requests ?? Number.POSITIVE_INFINITY;
  }

  clear(): void {
    this.set({});
  }

  /** Settings that apply to a request with these calls. */
  next(calls: readonly Call[]): FaultSettings {
    const { methods, probability = 1 } = this.#settings;
    const isMeant = methods === undefined || calls.some((call) => methods.includes(call.method));
    if (this.#left <= 0 || !isMeant || !this.#random.chance(probability)) return {};
    this.#left--;
    return this.#settings;
  }
}

export function faultyView(view: NodeView, faults: FaultSettings, random: Random): NodeView {
  const chain = faults.otherChain ?? view.chain;
  const back = faults.finalized === "movesBack" ? random.int(24) : 0;
  return {
    ...view,
    chain,
    lag: (view.lag ?? 0) + (faults.staleBy ?? 0),
    finalizedDepth: (view.finalizedDepth ?? 16) + back,
    ...(faults.finalized === "unsupported" && { finalized: "unsupported" }),
    ...(faults.chainId !== undefined && { chainId: faults.chainId }),
    ...(faults.otherGenesis && { genesis: new SimulatedChain({ seed: chain.seed + 1_000_003 }).head }),
    ...(faults.blockReceipts && { blockReceipts: faults.blockReceipts }),
  };
}

/** Spoils a copy of a result, where the fault has anything to do with it. */
export function corrupt(fault: DataFault, call: Call, result: unknown, view: NodeView, random: Random): unknown {
  if (result === null) return result;
  const copy = structuredClone(result);
  if (call.method.startsWith("eth_getBlockBy")) return corruptBlock(fault, copy as WireBlock);
  if (call.method === "eth_getTransactionReceipt") {
    return fault === "nullReceipts" ? null : corruptLogs(fault, [copy as WireReceipt], random)[0];
  }
  if (call.method !== "eth_getBlockReceipts") return result;
  if (fault === "nullReceipts") return null;
  if (fault === "emptyReceipts") return [];
  if (fault === "otherBlockReceipts") return otherReceipts(copy as WireReceipt[], view.chain);
  return corruptLogs(fault, copy as WireReceipt[], random);
}

function corruptBlock(fault: DataFault, block: WireBlock): WireBlock | null {
  if (fault === "nullBlock") return null;
  if (fault === "emptyTransactions") block.transactions = [];
  if (fault === "zeroBloom") block.logsBloom = ZERO_BLOOM;
  return block;
}

const ZERO_BLOOM = `0x${"0".repeat(512)}`;

/** The receipts of the nearest other block that has as many, or else of the parent. */
function otherReceipts(receipts: WireReceipt[], chain: SimulatedChain): WireReceipt[] {
  const number = Number(receipts[0]?.blockNumber ?? chain.head.number);
  for (let distance = 1; distance < 50; distance++) {
    for (const other of [chain.at(number + distance), chain.at(number - distance)]) {
      if (other !== undefined && other.receipts.length === receipts.length) return other.receipts;
    }
  }
  return chain.wireReceipts(Math.max(0, number - 1))!;
}

function corruptLogs(fault: DataFault, receipts: WireReceipt[], random: Random): WireReceipt[] {
  if (fault === "zeroBloom") for (const receipt of receipts) receipt.logsBloom = ZERO_BLOOM;
  const withLogs = receipts.filter((receipt) => receipt.logs.length > 0);
  if (withLogs.length === 0) return receipts;
  const { logs } = random.pick(withLogs);
  const at = random.int(logs.length);
  const log: WireObject = logs[at]!;
  if (fault === "duplicatedLog") logs.splice(at, 0, structuredClone(log));
  if (fault === "missingLog") logs.splice(at, 1);
  if (fault === "wrongLogIndex") log.logIndex = `0x${(Number(log.logIndex) + 1 + random.int(9)).toString(16)}`;
  if (fault === "removedLog") log.removed = true;
  return receipts;
}
