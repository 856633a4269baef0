export const ERROR_CODES = {
  invalid_argument: "A parameter, flag or setting is malformed, missing or out of range.",
  not_found: "The requested item does not exist on this chain.",
  unsupported: "The request is understood but this deployment does not offer it.",
  limit_exceeded: "The request or the data is larger than a stated limit.",
  stage_behind: "The stage that serves this request is disabled or still catching up.",
  upstream_unavailable: "The node cannot be reached, is overloaded or does not have the data yet. Oriel retries.",
  upstream_rejected: "The node refused the call. Retrying would not help.",
  upstream_invalid: "The node returned data that is malformed or contradicts itself. None of it is stored.",
  wrong_chain: "The node serves another chain than the one this store or setting names.",
  chain_reset: "The node's chain begins with another genesis block than the one indexed.",
  deep_reorg: "The node's chain left the indexed one deeper than can be unwound. Indexing stops, reads go on.",
  store_locked: "Another process is writing to the same data directory.",
  store_newer: "The database was written by a newer version of this program.",
  store_corrupt: "The database file is damaged or is not one of ours.",
  store_full: "The disk is full or the file cannot grow. Indexing pauses, reads continue.",
  store_unavailable: "The database server cannot be reached or has no free connection. Oriel retries.",
  store_changed:
    "The database is not in the state that its writer left it in, as after a failover. The writer reads it again.",
  internal: "A bug in Oriel.",
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

export class ChainError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ChainError";
    this.code = code;
  }
}

export function asChainError(error: unknown): ChainError {
  if (error instanceof ChainError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ChainError("internal", message, { cause: error });
}
