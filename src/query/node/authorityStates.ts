import { proxyOf } from "../../chain/contract/proxy.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { readNumber, readObject, WireReader } from "../../chain/encoding/wire.ts";
import { ChainError } from "../../chain/error.ts";
import type { Head } from "../../chain/source.ts";
import { LruCache } from "../../std/maps.ts";
import type { ReadThrough, StateQuestion } from "./readThrough.ts";

/** State of an account that signs a delegation (EIP-7702). */
export interface AuthorityState {
  readonly nonce: bigint;
  /** Whether it has no code of its own. */
  readonly canDelegate: boolean;
  readonly delegates: boolean;
}

const MAX_KEPT = 100;

export class AuthorityStates {
  readonly #readThrough: ReadThrough;
  readonly #kept = new LruCache<string, ReadonlyMap<Hex, AuthorityState>>(MAX_KEPT);

  constructor(readThrough: ReadThrough) {
    this.#readThrough = readThrough;
  }

  /** Accounts touched by a transaction, before it. Nodes may omit authorities and empty accounts. */
  async before(transaction: Bytes, block: Bytes): Promise<ReadonlyMap<Hex, AuthorityState>> {
    const key = `${toHex(transaction)} ${toHex(block)}`;
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const config = { disableStorage: true, includeEmpty: true };
    const trace = readObject(await this.#readThrough.traceWith(transaction, "prestateTracer", config), "trace");
    const states = new Map(
      Object.entries(trace).map(([address, account]) => [address.toLowerCase() as Hex, readTraced(account)]),
    );
    this.#kept.set(key, states);
    return states;
  }

  /** Undefined if the node does not answer. */
  async after(
    addresses: readonly Bytes[],
    at: Pick<Head, "number" | "hash">,
  ): Promise<ReadonlyMap<Hex, AuthorityState> | undefined> {
    const questions = addresses.map(toHex).flatMap((address): StateQuestion[] => [
      { method: "eth_getTransactionCount", params: [address] },
      { method: "eth_getCode", params: [address] },
    ]);
    try {
      const answers = await this.#readThrough.state(questions, at);
      return new Map(addresses.map((address, i) => [toHex(address), readState(answers[2 * i], answers[2 * i + 1])]));
    } catch (error) {
      if (error instanceof ChainError) return undefined;
      throw error;
    }
  }
}

/** Zero and empty values are omitted by the node. */
function readTraced(account: unknown): AuthorityState {
  const { nonce, code } = readObject(account, "trace.account");
  return readState(nonce ?? 0, code ?? "0x");
}

function readState(nonce: unknown, code: unknown): AuthorityState {
  const bytes = code === "0x" ? EMPTY : new WireReader().code(code);
  const delegates = bytes.length > 0 && proxyOf(bytes, new Map())?.type === "eip7702";
  return { nonce: BigInt(readNumber(nonce, "nonce")), canDelegate: delegates || bytes.length === 0, delegates };
}
