/** A JSON-RPC error. Messages match geth's, since clients compare them. */
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
  /** Defined by EIP-1474. */
  methodNotSupported: -32_004,
  limitExceeded: -32_005,
  /** Defined by geth, for a call that exceeds a limit. */
  clientLimit: -38_026,
  reverted: 3,
} as const;
