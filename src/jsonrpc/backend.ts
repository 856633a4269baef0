/** What answers JSON-RPC. It throws `upstream_unavailable` while it is not there. */
export interface RpcBackend {
  /**
   * The response to a body, as it is sent; undefined where there is nothing to respond to. The signal says that whoever
   * asked has left.
   */
  handle(body: string, isTrusted: boolean, signal?: AbortSignal): Promise<string | undefined>;
}
