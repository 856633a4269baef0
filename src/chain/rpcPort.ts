/** A JSON-RPC body as it came, asked of a node in another thread over a message port. */
export interface PortRequest {
  readonly id: number;
  readonly body: string;
  /** Whether the asker may use the methods that are not for the public: development, `debug_` and `txpool_`. */
  readonly isTrusted: boolean;
}

/** The answer to it; no body where all of it were notifications. */
export interface PortReply {
  readonly id: number;
  readonly body: string | undefined;
}
