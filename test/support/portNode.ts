import type { MessagePort } from "node:worker_threads";
import { MessageChannel } from "node:worker_threads";
import { answerBody } from "../../src/jsonrpc/envelope.ts";
import type { HandleBody } from "../../src/jsonrpc/port.ts";
import { servePort } from "../../src/jsonrpc/port.ts";
import { RpcError } from "../../src/jsonrpc/rpcError.ts";
import type { SimulatedChain } from "./simulatedChain.ts";
import type { NodeView } from "./simulatedMethods.ts";
import { answer, RpcError as Refusal } from "./simulatedMethods.ts";

/** Answers bodies as a node of a simulated chain, with one method that only those may use who are trusted. */
export function handleFor(chain: SimulatedChain, view: Partial<NodeView> = {}): HandleBody {
  return (body, isTrusted) =>
    answerBody(body, async (method, params) => {
      if (method === "evm_mine" && isTrusted) {
        chain.mine(1);
        return chain.head.hash;
      }
      try {
        return answer({ chain, ...view }, { method, params });
      } catch (error) {
        throw error instanceof Refusal ? new RpcError(error.code, error.message) : error;
      }
    });
}

/** Both ends of a port, the first of which a node serves. */
export function openPort(handle: HandleBody): { node: MessagePort; port: MessagePort } {
  const { port1, port2 } = new MessageChannel();
  servePort(port1, handle);
  return { node: port1, port: port2 };
}
