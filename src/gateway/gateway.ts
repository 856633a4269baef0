import type { ChainError } from "../chain/error.ts";
import { asChainError } from "../chain/error.ts";
import type { RpcBackend } from "../jsonrpc/backend.ts";
import { answerBody, JsonText } from "../jsonrpc/envelope.ts";
import { RPC, RpcError } from "../jsonrpc/rpcError.ts";
import { UpstreamError } from "../source/failure.ts";
import { checkBlobFormat } from "./blobFormat.ts";
import type { Caller, MethodSettings } from "./methodTable.ts";
import { placeOf } from "./methodTable.ts";

/** What passes calls on to a node. */
export interface Upstreams {
  /** Answers the result as the node spelled it; throws an `UpstreamError` of what the node refused. */
  pass(method: string, params: readonly unknown[]): Promise<string>;
}

export interface GatewayOptions extends MethodSettings {
  readonly chainId: number;
  readonly upstreams: Upstreams;
  /** Whether blobs with cell proofs (EIP-7594) are passed on as well as those in the original format. */
  readonly acceptsCellProofs: boolean;
  /** Learns of defects that callers are not told of. */
  readonly onTrouble?: (error: unknown) => void;
}

/** Milliseconds for all that is asked at once. */
export const BATCH_TIME = 30_000;

/** Calls of a batch that run at one time. */
export const BATCH_CALLS = 8;

/** JSON-RPC in front of nodes: answers what it can itself, and passes the rest on. */
export class Gateway implements RpcBackend {
  readonly #options: GatewayOptions;

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  handle(body: string, isTrusted: boolean, signal?: AbortSignal): Promise<string | undefined> {
    const deadline = performance.now() + BATCH_TIME;
    const isOver = () => signal?.aborted === true || performance.now() >= deadline;
    const onInternal = (error: unknown) => this.#options.onTrouble?.(error);
    const answer = (method: string, params: unknown[]) => this.#answer(method, params, { isTrusted });
    return answerBody(body, answer, { isOver, onInternal, atOnce: BATCH_CALLS, refusesCostly: true });
  }

  async #answer(method: string, params: readonly unknown[], caller: Caller): Promise<unknown> {
    const place = placeOf(method, caller, this.#options);
    if (place === undefined) throw unknownMethod(method);
    if (place === "gateway") return this.#answerHere(method);
    if (SENDING.has(method)) this.#checkSent(params);
    return this.#pass(method, params);
  }

  #answerHere(method: string): unknown {
    const { chainId } = this.#options;
    if (method === "eth_chainId") return `0x${chainId.toString(16)}`;
    if (method === "net_version") return String(chainId);
    return method === "eth_accounts" ? [] : MODULES;
  }

  #checkSent(params: readonly unknown[]): void {
    if (!this.#options.acceptsCellProofs) checkBlobFormat(params[0]);
  }

  async #pass(method: string, params: readonly unknown[]): Promise<JsonText> {
    try {
      return new JsonText(await this.#options.upstreams.pass(method, params));
    } catch (error) {
      throw asRpcError(asChainError(error));
    }
  }
}

const SENDING: ReadonlySet<string> = new Set(["eth_sendRawTransaction", "eth_sendRawTransactionSync"]);

const MODULES = { eth: "1.0", net: "1.0", rpc: "1.0", web3: "1.0" } as const;

function unknownMethod(method: string): RpcError {
  const isSubscription = method === "eth_subscribe" || method === "eth_unsubscribe";
  const why = isSubscription ? ": there are no subscriptions, poll with eth_newFilter or eth_getLogs" : "";
  return new RpcError(RPC.methodNotFound, `the method ${method.slice(0, 100)} does not exist/is not available${why}`);
}

/** What a node refuses is refused in its own words; that no node could be asked is an error after which clients ask again. */
function asRpcError(error: ChainError): RpcError | ChainError {
  if (error instanceof UpstreamError && error.rpc !== undefined) {
    return new RpcError(error.rpc.code, error.rpc.message, error.rpc.data);
  }
  if (error.code === "limit_exceeded") return new RpcError(RPC.responseTooLarge, "response too large");
  return error.code === "internal" ? error : new RpcError(RPC.internal, "the node cannot be reached or is overloaded");
}
