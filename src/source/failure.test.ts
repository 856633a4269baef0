import assert from "node:assert/strict";
import { test } from "node:test";
import { threadCpuMs } from "../../test/support/threadCpu.ts";
import { parseEndpoint } from "./endpoint.ts";
import { isMissing, rpcFailure } from "./failure.ts";

test("a node cannot keep us busy with a long message", () => {
  const endpoint = parseEndpoint("http://127.0.0.1:8545");
  for (const word of ["exceeded", "block ", "too response body "]) {
    const rpc = { code: -32000, message: word.repeat(20_000) };
    const start = threadCpuMs();
    const failure = rpcFailure(endpoint, "eth_call", rpc);
    assert.equal(failure.code, "upstream_rejected");
    assert.equal(isMissing(rpc), false);
    assert.ok(threadCpuMs() - start < 5000, word);
  }
});
