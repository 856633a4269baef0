import type { RpcBackend } from "../../jsonrpc/backend.ts";
import type { QueryContext } from "../../query/context.ts";
import type { Verifier } from "../../verify/verifier.ts";
import type { Answer } from "./answer.ts";
import type { Parameters } from "./parameters.ts";

/** What actions answer from. */
export interface ActionContext extends QueryContext {
  /** Undefined where the network has no JSON-RPC. */
  readonly rpc: RpcBackend | undefined;
  /** Undefined where no sources are verified. */
  readonly verifier: Verifier | undefined;
}

/** Who asks, and how. */
export interface ActionRequest {
  /** The address of who asks. */
  readonly client: string;
  readonly isPost: boolean;
  /** Whether Etherscan's own path was asked, where its clients expect its forms. */
  readonly isEtherscan: boolean;
  /** Charges an action that costs more than others: so much in all. */
  charge(cost: number): void;
}

/** Answers the envelope; those of the module `proxy` what JSON-RPC does. */
export type Action = (
  context: ActionContext,
  parameters: Parameters,
  request: ActionRequest,
) => Promise<Answer | object>;
