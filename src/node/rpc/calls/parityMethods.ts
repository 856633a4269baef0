import type { Wire } from "../../../chain/encoding/wire.ts";
import { isPending, minedBlock } from "../../blockIds.ts";
import { readBlockOverrides } from "../../call/blockOverrides.ts";
import { readCallRequest } from "../../call/callRequest.ts";
import { readStateOverrides } from "../../call/stateOverrides.ts";
import { PARITY_CONFIG, tracesOfBlock, tracesOfTransaction, withoutPlace } from "../../call/trace/parityTraces.ts";
import { traceCall } from "../../call/trace/traceCall.ts";
import { filterTraces, readTraceQuery } from "../../call/trace/traceFilter.ts";
import { blockIdParam, requiredBlockId } from "../../params/blockParams.ts";
import { expectAtMost, hashParam, invalidArgument, readArray, required } from "../../params/params.ts";
import type { Methods } from "../methods.ts";

/** Parity's and Erigon's methods, null for what does not exist. */
export const parityMethods: Methods = {
  trace_transaction: ({ chain }, params) => {
    expectAtMost(params, 1);
    const place = chain.transaction(hashParam(params, 0));
    return place === undefined ? null : tracesOfTransaction(chain, place.block, place.position);
  },
  trace_block: ({ chain }, params) => {
    expectAtMost(params, 1);
    const id = requiredBlockId(params, 0);
    const block = isPending(id) ? undefined : minedBlock(chain, id);
    return block === undefined ? null : tracesOfBlock(chain, block);
  },
  trace_filter: ({ chain, logRanges }, params) => {
    expectAtMost(params, 1);
    return filterTraces(chain, readTraceQuery(required(params, 0)), logRanges);
  },
  trace_call: async (context, params) => {
    expectAtMost(params, 3);
    const request = readCallRequest(required(params, 0), 0);
    const kinds = readArray(required(params, 1), { argument: 1 }, "[]string");
    if (kinds.some((kind) => kind !== "trace")) throw invalidArgument(1, "only the type trace is supported");
    const none = { state: readStateOverrides(undefined, 3), block: readBlockOverrides(undefined, 4) };
    const flat = (await traceCall(context, request, blockIdParam(params, 2), none, PARITY_CONFIG)) as readonly Wire[];
    const trace = flat.map(withoutPlace);
    const { output = "0x", code = "0x" } = trace[0]?.result ?? {};
    const isCreation = trace[0]?.type === "create";
    return { output: isCreation ? code : output, stateDiff: null, trace: kinds.length > 0 ? trace : [], vmTrace: null };
  },
};
