import { equalBytes } from "../chain/encoding/bytes.ts";
import { quantity, toHex } from "../chain/encoding/hex.ts";
import { WireReader } from "../chain/encoding/wire.ts";
import { asChainError, ChainError } from "../chain/error.ts";
import type { CallOutcome, ContractCall, Head } from "../chain/source.ts";
import { hashAt } from "./blocks.ts";
import type { Client, Question } from "./client.ts";
import type { RpcError } from "./failure.ts";
import { gist, UpstreamError } from "./failure.ts";
import type { Operation } from "./retry.ts";

/**
 * What a call may cost: fifty times what an honest token needs to tell its name, little enough that an endless loop ends
 * within a second, and below every limit that nodes and forks put on one call.
 */
const GAS = quantity(5_000_000);
/** What is longer counts as a failure of the contract. */
export const MAX_RETURNED = 128 << 10;

type At = Pick<Head, "number" | "hash">;

/** Calls contracts at one block, named by its hash (EIP-1898) or, where the node refuses that, by its number. */
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

  /** A number names another block after a reorganisation, so it is looked at before and after. */
  async #expectCanonical({ number, hash }: At, operation: Operation): Promise<void> {
    const [found] = await this.#client.ask([hashAt(number)], operation);
    if (found !== undefined && equalBytes(found, hash)) return;
    throw new ChainError("upstream_unavailable", `the node has another block ${number} than ${toHex(hash)}`);
  }
}

/** A batch that was too large is split and asked again; every other failure is that of one call. */
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

/** Whether the contract failed, whatever the reason it gives. Nodes agree on neither the code nor the words. */
export function isReverted(rpc: RpcError): boolean {
  return REVERT_CODES.has(rpc.code) || REVERTED.some((sign) => sign.test(gist(rpc)));
}

const REFUSAL_CODES = new Set([-32602, -32600]);
const REFUSED = /unmarshal|deserial|invalid (argument|param|type|block)|expected .*(string|hex)/i;

function isRefused(outcome: CallOutcome): boolean {
  if (!(outcome instanceof UpstreamError) || outcome.rpc === undefined) return false;
  return REFUSAL_CODES.has(outcome.rpc.code) || REFUSED.test(gist(outcome.rpc));
}
