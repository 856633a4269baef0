import { ChainError } from "../../chain/error.ts";
import type { RpcBackend } from "../../jsonrpc/backend.ts";
import { textOf } from "../../jsonrpc/responseBody.ts";
import { ActionError } from "./answer.ts";
import type { Parameters } from "./parameters.ts";

/** Maps action parameters to method parameters. */
type Arguments = (parameters: Parameters) => readonly unknown[];

const tag = (parameters: Parameters) => parameters.get("tag") ?? "latest";

const required = (parameters: Parameters, name: string): string => {
  const text = parameters.get(name);
  if (text === undefined) throw new ActionError(`Query parameter '${name}' is required`);
  return text;
};

/** Clients send undefined values as empty strings, and the gas under two names. */
function call(parameters: Parameters): object {
  const names = ["from", "to", "data", "value", "gasPrice", "maxFeePerGas", "maxPriorityFeePerGas", "nonce", "type"];
  const fields = names.map((name) => [name, parameters.get(name)] as const).filter(([, text]) => text !== undefined);
  const gas = parameters.get("gas") ?? parameters.get("gasLimit");
  return Object.fromEntries(gas === undefined ? fields : [...fields, ["gas", gas]]);
}

export const METHODS: Readonly<Record<string, Arguments>> = {
  eth_blockNumber: () => [],
  eth_gasPrice: () => [],
  eth_getBlockByNumber: (p) => [tag(p), p.get("boolean") === "true"],
  eth_getBlockTransactionCountByNumber: (p) => [tag(p)],
  eth_getTransactionByHash: (p) => [required(p, "txhash")],
  eth_getTransactionByBlockNumberAndIndex: (p) => [tag(p), required(p, "index")],
  eth_getUncleByBlockNumberAndIndex: (p) => [tag(p), required(p, "index")],
  eth_getTransactionReceipt: (p) => [required(p, "txhash")],
  eth_getTransactionCount: (p) => [required(p, "address"), tag(p)],
  eth_getCode: (p) => [required(p, "address"), tag(p)],
  eth_getStorageAt: (p) => [required(p, "address"), required(p, "position"), tag(p)],
  eth_call: (p) => [call(p), tag(p)],
  eth_estimateGas: (p) => [call(p)],
  eth_sendRawTransaction: (p) => [required(p, "hex")],
};

/** Calls a JSON-RPC method as an untrusted caller. Returns the JSON-RPC response. */
export const callMethod =
  (method: string, argumentsOf: Arguments) =>
  async (rpc: RpcBackend | undefined, parameters: Parameters): Promise<object> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: argumentsOf(parameters) });
    if (rpc === undefined) throw new ChainError("unsupported", "this network has no JSON-RPC");
    return JSON.parse(textOf((await rpc.handle(body, false)) ?? "{}")) as object;
  };
