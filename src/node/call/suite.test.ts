import assert from "node:assert/strict";
import { test } from "node:test";
import { casesOf, openRecordedChain, SUITE } from "../../../test/support/recordedChain.ts";
import { quantity, toHex } from "../../chain/encoding/hex.ts";
import type { RpcError } from "../../jsonrpc/rpcError.ts";
import type { Context } from "../context.ts";
import { callMethods, traceMethods } from "../rpc/calls/callMethods.ts";

const METHODS = { ...callMethods, ...traceMethods };

const PUBLIC = [
  "eth_call",
  "eth_estimateGas",
  "eth_createAccessList",
  "eth_simulateV1",
  "debug_traceTransaction",
  "debug_traceBlockByNumber",
  "debug_traceBlockByHash",
];

test("the cases of the public suite are answered to the letter", { skip: !SUITE }, async (t) => {
  const context = { chain: await openRecordedChain(SUITE!) } as Context;

  for (const method of PUBLIC) {
    for (const { name, exchanges } of casesOf(SUITE!, method)) {
      await t.test(`${method} ${name}`, async () => {
        for (const { request, response } of exchanges) {
          const answer = await ask(context, request.method, request.params);
          assert.deepEqual(answer, "error" in response ? failure(response.error!) : { result: response.result });
        }
      });
    }
  }
});

async function ask(context: Context, method: string, params: readonly unknown[]): Promise<unknown> {
  try {
    return { result: JSON.parse(JSON.stringify(await METHODS[method]!(context, params))) };
  } catch (error) {
    return failure(error as RpcError);
  }
}

function failure({ code, data }: { readonly code: number; readonly data?: unknown }): unknown {
  return { error: { code, ...(data !== undefined && { data }) } };
}

interface Call {
  readonly gasUsed: string;
  readonly error?: string;
  readonly calls?: readonly Call[];
  readonly logs?: readonly unknown[];
}

test("the trace of each recorded transaction is of one mind with its receipt", { skip: !SUITE }, async () => {
  const context = { chain: await openRecordedChain(SUITE!) } as Context;
  const config = { tracer: "callTracer", tracerConfig: { withLog: true } };
  const countLogs = (call: Call): number =>
    (call.logs?.length ?? 0) + (call.calls ?? []).reduce((sum, inner) => sum + countLogs(inner), 0);

  for (let number = 1; number <= context.chain.head.header.number; number++) {
    const { receipts, header } = context.chain.block(number)!;
    const traces = (await METHODS.debug_traceBlockByHash!(context, [toHex(header.hash), config])) as { result: Call }[];

    assert.deepEqual(
      traces.map(({ result }) => [result.gasUsed, countLogs(result)]),
      receipts.map(({ gasUsed, logs }) => [quantity(gasUsed), logs.length]),
    );
    for (const [index, { result }] of traces.entries()) {
      const { status } = receipts[index]!;
      if (status !== undefined) assert.equal(result.error === undefined, status === 1);
    }
  }
});
