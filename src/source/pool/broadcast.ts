import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import type { ChainError } from "../../chain/error.ts";
import { asChainError } from "../../chain/error.ts";
import { keccak256 } from "../../chain/hashing/keccak.ts";
import { isOverload, UpstreamError } from "../failure.ts";

/** What a node says of a transaction that it has, from us by way of another node. */
const KNOWN = /already known|known transaction|already (imported|exists)/i;

export interface Broadcast<M> {
  readonly members: readonly M[];
  send(member: M): Promise<string>;
  /** What is sent. */
  readonly raw: unknown;
  /** Milliseconds that others are waited for once one has refused it. */
  readonly patience: number;
  /** Whether it does not answer at present: then it is sent the transaction, and not waited for. */
  isEjected(member: M): boolean;
}

/**
 * Sends a transaction to all; the first that accepts it answers. Where one of them may have taken it before it failed, another
 * that has it already has it from that one: then it was accepted too.
 */
export async function broadcast<M>(options: Broadcast<M>): Promise<string> {
  const { members, send, raw, patience, isEjected } = options;
  const failures: ChainError[] = [];
  const pending = new Set(members);
  const refused = Promise.withResolvers<never>();
  const timers: NodeJS.Timeout[] = [];
  const sent = members.map((member) =>
    send(member).catch((error: unknown) => {
      failures.push(asChainError(error));
      pending.delete(member);
      const isWaiting = [...pending].some((other) => !isEjected(other));
      if (isRefusal(error)) timers.push(setTimeout(refused.reject, isWaiting ? patience : 0, error));
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
    for (const timer of timers) clearTimeout(timer);
  }
}

/** Whether a node said no, and not that it has too much to do. */
function isRefusal(error: unknown): error is UpstreamError {
  return error instanceof UpstreamError && error.rpc !== undefined && !isOverload(error.rpc);
}

/** The hash of a transaction as it was sent; one with blobs is hashed without them, which is not done here. */
function hashOf(raw: unknown): string | undefined {
  if (typeof raw !== "string" || raw.startsWith("0x03")) return undefined;
  return toHex(keccak256(fromHex(raw)));
}
