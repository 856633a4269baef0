import type { ResponseBody } from "./responseBody.ts";

/** How a node behind a gateway does. */
export interface UpstreamStatus {
  /** Scheme, host and port. */
  readonly name: string;
  readonly state: "ok" | "behind" | "on another branch" | "invalid data" | "failing" | "not asked yet";
  /** Why it is not `ok`, where there is more to say. */
  readonly reason: string | null;
  readonly head: number | null;
  readonly lag: number | null;
  readonly latencyMs: number | null;
  readonly requests: number;
  readonly failures: number;
}

/** Calls of one kind so far. */
export interface CallCount {
  readonly method: string;
  readonly place: string;
  readonly outcome: "answered" | "refused";
  readonly count: number;
}

/** What answers JSON-RPC. It throws `upstream_unavailable` while it is not there. */
export interface RpcBackend {
  /**
   * The response to a body, as it is sent; undefined where there is nothing to respond to. The signal says that whoever
   * asked has left. Hardhat expects an error for a transaction that fails as it is mined.
   */
  handle(
    body: string,
    isTrusted: boolean,
    signal?: AbortSignal,
    isHardhat?: boolean,
  ): Promise<ResponseBody | undefined>;
  /** Of a gateway: how its nodes do, and what it was asked. */
  readonly status?: () => { readonly upstreams: readonly UpstreamStatus[]; readonly calls: readonly CallCount[] };
}
