import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { describe, test } from "node:test";
import { openBoth, openFaulty, openUpstream } from "../../test/support/faultyNode.ts";
import type { Methods } from "../../test/support/rpcServer.ts";
import { answerWell, blockHash, chainMethods, openNode, RpcFault, sendJson } from "../../test/support/rpcServer.ts";
import { fromHex, toHex } from "../chain/encoding/hex.ts";
import { ChainError } from "../chain/error.ts";
import type { CallOutcome } from "../chain/source.ts";
import { MAX_RETURNED } from "./calls.ts";

const chain = chainMethods(100);
const AT = { number: 90, hash: fromHex(blockHash(90)) };
const TO = fromHex(`0x${"cc".repeat(20)}`);

const call = (data: string) => ({ to: TO, data: fromHex(data) });

type Request = { to: string; data: string; gas: string };

async function outcomeOf(t: TestContext, answer: () => unknown): Promise<CallOutcome> {
  const { upstream } = await openBoth(t, { ...chain, eth_call: answer });
  return (await upstream.call([call("0x01")], AT))[0]!;
}

test("calls go in one batch, at a block named by its hash, with a limit of gas", async (t) => {
  const asked: unknown[] = [];
  const eth_call = (request: Request, block: unknown) => {
    asked.push([request.to, request.gas, block]);
    return `${request.data}ff`;
  };
  const { node, upstream } = await openBoth(t, { ...chain, eth_call });

  const outcomes = await upstream.call([call("0x01"), call("0x02")], AT);

  assert.deepEqual(
    outcomes.map((outcome) => toHex(outcome as Uint8Array)),
    ["0x01ff", "0x02ff"],
  );
  assert.deepEqual(asked[0], [toHex(TO), "0x4c4b40", { blockHash: blockHash(90) }]);
  assert.equal(node.posts.length, 2, "eth_chainId, then one batch");
  assert.deepEqual(await upstream.call([], AT), []);
});

describe("a contract that reverts is distinguished from a node that cannot answer", () => {
  const FAILURES: readonly (readonly [code: number, message: string])[] = [
    [3, "execution reverted: missing trie node, header not found, rate limit"],
    [-32000, "execution reverted"],
    [-32000, "out of gas"],
    [-32003, "out of gas: gas exhausted: 5000000"],
    [-32000, "invalid opcode: INVALID"],
    [-32000, "invalid jump destination"],
    [-32000, "stack underflow (0 <=> 1)"],
    [-32015, "VM execution error."],
    [-32603, "Error: VM Exception while processing transaction: reverted without a reason"],
  ];
  const ERRORS: readonly (readonly [code: number, message: string])[] = [
    [-32000, "missing trie node 1234 (path ) state 0x1234 is not available"],
    [-32000, "header not found"],
    [-32000, "execution aborted (timeout = 5s)"],
    [-32005, "daily request count exceeded, request rate limited"],
    [-32601, "the method eth_call does not exist/is not available"],
  ];
  const faultOf = (code: number, message: string) => () => {
    throw new RpcFault(code, message);
  };
  for (const [code, message] of FAILURES) {
    test(`${code} ${message}`, async (t) => {
      assert.equal(await outcomeOf(t, faultOf(code, message)), "reverted");
    });
  }
  for (const [code, message] of ERRORS) {
    test(`${code} ${message}`, async (t) => {
      assert.ok((await outcomeOf(t, faultOf(code, message))) instanceof ChainError);
    });
  }
});

test("an answer over the limit is a failure of the contract, one at it is not", async (t) => {
  const longest = await outcomeOf(t, () => `0x${"00".repeat(MAX_RETURNED)}`);

  assert.equal((longest as Uint8Array).length, MAX_RETURNED);
  assert.equal(await outcomeOf(t, () => `0x${"00".repeat(MAX_RETURNED + 1)}`), "reverted");
});

test("a result that is no hex spoils no other call of its batch", async (t) => {
  const results: unknown[] = ["0xff", null, 7, "0xf", "ff", "0xzz", { data: "0x" }, ["0x"], true, ""];
  const eth_call = ({ data }: Request) => results[Number(data)];
  const { upstream } = await openBoth(t, { ...chain, eth_call });

  const outcomes = await upstream.call(
    results.map((_, at) => call(`0x0${at}`)),
    AT,
  );

  assert.deepEqual(outcomes[0], Uint8Array.of(255));
  for (const outcome of outcomes.slice(1)) assert.equal((outcome as ChainError).code, "upstream_invalid");
});

test("a node that fails as a whole is an error", async (t) => {
  const { upstream } = await openFaulty(t, ({ response }) => response.writeHead(503).end());

  await assert.rejects(upstream.call([call("0x01")], AT), { code: "upstream_unavailable" });
});

describe("a node that refuses hashes", () => {
  const REFUSAL = "invalid argument 1: json: cannot unmarshal object into Go value of type string";
  const byNumber: Methods = {
    ...chain,
    eth_call: ({ data }: Request, block: unknown) => {
      if (typeof block === "object") throw new RpcFault(-32602, REFUSAL);
      return block === "0x5a" ? data : "0x";
    },
  };

  test("is asked by number, from then on at once", async (t) => {
    const { node, upstream } = await openBoth(t, byNumber);

    const first = await upstream.call([call("0x07")], AT);
    const asked = node.methods().filter((method) => method === "eth_call").length;
    const second = await upstream.call([call("0x08"), call("0x09")], AT);

    assert.deepEqual(
      [...first, ...second].map((outcome) => toHex(outcome as Uint8Array)),
      ["0x07", "0x08", "0x09"],
    );
    const calls = node.methods().filter((method) => method === "eth_call").length;
    assert.deepEqual([asked, calls], [2, 4]);
  });

  test("is not believed when the number is that of another block, before or after", async (t) => {
    for (const changesAt of [1, 2]) {
      let checks = 0;
      const eth_getBlockByNumber = () => {
        const block = chain.eth_getBlockByNumber!("0x5a" as never) as object;
        return ++checks === changesAt ? { ...block, hash: blockHash(91) } : block;
      };
      const node = await openNode(t, { ...byNumber, eth_getBlockByNumber });
      const upstream = openUpstream(t, { url: node.url, retry: { attempts: 1 } });

      await assert.rejects(upstream.call([call("0x07")], AT), { message: /another block 90/ });
    }
  });

  test("and numbers as well is asked with hashes again next time", async (t) => {
    let refusesNumbers = true;
    const { upstream } = await openFaulty(t, (post) => {
      const isRefused = refusesNumbers && post.calls[0]!.method === "eth_call";
      if (!isRefused) return answerWell({ ...chain, eth_call: () => "0x11" }, post);
      const { id } = post.calls[0]!;
      sendJson(post.response, { jsonrpc: "2.0", id, error: { code: -32602, message: "invalid params" } });
    });

    const [refused] = await upstream.call([call("0x01")], AT);
    refusesNumbers = false;

    assert.equal((refused as ChainError).code, "upstream_rejected");
    assert.deepEqual(await upstream.call([call("0x01")], AT), [Uint8Array.of(0x11)]);
  });
});
