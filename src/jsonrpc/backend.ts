import type { ResponseBody } from "./responseBody.ts";

export interface UpstreamStatus {
  readonly name: string;
  readonly state: "ok" | "behind" | "on another branch" | "invalid data" | "failing" | "not asked yet";
  /** Null if the state is `ok` or needs no explanation. */
  readonly reason: string | null;
  readonly head: number | null;
  readonly lag: number | null;
  readonly latencyMs: number | null;
  readonly requests: number;
  readonly failures: number;
}

export interface CallCount {
  readonly method: string;
  readonly place: string;
  readonly outcome: "answered" | "refused";
  readonly count: number;
}

/** Answers JSON-RPC requests. Throws `upstream_unavailable` while the backend is down. */
export interface RpcBackend {
  /**
   * Returns undefined if no response is due. The signal aborts when the client disconnects. Hardhat expects an error
   * for a transaction that fails when mined.
   */
  handle(
    body: string,
    isTrusted: boolean,
    signal?: AbortSignal,
    isHardhat?: boolean,
  ): Promise<ResponseBody | undefined>;
  readonly status?: () => { readonly upstreams: readonly UpstreamStatus[]; readonly calls: readonly CallCount[] };
}
