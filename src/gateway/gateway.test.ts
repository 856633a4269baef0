import assert from "node:assert/strict";
import { test } from "node:test";
import { toHex } from "viem";
import { LINE, ONE, sidecarOf, wrapSidecar } from "../../test/support/blobs.ts";
import { EMITTER, emission } from "../../test/support/developmentNode.ts";
import { GatewayChain } from "../../test/support/gatewayChain.ts";
import { openServer, sendJson } from "../../test/support/rpcServer.ts";
import { quantity } from "../chain/encoding/hex.ts";
import { textOf } from "../jsonrpc/responseBody.ts";
import { MAX_LOG_BLOCKS } from "../node/logs/logRange.ts";
import { openPool } from "../source/pool/openPool.ts";
import { IN_MEMORY } from "../store/engine/databases.ts";
import { openStore } from "../store/openStore.ts";
import { Gateway } from "./gateway.ts";
import { MAX_LOGS } from "./storedLogs.ts";

const METHOD_NOT_FOUND = -32_601;

test("what is passed on is answered as the node answers it, errors included", async (t) => {
  const chain = await GatewayChain.open(t);
  const { address } = chain.node.account;
  const calls: [string, unknown[]][] = [
    ["eth_chainId", []],
    ["net_version", []],
    ["eth_blockNumber", []],
    ["eth_getBalance", [address, "latest"]],
    ["eth_getBalance", ["0x12", "latest"]],
    ["eth_getBalance", []],
    ["eth_call", [{ to: address, data: "0x12" }, "latest"]],
    ["eth_call", [{ to: address, data: "0x1" }, "latest"]],
    ["eth_call", [{ data: "0x60006000fd" }, "latest"]],
    ["eth_getBlockByNumber", ["0x0", true]],
    ["eth_getBlockByNumber", ["0x999", true]],
    ["eth_sendRawTransaction", ["0x1234"]],
    ["eth_feeHistory", ["0x1", "latest", [1, 99]]],
  ];
  for (const [method, params] of calls) {
    assert.deepEqual(await chain.ask(method, params), await chain.askNode(method, params), method);
  }
});

test("methods that are not in the table are refused, some are for trusted callers, and operators allow more", async (t) => {
  const chain = await GatewayChain.open(t, { allowed: ["eth_pendingTransactions", "web3_*"] });
  const codeOf = async (method: string, isTrusted: boolean) => (await chain.ask(method, [], isTrusted)).error?.code;

  for (const method of ["eth_nope", "admin_peers", "constructor", "__proto__", "eth_subscribe", "personal_unlock"]) {
    for (const isTrusted of [true, false]) assert.equal(await codeOf(method, isTrusted), METHOD_NOT_FOUND, method);
  }
  for (const method of ["evm_mine", "txpool_status", "hardhat_metadata"]) {
    assert.equal(await codeOf(method, true), undefined, method);
    assert.equal(await codeOf(method, false), METHOD_NOT_FOUND, method);
  }
  assert.equal(await codeOf("eth_pendingTransactions", false), undefined);
  assert.equal(await codeOf("eth_subscribe", true), METHOD_NOT_FOUND);
  assert.match((await chain.ask("eth_subscribe")).error!.message, /no subscriptions/);
  assert.deepEqual((await chain.ask("eth_accounts")).result, []);
  assert.equal(((await chain.ask("eth_accounts", [], true)).result as string[]).length, 3);
});

test("blobs in the newer format do not leave for a node, unless the network allows them", async (t) => {
  const posts: unknown[] = [];
  const server = await openServer(t, ({ calls: [call], response }) => {
    posts.push(call!.method);
    sendJson(response, { jsonrpc: "2.0", id: call!.id, result: call!.method === "eth_chainId" ? "0x2a5" : "0x77" });
  });
  const upstreams = openPool([server.url]);
  t.after(() => upstreams.close());
  const store = await openStore(IN_MEMORY, 677);
  t.after(() => store.close());
  const options = { chainId: 677, upstreams, store, isDevelopment: false, unboundedLogs: true, allowed: [] };
  const send = async (raw: Uint8Array, acceptsCellProofs: boolean) => {
    const gateway = new Gateway({ ...options, acceptsCellProofs });
    const body = { jsonrpc: "2.0", id: 1, method: "eth_sendRawTransaction", params: [toHex(raw)] };
    return JSON.parse(textOf((await gateway.handle(JSON.stringify(body), false))!)) as object;
  };
  const wrapped = (version: 0 | 1) => wrapSidecar([], sidecarOf([ONE, LINE], version));

  const refusal = { code: -32_000, message: "rlp: expected input list for []kzg4844.Blob" };
  assert.deepEqual(await send(wrapped(1), false), { jsonrpc: "2.0", id: 1, error: refusal });
  assert.deepEqual(posts, []);
  assert.deepEqual(await send(wrapped(0), false), { jsonrpc: "2.0", id: 1, result: "0x77" });
  assert.deepEqual(await send(wrapped(1), true), { jsonrpc: "2.0", id: 1, result: "0x77" });
  assert.deepEqual(posts, ["eth_chainId", "eth_sendRawTransaction", "eth_sendRawTransaction"]);
});

test("a node that cannot be reached is an error after which clients ask again, and it is not named", async (t) => {
  const upstreams = openPool(["http://user:secret-key@127.0.0.1:9/v3/secret-key"]);
  t.after(() => upstreams.close());
  const store = await openStore(IN_MEMORY, 1);
  t.after(() => store.close());
  const own = { isDevelopment: false, unboundedLogs: true, allowed: [], acceptsCellProofs: true };
  const gateway = new Gateway({ chainId: 1, upstreams, store, ...own });

  const body = JSON.stringify([{ jsonrpc: "2.0", id: "a", method: "eth_blockNumber" }]);

  assert.equal(
    await gateway.handle(body, false),
    '[{"jsonrpc":"2.0","id":"a","error":{"code":-32603,"message":"the node cannot be reached or is overloaded"}}]',
  );
});

test("an answer is passed on as the node spelled it", async (t) => {
  const spelled = '{"b" : 12345678901234567890, "a":"\\u00e9"}';
  const server = await openServer(t, ({ calls: [call], response }) => {
    const { id, method } = call!;
    const results: Record<string, string> = { eth_chainId: '"0x1"', eth_syncing: spelled, eth_config: '1,"result":2' };
    response.end(`{"jsonrpc":"2.0","id":${id},"result":${results[method] ?? "garbage"}}\n`);
  });
  const upstreams = openPool([server.url]);
  t.after(() => upstreams.close());
  const store = await openStore(IN_MEMORY, 1);
  t.after(() => store.close());
  const own = { isDevelopment: false, unboundedLogs: true, allowed: [], acceptsCellProofs: true };
  const gateway = new Gateway({ chainId: 1, upstreams, store, ...own });
  const ask = (method: string) => gateway.handle(`{"jsonrpc":"2.0","id":7,"method":"${method}"}`, false);

  assert.equal(await ask("eth_syncing"), `{"jsonrpc":"2.0","id":7,"result":${spelled}}`);
  assert.equal(await ask("eth_config"), '{"jsonrpc":"2.0","id":7,"result":2}');
  assert.match(textOf((await ask("eth_mining"))!), /"error":\{"code":-32603/);
});

test("what is indexed is answered while the node is away, and what is not is an error", async (t) => {
  const chain = await GatewayChain.open(t);
  const hash = await chain.node.send({ value: 1n });
  await chain.index();
  const calls: [string, unknown[]][] = [
    ["eth_getTransactionByHash", [hash]],
    ["eth_getTransactionReceipt", [hash]],
    ["eth_getBlockByNumber", ["0x1", true]],
    ["eth_getBlockReceipts", ["0x1"]],
    ["eth_getLogs", [{ fromBlock: "0x0", toBlock: "0x1" }]],
  ];
  const known = await Promise.all(calls.map(([method, params]) => chain.askNode(method, params)));

  chain.stopNode();

  for (const [at, [method, params]] of calls.entries()) {
    assert.deepEqual(await chain.ask(method, params), known[at], method);
  }
  assert.equal((await chain.ask("eth_getBlockByNumber", ["0x2", true])).error?.code, -32_603);
});

test("a block as a JSON number is the node's to accept or refuse, within the bounds of logs", async (t) => {
  const chain = await GatewayChain.open(t);
  await chain.node.send({ value: 1n });
  await chain.index();
  const calls = (block: unknown): [string, unknown[]][] => [
    ["eth_getBlockByNumber", [block, true]],
    ["eth_getBlockReceipts", [block]],
    ["eth_getBlockReceipts", [{ blockNumber: block }]],
    ["eth_getBlockTransactionCountByNumber", [block]],
    ["eth_getUncleCountByBlockNumber", [block]],
    ["eth_getTransactionByBlockNumberAndIndex", [block, "0x0"]],
    ["eth_getTransactionByBlockNumberAndIndex", ["0x1", block === 1 ? 0 : "0x0"]],
    ["eth_getLogs", [{ fromBlock: block, toBlock: block }]],
    ["eth_getBlobSidecars", [block]],
  ];

  for (const [method, params] of calls(1)) {
    assert.deepEqual(await chain.ask(method, params), await chain.askNode(method, params), method);
  }
  const tooLong = await chain.ask("eth_getLogs", [{ fromBlock: 1, toBlock: MAX_LOG_BLOCKS + 1 }]);
  assert.match(tooLong.error!.message, /^exceed maximum block range/);
  for (const [method, params] of calls("0x1")) await chain.ask(method, params);
  chain.stopNode();
  for (const [method, params] of calls("0x1")) assert.equal((await chain.ask(method, params)).error, undefined, method);
  for (const [method, params] of calls(1)) {
    assert.equal((await chain.ask(method, params)).error?.code, -32_603, method);
  }
});

test("logs have the bounds of the embedded node, also those of filters", async (t) => {
  const chain = await GatewayChain.open(t);
  const emitter = await chain.node.deploy(EMITTER);
  for (const data of [1, 2]) await chain.node.send({ to: emitter, data: emission(1, data) });
  await chain.index();
  const ask = async (filter: object) => {
    const { result: id } = await chain.ask("eth_newFilter", [filter]);
    return [await chain.ask("eth_getLogs", [filter]), await chain.ask("eth_getFilterLogs", [id])] as const;
  };
  const messages = async (filter: object) => (await ask(filter)).map(({ error }) => error?.message ?? "none");
  const long = { fromBlock: "0x1", toBlock: quantity(MAX_LOG_BLOCKS + 1) };

  for (const filter of [
    { fromBlock: "0x0", toBlock: "latest" },
    { fromBlock: "earliest", address: emitter },
  ]) {
    for (const message of await messages(filter)) assert.match(message, /does not search the whole chain/);
  }
  for (const message of await messages(long)) assert.match(message, /^exceed maximum block range: 10000; pass/);
  assert.match((await messages({}))[0]!, /^eth_getLogs needs fromBlock and toBlock; /);
  for (const filter of [{ fromBlock: "0x1", toBlock: "0x3" }, { fromBlock: "0x1" }, { fromBlock: "latest" }]) {
    const expected = (await chain.askNode("eth_getLogs", [filter])).result;
    assert.deepEqual(
      (await ask(filter)).map(({ result }) => result),
      [expected, expected],
    );
  }
  const [, head] = await ask({ address: emitter });
  assert.deepEqual(head.result, (await chain.askNode("eth_getLogs", [{ fromBlock: "latest" }])).result);
});

test("filters of logs that are gone, or are none, have no logs", async (t) => {
  const chain = await GatewayChain.open(t);
  await chain.index();
  const { result: id } = await chain.ask("eth_newFilter", [{ fromBlock: "0x0", toBlock: "0x0" }]);
  const { result: blocks } = await chain.ask("eth_newBlockFilter");

  assert.deepEqual((await chain.ask("eth_getFilterLogs", [id])).result, []);
  assert.equal((await chain.ask("eth_uninstallFilter", [id])).result, true);
  for (const none of [id, blocks, "0x1"]) {
    assert.deepEqual((await chain.ask("eth_getFilterLogs", [none])).error, {
      code: -32_000,
      message: "filter not found",
    });
  }
});

test("any range of logs is answered where that is allowed", async (t) => {
  const chain = await GatewayChain.open(t, { unboundedLogs: true });
  const emitter = await chain.node.deploy(EMITTER);
  await chain.node.send({ to: emitter, data: emission(1, 1) });
  await chain.index();

  const [whole] = [await chain.ask("eth_getLogs", [{ fromBlock: "earliest", toBlock: "latest" }])];

  assert.deepEqual(whole, await chain.askNode("eth_getLogs", [{ fromBlock: "0x1", toBlock: "latest" }]));
  assert.equal((whole.result as object[]).length, 1);
});

const LOOP = "0x60128060093d393df36000355b60006000a0600190038060035700";

test("eth_getLogs answers 10,000 logs and refuses one more", async (t) => {
  const chain = await GatewayChain.open(t);
  const emitter = await chain.node.deploy(LOOP);
  const emit = (count: number) => chain.node.send({ to: emitter, data: toHex(count, { size: 32 }), gas: 9_000_000n });
  for (const count of [MAX_LOGS - 1, 1, 1]) await emit(count);
  await chain.index();
  const ask = (fromBlock: number, toBlock: number) =>
    chain.ask("eth_getLogs", [{ fromBlock: quantity(fromBlock), toBlock: quantity(toBlock), address: emitter }]);

  const all = (await ask(2, 3)).result as object[];
  const { error } = await ask(2, 4);

  assert.equal(all.length, MAX_LOGS);
  assert.deepEqual(
    all,
    (await chain.askNode("eth_getLogs", [{ fromBlock: "0x2", toBlock: "0x3", address: emitter }])).result,
  );
  assert.equal(error?.code, -32_602);
  assert.match(error!.message, /^query returned more than 10000 results; narrow the range/);
  assert.equal(((await ask(3, 4)).result as object[]).length, 2);
});

test("what cannot change is asked of the node once, and anything else each time", async (t) => {
  const server = await openServer(t, ({ calls: [call], response }) => {
    const isChain = call!.method === "eth_chainId";
    const result = isChain ? "0x1" : call!.params.includes("absent") ? null : "0x77";
    sendJson(response, { jsonrpc: "2.0", id: call!.id, result });
  });
  const upstreams = openPool([server.url]);
  t.after(() => upstreams.close());
  const store = await openStore(IN_MEMORY, 1);
  t.after(() => store.close());
  const rules = { unboundedLogs: true, allowed: [], acceptsCellProofs: true };
  const asked = async (isDevelopment: boolean, method: string, params: unknown[]) => {
    const gateway = new Gateway({ chainId: 1, upstreams, store, isDevelopment, ...rules });
    const before = server.posts.length;
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    for (let times = 0; times < 3; times++) await gateway.handle(body, false);
    return server
      .methods()
      .slice(before)
      .filter((name) => name === method).length;
  };
  const at = { blockHash: `0x${"12".repeat(32)}` };

  assert.equal(await asked(false, "eth_getBalance", ["0x1", at]), 1);
  assert.equal(await asked(false, "web3_sha3", ["0x1"]), 1);
  assert.equal(await asked(true, "eth_getBalance", ["0x1", at]), 3);
  assert.equal(await asked(false, "eth_getBalance", ["0x1", { ...at, requireCanonical: true }]), 3);
  assert.equal(await asked(false, "eth_getBalance", ["0x1", "latest"]), 3);
  assert.equal(await asked(false, "eth_getProof", ["absent", [], at]), 3);
});
