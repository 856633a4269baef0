import assert from "node:assert/strict";
import { test } from "node:test";
import { RPC, RpcError } from "../../jsonrpc/rpcError.ts";
import { rpcFailure } from "../../source/failure.ts";
import { TraceReader } from "./traceReader.ts";

const HASHES = [1, 2].map((byte) => new Uint8Array(32).fill(byte));
const BLOCK = { number: 5, hash: new Uint8Array(32).fill(9), transactions: HASHES };
const ZERO = `0x${"00".repeat(20)}`;
const CALL = { type: "CALL", from: ZERO, to: ZERO, value: "0x0", gas: "0x0", gasUsed: "0x0", input: "0x" };

const NODE = { name: "node", redact: (text: string) => text };
const tooLarge = () => rpcFailure(NODE, "a trace", new RpcError(RPC.responseTooLarge, "the trace is too large: trace"));

test("what the node refuses as too large is traced by transaction, and those that are too large have no calls", async () => {
  const reader = new TraceReader({
    async request(method, params) {
      if (method === "debug_traceBlockByHash" || String((params as unknown[])[0]).startsWith("0x02")) throw tooLarge();
      return CALL;
    },
  });

  const traced = await reader.read(BLOCK);

  assert.deepEqual(
    traced.map(({ calls }) => calls),
    [[], "too long"],
  );
});
