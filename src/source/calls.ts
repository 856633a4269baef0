import { equalBytes } from "../chain/encoding/bytes.ts";
import { quantity, toHex } from "../chain/encoding/hex.ts";
import { WireReader } from "../chain/encoding/wire.ts";
import { asChainError, ChainError } from "../chain/error.ts";
import type { CallOutcome, ContractCall, Head } from "../chain/source.ts";
import { hashAt } from "./blocks.ts";
import type { Client, Question } from "./client.ts";
import type { RpcError } from "./failure.ts";
import { shortMessage, UpstreamError } from "./failure.ts";
import type { Operation } from "./retry.ts";

/**
 * Fifty times what an honest token needs for its name. Ends an endless loop within a second, and is below the per-call
 * limits of nodes and forks.
 */
const GAS = quantity(5_000_000);
/** Longer return data counts as a revert. */
export const MAX_RETURNED = 128 << 10;

type At = Pick<Head, "number" | "hash">;

/** Calls contracts at a block, named by hash (EIP-1898) or, if the node rejects that, by number. */
export class ContractCaller {
  readonly #client: Client;
  #knowsNumbersOnly = false;

  constructor(client: Client) {
    this.#client = client;
  }

  async call(calls: readonly ContractCall[], at: At, operation: Operation): Promise<CallOutcome[]> {
    if (calls.length === 0) return [];
    if (!this.#knowsNumbersOnly) {
      const outcomes = await this.#ask(calls, { blockHash: toHex(at.hash) }, operation);
      if (!outcomes.every(isRefused)) return outcomes;
    }
    await this.#expectCanonical(at, operation);
    const outcomes = await this.#ask(calls, quantity(at.number), operation);
    await this.#expectCanonical(at, operation);
    this.#knowsNumbersOnly = !outcomes.every(isRefused);
    return outcomes;
  }

  #ask(calls: readonly ContractCall[], block: unknown, operation: Operation): Promise<CallOutcome[]> {
    const reader = new WireReader();
    const questions = calls.map(
      ({ to, data }): Question<CallOutcome> => ({
        method: "eth_call",
        params: [{ to: toHex(to), data: toHex(data), gas: GAS }, block],
        read: (result) => readReturned(result, reader),
        recover: (error) => (error.rpc !== undefined && isReverted(error.rpc) ? "reverted" : kept(error)),
      }),
    );
    return this.#client.ask(questions, operation);
  }

  /** A number may name another block after a reorg, so it is checked before and after. */
  async #expectCanonical({ number, hash }: At, operation: Operation): Promise<void> {
    const [found] = await this.#client.ask([hashAt(number)], operation);
    if (found !== undefined && equalBytes(found, hash)) return;
    throw new ChainError("upstream_unavailable", `the node has another block ${number} than ${toHex(hash)}`);
  }
}

/** An oversized batch is split and retried; any other failure belongs to one call. */
function kept(error: UpstreamError): ChainError {
  if (error.shrink !== undefined) throw error;
  return error;
}

function readReturned(result: unknown, reader: WireReader): CallOutcome {
  if (typeof result === "string" && result.length > 2 + 2 * MAX_RETURNED) return "reverted";
  try {
    return reader.bytes(result, "eth_call");
  } catch (error) {
    return asChainError(error);
  }
}

const REVERT_CODES = new Set([3, -32015]);
const REVERTED = [
  /\brevert(ed)?\b|vm (execution|exception)|out of ?gas|gas exhausted|gas required exceeds/i,
  /(invalid|bad|undefined|unknown) ?(opcode|instruction|jump)|stack (under|over)flow|stack limit|write protection/i,
];

/** Nodes agree on neither the code nor the message of a revert. */
export function isReverted(rpc: RpcError): boolean {
  return REVERT_CODES.has(rpc.code) || REVERTED.some((sign) => sign.test(shortMessage(rpc)));
}

const REFUSAL_CODES = new Set([-32602, -32600]);
const REFUSED = /unmarshal|deserial|invalid (argument|param|type|block)|expected .*(string|hex)/i;

function isRefused(outcome: CallOutcome): boolean {
  if (!(outcome instanceof UpstreamError) || outcome.rpc === undefined) return false;
  return REFUSAL_CODES.has(outcome.rpc.code) || REFUSED.test(shortMessage(outcome.rpc));
}
