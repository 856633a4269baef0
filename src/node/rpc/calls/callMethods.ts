import { quantity, toHex } from "../../../chain/encoding/hex.ts";
import { JsonText, jsonOf } from "../../../jsonrpc/envelope.ts";
import { RPC, RpcError } from "../../../jsonrpc/rpcError.ts";
import { isPending, minedBlock } from "../../blockIds.ts";
import { readBlockOverrides } from "../../call/blockOverrides.ts";
import { call } from "../../call/call.ts";
import { readCallRequest } from "../../call/callRequest.ts";
import { createAccessList } from "../../call/createAccessList.ts";
import { estimateGas } from "../../call/estimateGas.ts";
import { estimateTogether } from "../../call/estimateTogether.ts";
import type { Overrides } from "../../call/setting.ts";
import { simulate } from "../../call/simulate/simulate.ts";
import { readSimulation } from "../../call/simulate/simulation.ts";
import { readStateOverrides } from "../../call/stateOverrides.ts";
import type { TransactionTrace } from "../../call/trace/traceBlock.ts";
import { traceBlock, traceTransaction } from "../../call/trace/traceBlock.ts";
import { traceCall } from "../../call/trace/traceCall.ts";
import { readTraceConfig } from "../../call/trace/traceConfig.ts";
import type { Context } from "../../context.ts";
import type { BlockId } from "../../params/blockParams.ts";
import { blockIdParam, blockNumberParam } from "../../params/blockParams.ts";
import { expectAtMost, hashParam, isAbsent, required } from "../../params/params.ts";
import type { Methods } from "../methods.ts";

/** Methods that execute without making a block. */
export const callMethods: Methods = {
  eth_call: async (context, params) => {
    expectAtMost(params, 4);
    return call(context, requestParam(params), blockIdParam(params, 1), overridesParam(params));
  },
  eth_estimateGas: async (context, params) => {
    expectAtMost(params, 4);
    const id = estimateBlockParam(context, params);
    const estimate = isPending(id) ? estimateTogether : estimateGas;
    return quantity(await estimate(context, requestParam(params), id, overridesParam(params)));
  },
  eth_createAccessList: async (context, params) => {
    expectAtMost(params, 3);
    return createAccessList(context, requestParam(params), blockIdParam(params, 1), overridesParam(params));
  },
  eth_simulateV1: async (context, params) => {
    expectAtMost(params, 2);
    return simulate(context, readSimulation(required(params, 0), 0), blockIdParam(params, 1));
  },
};

/** Methods that trace. */
export const traceMethods: Methods = {
  debug_traceTransaction: async (context, params) => {
    expectAtMost(params, 2);
    const place = context.chain.transaction(hashParam(params, 0));
    const config = configParam(context, params, 1);
    if (place === undefined) throw new RpcError(RPC.server, "transaction not found");
    return traceTransaction(context.chain, place.block, place.position, config);
  },
  debug_traceBlockByNumber: async (context, params) => {
    expectAtMost(params, 2);
    const id = blockNumberParam(params, 0);
    const config = configParam(context, params, 1);
    const block = isPending(id) ? undefined : minedBlock(context.chain, id);
    if (block === undefined)
      throw new RpcError(RPC.server, `block ${"number" in id ? `#${id.number}` : id.tag} not found`);
    return presentTraces(await traceBlock(context.chain, block, config));
  },
  debug_traceBlockByHash: async (context, params) => {
    expectAtMost(params, 2);
    const hash = hashParam(params, 0);
    const config = configParam(context, params, 1);
    const block = context.chain.blockOf(hash);
    if (block === undefined) throw new RpcError(RPC.server, `block ${toHex(hash)} not found`);
    return presentTraces(await traceBlock(context.chain, block, config));
  },
  debug_traceCall: async (context, params) => {
    expectAtMost(params, 3);
    const config = configParam(context, params, 2);
    const { stateOverrides, blockOverrides } = config.wire;
    const overrides = { state: readStateOverrides(stateOverrides, 2), block: readBlockOverrides(blockOverrides, 2) };
    return traceCall(context, requestParam(params), blockIdParam(params, 1), overrides, config);
  },
};

function presentTraces(traces: readonly TransactionTrace[]): JsonText {
  const texts = traces.map(({ txHash, result }) => `{"txHash":"${txHash}","result":${jsonOf(result)}}`);
  return new JsonText(`[${texts.join()}]`);
}

function requestParam(params: readonly unknown[]) {
  return readCallRequest(required(params, 0), 0);
}

/** Transactions land in the next block after pending ones, so that is the default block for estimates. */
function estimateBlockParam(context: Context, params: readonly unknown[]): BlockId {
  const isNextKnown = context.isAutomine() || context.pool.size > 0;
  return isAbsent(params, 1) && isNextKnown ? { tag: "pending" } : blockIdParam(params, 1);
}

function overridesParam(params: readonly unknown[]): Overrides {
  return { state: readStateOverrides(params[2], 2), block: readBlockOverrides(params[3], 3) };
}

function configParam(context: Context, params: readonly unknown[], argument: number) {
  return readTraceConfig(params[argument], argument, context.chain.rules.chainId);
}
