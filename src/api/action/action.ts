import type { RpcBackend } from "../../jsonrpc/backend.ts";
import type { QueryContext } from "../../query/context.ts";
import type { Verifier } from "../../verify/verifier.ts";
import type { Allowance } from "../http/rateLimit.ts";
import type { Answer } from "./answer.ts";
import type { Parameters } from "./parameters.ts";

export interface ActionContext extends QueryContext {
  /** Undefined if the network has no JSON-RPC. */
  readonly rpc: RpcBackend | undefined;
  /** Undefined if verification is disabled. */
  readonly verifier: Verifier | undefined;
}

export interface ActionRequest {
  /** Client address for the rate limit. */
  readonly client: string;
  readonly isPost: boolean;
  /** Whether the request came by Etherscan's path, whose clients expect its formats. */
  readonly isEtherscan: boolean;
  /** Charges the total cost of an expensive action. */
  charge(cost: number): void;
  /** Remaining budget of the client; undefined without a limit. */
  allowance(): Allowance | undefined;
}

export type Action = (
  context: ActionContext,
  parameters: Parameters,
  request: ActionRequest,
) => Promise<Answer | object>;
