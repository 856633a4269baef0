import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { openServer, sendJson } from "../../test/support/rpcServer.ts";
import { SimulatedChain } from "../../test/support/simulatedChain.ts";
import { textOf } from "../jsonrpc/responseBody.ts";
import { openPool } from "../source/pool/openPool.ts";
import { resultProblem } from "../source/resultForms.ts";
import { IN_MEMORY } from "../store/engine/databases.ts";
import { openStore } from "../store/openStore.ts";
import { Gateway } from "./gateway.ts";

const CHAIN_ID = 677;
const chain = new SimulatedChain({ seed: 41, traffic: { transactions: [6, 8] } });
chain.mine(4);
const { block, receipts } = chain.head;
const [tx] = block.transactions;
const receipt = receipts.find(({ logs }) => logs.length > 0)!;

const RESULTS: readonly (readonly [method: string, result: unknown, ...paths: string[]])[] = [
  ["eth_blockNumber", "0x4", ""],
  ["eth_gasPrice", "0x0", ""],
  ["eth_getBalance", "0xffffffffffffffffffffffffffffffff", ""],
  ["eth_getTransactionCount", "0x1A", ""],
  ["eth_estimateGas", "0x5208", ""],
  ["eth_feeHistory", feeHistory(), "oldestBlock", "baseFeePerGas.0", "reward.0.0"],
  ["eth_getBlockByNumber", block, "number", "gasUsed", "timestamp", "transactions.0.nonce", "transactions.0.value"],
  ["eth_getTransactionByHash", tx, "blockNumber", "gas", "type"],
  ["eth_getTransactionReceipt", receipt, "status", "cumulativeGasUsed", "logs.0.logIndex"],
  ["eth_getBlockReceipts", receipts, "0.gasUsed"],
  ["eth_getLogs", receipt.logs, "0.blockNumber"],
  ["eth_getProof", { balance: "0x1", nonce: "0x0", accountProof: [] }, "balance", "nonce"],
];

function feeHistory() {
  return { oldestBlock: "0x1", baseFeePerGas: ["0x7", "0x8"], gasUsedRatio: [0.5], reward: [["0x1"]] };
}

const MALFORMED: readonly unknown[] = [
  ...["0x", "0x01", "abc", "-0x1", "0x-1", "0x1.5", "1", "", " 0x1", "0x1 ", "0xg", `0x1${"0".repeat(64)}`],
  ...[1.5, -1, 1, true, {}, []],
];

function changed(value: unknown, path: string, to: unknown): unknown {
  if (path === "") return to;
  const [name = "", ...rest] = path.split(".");
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Record<string, unknown>;
  copy[name] = changed(copy[name], rest.join("."), to);
  return copy;
}

test("a right result has no problem, and a malformed number anywhere in it is named", () => {
  for (const [method, result, ...paths] of RESULTS) {
    assert.equal(resultProblem(method, result), undefined, method);
    for (const path of paths) {
      for (const wrong of MALFORMED) {
        const problem = resultProblem(method, changed(result, path, wrong)) ?? "";
        assert.match(problem, new RegExp(`^a malformed result of ${method}`), `${path}: ${JSON.stringify(wrong)}`);
        assert.ok(
          problem.endsWith(
            path
              .split(".")
              .filter((part) => !/^\d/.test(part))
              .join("."),
          ),
          problem,
        );
      }
    }
  }
  for (const method of ["web3_clientVersion", "debug_traceCall"])
    assert.equal(resultProblem(method, "0x01"), undefined);
  for (const [method] of RESULTS.slice(6, 10)) assert.equal(resultProblem(method, null), undefined, method);
});

async function openNode(t: TestContext, answers: Readonly<Record<string, unknown>>) {
  const known: Record<string, unknown> = { eth_chainId: `0x${CHAIN_ID.toString(16)}`, ...answers };
  return openServer(t, ({ calls, response }) => {
    const results = calls.map(({ id, method }) => ({
      jsonrpc: "2.0",
      id,
      result: method === "eth_getBlockByNumber" && !Object.hasOwn(answers, method) ? block : (known[method] ?? null),
    }));
    sendJson(response, results.length === 1 ? results[0] : results);
  });
}

async function openGateway(t: TestContext, urls: readonly string[]) {
  const store = await openStore(IN_MEMORY, CHAIN_ID);
  const upstreams = openPool(urls, { chainId: CHAIN_ID, retry: { attempts: 2, baseMs: 1, maxDelayMs: 2 } });
  const rules = { isDevelopment: false, allowed: [], acceptsCellProofs: false, unboundedLogs: true };
  const gateway = new Gateway({ chainId: CHAIN_ID, upstreams, store, ...rules });
  t.after(async () => {
    await upstreams.close();
    await store.close();
  });
  return async (method: string, params: readonly unknown[] = []) => {
    const body = await gateway.handle(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), false);
    return JSON.parse(textOf(body!)) as { result?: unknown; error?: { code: number; message: string } };
  };
}

test("the malformed numbers of a node are not passed on, and another node is asked instead", async (t) => {
  for (const [method, right, wrong, params] of [
    ["eth_gasPrice", "0x7", "0x07", []],
    ["eth_getBalance", "0x1", -5, [`0x${"12".repeat(20)}`, "latest"]],
    ["eth_getTransactionByHash", tx, { ...tx, nonce: "0x" }, [tx!.hash]],
  ] as const) {
    const lying = await openNode(t, { [method]: wrong });
    const honest = await openNode(t, { [method]: right });
    const alone = await openGateway(t, [lying.url]);
    const both = await openGateway(t, [lying.url, honest.url]);

    assert.deepEqual((await alone(method, params)).error, {
      code: -32_603,
      message: "the node sent a malformed result",
    });
    for (let round = 0; round < 3; round++) assert.deepEqual((await both(method, params)).result, right, method);
  }
});
