/** What a JSON-RPC method answers instead of a result. The words are those of geth, which clients match on. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export const RPC = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  server: -32_000,
  timeout: -32_002,
  responseTooLarge: -32_003,
  /** EIP-1474's own. */
  methodNotSupported: -32_004,
  limitExceeded: -32_005,
  /** geth's own, for one call that asks for too much. */
  clientLimit: -38_026,
  reverted: 3,
} as const;
