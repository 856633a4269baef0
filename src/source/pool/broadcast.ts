import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import type { ChainError } from "../../chain/error.ts";
import { asChainError } from "../../chain/error.ts";
import { keccak256 } from "../../chain/hashing/keccak.ts";
import { startTimeout } from "../../std/async.ts";
import { isOverload, UpstreamError } from "../failure.ts";

/** Messages for a transaction that the node already has, relayed by another. */
const KNOWN = /already known|known transaction|already (imported|exists)/i;

interface Broadcast<M> {
  readonly members: readonly M[];
  send(member: M): Promise<string>;
  readonly raw: unknown;
  readonly timeout: number;
  isEjected(member: M): boolean;
}

/**
 * Sends a transaction to all nodes; the first acceptance wins. "Already known" counts as acceptance if a node that
 * failed may have relayed it.
 */
export async function broadcast<M>(options: Broadcast<M>): Promise<string> {
  const { members, send, raw, timeout, isEjected } = options;
  const failures: ChainError[] = [];
  const pending = new Set(members);
  const refused = Promise.withResolvers<never>();
  const cancels: (() => void)[] = [];
  const sent = members.map((member) =>
    send(member).catch((error: unknown) => {
      failures.push(asChainError(error));
      pending.delete(member);
      const isWaiting = [...pending].some((other) => !isEjected(other));
      if (isRefusal(error)) cancels.push(startTimeout(isWaiting ? timeout : 0, () => refused.reject(error)));
      throw error;
    }),
  );
  try {
    return await Promise.race([Promise.any(sent), refused.promise]);
  } catch {
    const refusals = failures.filter(isRefusal);
    const isKnown = refusals.some(({ rpc }) => KNOWN.test(rpc?.message ?? ""));
    const hash = isKnown && refusals.length < failures.length ? hashOf(raw) : undefined;
    if (hash !== undefined) return JSON.stringify(hash);
    throw refusals.find((failure) => !KNOWN.test(failure.message)) ?? refusals[0] ?? failures[0]!;
  } finally {
    for (const cancel of cancels) cancel();
  }
}

function isRefusal(error: unknown): error is UpstreamError {
  return error instanceof UpstreamError && error.rpc !== undefined && !isOverload(error.rpc);
}

/** Undefined for blob transactions, whose hash excludes the sidecar. */
function hashOf(raw: unknown): string | undefined {
  if (typeof raw !== "string" || raw.startsWith("0x03")) return undefined;
  return toHex(keccak256(fromHex(raw)));
}
