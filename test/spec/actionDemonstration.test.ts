import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { Hex } from "viem";
import { decodeErrorResult, formatUnits, parseAbi } from "viem";
import type { Row } from "../support/actionRecords.ts";
import { ActionRecords, logsOf } from "../support/actionRecords.ts";
import type { Json } from "../support/api.ts";
import { ChainOracle } from "../support/chainOracle.ts";
import { demonstrated } from "../support/demonstrated.ts";
import { ETHERSCAN_COMPARISONS } from "../support/etherscanActions.ts";
import { FollowedChain } from "../support/followedChain.ts";
import { blocksOf, readPlainChain } from "../support/plainChain.ts";
import { readPlainState } from "../support/plainState.ts";
import { firstSeed } from "../support/seed.ts";
import { expectedBaseFee, expectedTips } from "../support/statsOracle.ts";
import { until } from "../support/waiting.ts";

const SEED = String(firstSeed(2));
/** The first 41 deploy what there is. */
const BLOCKS = Number(process.env.ORIEL_CASES ?? 32);

/** Deployments that revert, with unknown bytes and with the reason `no`. */
const REVERTS = [
  "0x63deadbeef5f526004601cfd",
  "0x6308c379a05f5260206020526002604052616e6f60f01b6060526064601cfd",
] as const;

/** Code of a deployment that emits 120 logs and leaves a contract without code. */
const MANY_LOGS = "0x60785b5f5fa0600190038060025700";

type Parameters = Readonly<Record<string, string | number>>;

interface Answer extends Json {
  status: string;
  message: string;
  result: unknown;
}

class Demonstrated {
  readonly followed: FollowedChain;
  readonly traces = new Map();
  oracle!: ActionRecords;

  constructor(followed: FollowedChain) {
    this.followed = followed;
  }

  /** Once the index is at the head and has asked every token. */
  async compareFromNow(): Promise<void> {
    await this.followed.settle();
    const ask = this.node;
    const chain = await readPlainChain(ask);
    this.oracle = new ActionRecords(await ChainOracle.read(chain, await readPlainState(ask, chain, this.traces)));
    for (const token of this.oracle.of.tokens.ledger.keys()) {
      const read = () => this.followed.get(`/api/v2/tokens/${token}`);
      await until(`${token} was observed`, async () => (await read()).body.observed_block_number !== null);
    }
  }

  readonly node = <T>(method: string, ...params: unknown[]): Promise<T> =>
    this.followed.chain.ask<T>(method, ...params);

  async answer(module: string, action: string, parameters: Parameters = {}): Promise<Answer> {
    const pairs = Object.entries({ module, action, ...parameters }).map(([name, value]) => [name, String(value)]);
    const response = await this.followed.app.inject(`/api?${new URLSearchParams(pairs)}`);
    assert.equal(response.statusCode, 200, response.body);
    return response.json() as Answer;
  }

  /** Result of a successful response. */
  async result<T>(module: string, action: string, parameters: Parameters = {}): Promise<T> {
    const { status, message, result } = await this.answer(module, action, parameters);
    assert.deepEqual([status, message], ["1", "OK"], `${action} ${JSON.stringify(parameters)} ${message}`);
    return result as T;
  }

  /** A list, which may be empty. */
  async rows(module: string, action: string, parameters: Parameters = {}): Promise<Row[]> {
    const { status, message, result } = await this.answer(module, action, parameters);
    const rows = result as Row[];
    assert.deepEqual([status, message === "OK"], rows.length > 0 ? ["1", true] : ["0", false], message);
    return rows;
  }

  get addresses(): string[] {
    return [...this.oracle.of.appeared.keys()];
  }

  get miners(): Set<string> {
    return new Set(blocksOf(this.oracle.of.chain).map(({ block }) => block.miner as string));
  }

  get tokens(): string[] {
    return [...this.oracle.of.tokens.ledger.keys()];
  }
}

test(`4.2 what the actions say of a demonstration is what its node says (seed ${SEED}, ${BLOCKS} blocks)`, async (t) => {
  const { node, demonstration } = await demonstrated({ seed: SEED, blocks: BLOCKS });
  await demonstration.buildPast();
  for (const data of [MANY_LOGS, ...REVERTS]) await node.send({ to: undefined, data });
  const served = new Demonstrated(await FollowedChain.open(t, { chain: node, rpc: true }));
  const snapshot = await node.ask("evm_snapshot");
  for (let block = 0; block < 3; block++) await demonstration.live();
  served.followed.start();
  await served.compareFromNow();
  await compareAll(t, served);

  await t.test("after a reorg all of it is that of the new branch", async () => {
    const before = served.oracle.of.chain.head.hash;
    await node.ask("evm_revert", snapshot);
    await node.send({ value: 5n });
    for (let block = 0; block < 2; block++) await demonstration.live();
    await served.compareFromNow();
    assert.notEqual(served.oracle.of.chain.head.hash, before);
    for (const [, compare] of COMPARISONS) await compare(served);
  });
});

async function compareAll(t: TestContext, served: Demonstrated): Promise<void> {
  for (const [name, compare] of COMPARISONS) await t.test(name, () => compare(served));
}

type Comparison = readonly [name: string, compare: (served: Demonstrated) => Promise<void>];

async function compareTokenLists(served: Demonstrated): Promise<void> {
  for (const address of served.addresses) {
    const expected = await served.oracle.tokensOf(address);
    assert.deepEqual(await served.rows("account", "tokenlist", { address }), expected, address);
    const page = { address, page: 2, offset: 2 };
    assert.deepEqual(await served.rows("account", "tokenlist", page), expected.slice(2, 4), address);
  }
}

async function compareMinedBlocks(served: Demonstrated): Promise<void> {
  for (const address of served.miners) {
    const expected = served.oracle.minedBy(address);
    assert.deepEqual(await served.rows("account", "getminedblocks", { address }), expected);
    const parameters = { address, sort: "asc", startblock: 7, page: 2, offset: 5 };
    const later = expected.toReversed().filter(({ blockNumber }) => Number(blockNumber) >= 7);
    assert.deepEqual(await served.rows("account", "getminedblocks", parameters), later.slice(5, 10));
  }
}

async function compareRewards(served: Demonstrated): Promise<void> {
  for (const { block } of blocksOf(served.oracle.of.chain)) {
    const { miner, number } = block as unknown as { miner: string; number: string };
    const mined = served.oracle.minedBy(miner).find(({ blockNumber }) => Number(blockNumber) === Number(number));
    const expected = { ...mined, blockMiner: miner, uncles: [], uncleInclusionReward: "0" };
    assert.deepEqual(await served.result("block", "getblockreward", { blockno: Number(number) }), expected);
  }
  const later = await served.answer("block", "getblockreward", { blockno: 1e9 });
  assert.deepEqual([later.status, later.message], ["0", "Block does not exist"]);
}

async function compareAccounts(served: Demonstrated): Promise<void> {
  const seen = [...new Set([...served.addresses, ...served.miners])];
  const balances = await Promise.all(seen.map((each) => served.node<string>("eth_getBalance", each, "latest")));
  const expected = seen.map((address, at) => ({ address, balance: BigInt(balances[at]!) }));
  const rich = expected.filter(({ balance }) => balance > 0n);
  const rows = (await served.rows("account", "listaccounts", { offset: 1000 })) as {
    address: string;
    balance: string;
  }[];

  assert.deepEqual(
    new Map(rows.map(({ address, balance }) => [address, balance])),
    new Map(rich.map(({ address, balance }) => [address, balance.toString()])),
  );
  assert.ok(rows.every(({ balance }, at) => at === 0 || BigInt(balance) <= BigInt(rows[at - 1]!.balance)));
  assert.deepEqual(await served.rows("account", "listaccounts", { page: 2, offset: 3 }), rows.slice(3, 6));
  assert.deepEqual(await served.rows("account", "listaccounts"), rows.slice(0, 10));
  const supply = rich.reduce((sum, { balance }) => sum + balance, 0n);
  assert.equal(await served.result("stats", "ethsupply"), supply.toString());
}

async function compareTokens(served: Demonstrated): Promise<void> {
  const { of } = served.oracle;
  for (const [token, ledger] of of.tokens.ledger) {
    const { type, name, symbol, decimals, total_supply } = of.token(token);
    const expected = {
      type,
      name: name ?? "",
      symbol: symbol ?? "",
      totalSupply: total_supply ?? "0",
      decimals: decimals ?? "0",
      contractAddress: token,
      cataloged: true,
    };
    const cmc = `/api?module=stats&action=tokensupply&contractaddress=${token}&cmc=true`;
    for (const method of ["GET", "POST"] as const) {
      const { headers, body } = await served.followed.app.inject({ method, url: cmc });
      const [whole = "", rest = ""] = formatUnits(BigInt(expected.totalSupply as string), Number(decimals ?? 0)).split(
        ".",
      );
      assert.match(String(headers["content-type"]), /^text\/plain/);
      assert.ok(Math.abs(Number(body) - Number(`${whole}.${rest}`)) <= 5e-10 * Math.max(1, Number(whole)), body);
    }
    const contract = { contractaddress: token };
    assert.deepEqual(await served.result("token", "getToken", contract), expected);
    assert.equal(await served.result("stats", "tokensupply", contract), expected.totalSupply);
    const holders = of.holders(ledger).map(({ holder, value }) => ({ address: holder, value: String(value) }));
    assert.deepEqual(await served.rows("token", "getTokenHolders", { ...contract, offset: 1000 }), holders, token);
    assert.deepEqual(await served.rows("token", "getTokenHolders", contract), holders.slice(0, 10), token);
    const page = { ...contract, page: 2, offset: 3 };
    assert.deepEqual(await served.rows("token", "getTokenHolders", page), holders.slice(3, 6), token);
  }
}

async function compareCreations(served: Demonstrated): Promise<void> {
  const codes = await Promise.all(served.addresses.map((address) => served.oracle.of.state.code(address)));
  const contracts = served.addresses.filter((_, at) => codes[at] !== "0x" && !codes[at]!.startsWith("0xef0100"));
  for (const contractaddresses of contracts) {
    const [row] = await served.rows("contract", "getcontractcreation", { contractaddresses });
    assert.deepEqual(row, served.oracle.creationOf(contractaddresses), contractaddresses);
  }
  const isMade = (address: string) => served.oracle.creationOf(address)?.contractFactory !== "";
  const some = contracts.filter(isMade).slice(-9);
  assert.ok(some.length > 4);
  const rows = await served.rows("contract", "getcontractcreation", {
    contractaddresses: [...some, `0x${"12".repeat(20)}`].join(),
  });
  assert.deepEqual(
    rows,
    some.map((address) => served.oracle.creationOf(address)),
  );
}

async function compareContractLists(served: Demonstrated): Promise<void> {
  const listed = async (parameters: Parameters) => {
    const rows = await served.rows("contract", "listcontracts", parameters);
    assert.ok(rows.every(({ ABI }) => ABI === "Contract source code not verified"));
    return rows.map(({ Address }) => Address);
  };
  const expected = served.oracle.deployed();
  const codes = await Promise.all(expected.map((address) => served.oracle.of.state.code(address)));
  assert.deepEqual(await listed({}), expected.slice(0, 10));
  assert.deepEqual(await listed({ offset: 1000, filter: "unverified" }), expected);
  for (let page = 1; (page - 1) * 4 < expected.length + 4; page++) {
    assert.deepEqual(await listed({ page, offset: 4 }), expected.slice((page - 1) * 4, page * 4));
  }
  const empty = expected.filter((_, at) => codes[at] === "0x");
  assert.ok(empty.length > 0);
  assert.deepEqual(await listed({ filter: "empty", offset: 1000 }), empty);
  for (const filter of ["verified", "1"]) {
    assert.equal((await served.answer("contract", "listcontracts", { filter })).message, "No contracts found");
  }
}

async function compareBlockTimes(served: Demonstrated): Promise<void> {
  const times = blocksOf(served.oracle.of.chain).map(({ block }) => Number(block.timestamp));
  for (const timestamp of times.flatMap((time) => [time - 1, time, time + 1])) {
    const last = times.findLastIndex((time) => time <= timestamp);
    const first = times.findIndex((time) => time >= timestamp);
    for (const [closest, number] of [
      ["before", last],
      ["after", first],
    ] as const) {
      const { message, result } = await served.answer("block", "getblocknobytime", { timestamp, closest });
      if (number < 0) assert.equal(message, "Block does not exist");
      else assert.deepEqual(result, { blockNumber: String(number) }, `${closest} ${timestamp}`);
    }
  }
}

async function compareCountdown(served: Demonstrated): Promise<void> {
  const { chain, height } = served.oracle.of;
  const times = blocksOf(chain)
    .slice(-101)
    .filter(({ number }) => number > 0)
    .map(({ block }) => Number(block.timestamp));
  const seconds = (times.at(-1)! - times[0]!) / (times.length - 1);
  assert.deepEqual(await served.result("block", "getblockcountdown", { blockno: height + 100 }), {
    CurrentBlock: String(Number(await served.node("eth_blockNumber"))),
    CountdownBlock: String(height + 100),
    RemainingBlock: "100",
    EstimateTimeInSec: (seconds * 100).toFixed(1),
  });
  const passed = await served.answer("block", "getblockcountdown", { blockno: height });
  assert.deepEqual([passed.status, passed.message], ["0", "Error! Block number already pass"]);
}

async function compareGasOracle(served: Demonstrated): Promise<void> {
  const { chain, height } = served.oracle.of;
  const [base, tips] = [expectedBaseFee(chain), expectedTips(chain)];
  const gwei = (wei: bigint) => String(Number(wei) / 1e9);
  const used = blocksOf(chain)
    .slice(-5)
    .map(({ block }) => Number(block.gasUsed) / Number(block.gasLimit));
  const answer = await served.result<Record<string, string>>("gastracker", "gasoracle");
  const { gasUsedRatio, LastBlock, ...prices } = answer;
  assert.deepEqual(gasUsedRatio!.split(",").map(Number), used);
  assert.equal(LastBlock, String(height));
  const numbers = Object.fromEntries(Object.entries(prices).map(([name, text]) => [name, Number(text)]));
  assert.deepEqual(numbers, {
    SafeGasPrice: Number(gwei(base + tips.slow)),
    ProposeGasPrice: Number(gwei(base + tips.average)),
    FastGasPrice: Number(gwei(base + tips.fast)),
    suggestBaseFee: Number(gwei(base)),
  });
}

async function compareStatuses(served: Demonstrated): Promise<void> {
  const { of } = served.oracle;
  for (const { tx, receipt } of of.transactions) {
    const txhash = tx.hash;
    const status = String(Number(receipt.status));
    assert.deepEqual(await served.result("transaction", "gettxreceiptstatus", { txhash }), { status });
    const failure = of.state.failure(txhash);
    const expected = { isError: status === "0" ? "1" : "0", errDescription: failure?.error ?? "" };
    assert.deepEqual(await served.result("transaction", "getstatus", { txhash }), expected, txhash);
  }
  assert.ok(of.transactions.some(({ receipt }) => receipt.status === "0x0"));
}

interface Info extends Row {
  readonly logs: readonly Row[];
  readonly next_page_params: { readonly index: number } | null;
}

/** Revert reason of a transaction; undefined for a panic, which has its own text. */
function reasonOf(output: Hex): string | undefined {
  if (output === "0x" || output.startsWith(PANIC)) return output === "0x" ? "" : undefined;
  const isReason = output.startsWith("0x08c379a0");
  return isReason ? String(decodeErrorResult({ abi: BUILT_IN, data: output }).args[0]) : output;
}

const PANIC = "0x4e487b71";
const BUILT_IN = parseAbi(["error Error(string reason)"]);

async function compareInfos(served: Demonstrated): Promise<void> {
  const { of } = served.oracle;
  const reasons = new Set<unknown>();
  for (const mined of of.transactions) {
    const txhash = mined.tx.hash;
    const { revertReason, next_page_params, ...info } = await served.result<Info>("transaction", "gettxinfo", {
      txhash,
    });
    const logs = [...info.logs];
    assert.ok(logs.length <= 50);
    for (let next = next_page_params; next !== null; ) {
      const page = await served.result<Info>("transaction", "gettxinfo", { txhash, ...next });
      logs.push(...page.logs);
      next = page.next_page_params;
    }
    assert.deepEqual({ ...info, logs }, served.oracle.transactionInfo(mined), txhash);
    const output = of.state.failure(txhash)?.output ?? "0x";
    assert.equal(revertReason, reasonOf(output) ?? revertReason, txhash);
    if (output !== "0x") reasons.add(revertReason);
    const [first] = logsOf(mined.receipt);
    if (first === undefined) continue;
    const rest = await served.result<Info>("transaction", "gettxinfo", { txhash, index: Number(first.logIndex) });
    assert.deepEqual(rest.logs, logs.slice(1, 51), txhash);
  }
  assert.ok(of.transactions.some(({ receipt }) => receipt.logs.length > 100));
  assert.ok(reasons.has("0xdeadbeef") && reasons.has("no"), [...reasons].join());
  const unknown = await served.answer("transaction", "gettxinfo", { txhash: `0x${"ab".repeat(32)}` });
  assert.deepEqual([unknown.status, unknown.message], ["0", "Transaction not found"]);
}

async function comparePrices(served: Demonstrated): Promise<void> {
  const none = { btc: "0", btc_timestamp: "0", usd: "0", usd_timestamp: "0" };
  const named = (prefix: string) =>
    Object.fromEntries(Object.entries(none).map(([key, value]) => [prefix + key, value]));
  assert.deepEqual(await served.result("stats", "ethprice"), named("eth"));
  assert.deepEqual(await served.result("stats", "coinprice"), named("coin_"));
}

/** Every action of `proxy` that reads, with the parameters of its method. */
function proxied({ oracle, addresses, tokens }: Demonstrated): [string, Parameters, readonly unknown[]][] {
  const { tx } = oracle.of.transactions.at(-1)!;
  const [tag, to, address] = ["0x2a", tokens[0]!, addresses[0]!];
  const data = "0x18160ddd";
  return [
    ["eth_blockNumber", {}, []],
    ["eth_gasPrice", {}, []],
    ["eth_getBlockByNumber", { tag, boolean: "true" }, [tag, true]],
    ["eth_getBlockByNumber", { tag, boolean: "false" }, [tag, false]],
    ["eth_getBlockTransactionCountByNumber", { tag }, [tag]],
    ["eth_getTransactionByHash", { txhash: tx.hash }, [tx.hash]],
    ["eth_getTransactionByBlockNumberAndIndex", { tag, index: "0x0" }, [tag, "0x0"]],
    ["eth_getUncleByBlockNumberAndIndex", { tag, index: "0x0" }, [tag, "0x0"]],
    ["eth_getTransactionReceipt", { txhash: tx.hash }, [tx.hash]],
    ["eth_getTransactionCount", { address, tag }, [address, tag]],
    ["eth_getCode", { address: to, tag: "latest" }, [to, "latest"]],
    ["eth_getStorageAt", { address: to, position: "0x2", tag: "latest" }, [to, "0x2", "latest"]],
    ["eth_call", { to, data, tag: "latest" }, [{ to, data }, "latest"]],
    ["eth_estimateGas", { to, data, from: address }, [{ to, data, from: address }]],
  ];
}

async function compareProxy(served: Demonstrated): Promise<void> {
  for (const [method, parameters, params] of proxied(served)) {
    const answer = await served.answer("proxy", method, parameters);
    assert.deepEqual(answer, { jsonrpc: "2.0", id: 1, result: await served.node(method, ...params) }, method);
  }
}

async function compareEthRpc(served: Demonstrated): Promise<void> {
  const calls = proxied(served).map(([method, , params], id) => ({ jsonrpc: "2.0", id, method, params }));
  const expected = await Promise.all(
    calls.map(async ({ id, method, params }) => ({ jsonrpc: "2.0", id, result: await served.node(method, ...params) })),
  );
  const post = async (url: string, payload: string, headers: Record<string, string> = {}) =>
    (await served.followed.app.inject({ method: "POST", url, payload, headers })).json();
  for (const url of ["/api/eth-rpc", "/api/v1/eth-rpc", "/api/eth-rpc/"]) {
    assert.deepEqual(await post(url, JSON.stringify(calls)), expected);
    assert.deepEqual(await post(url, JSON.stringify(calls[0]), { "content-type": "application/json" }), expected[0]);
    const form = { "content-type": "application/x-www-form-urlencoded" };
    assert.deepEqual(await post(url, JSON.stringify(calls[1]), form), expected[1]);
    const { error } = (await post(url, JSON.stringify({ ...calls[0], method: "evm_mine" }))) as {
      error: { code: number };
    };
    assert.equal(error.code, -32_601);
  }
}

const COMPARISONS: readonly Comparison[] = [
  ["account/tokenlist: what each address has", compareTokenLists],
  ["account/getminedblocks: the blocks of each miner, with what it was paid", compareMinedBlocks],
  ["block/getblockreward: who made each block, and for how much", compareRewards],
  ["account/listaccounts and stats/ethsupply: what each account has, and all of them together", compareAccounts],
  ["4.2 stats/tokensupply, token/getToken and token/getTokenHolders: what tokens say, and who has them", compareTokens],
  ["contract/getcontractcreation: who made each contract", compareCreations],
  ["contract/listcontracts: what transactions deployed, oldest first, by pages and filters", compareContractLists],
  ["block/getblocknobytime: the block next to a time", compareBlockTimes],
  ["block/getblockcountdown: the blocks and seconds until a block", compareCountdown],
  ["gastracker/gasoracle: the next base fee and recent tips", compareGasOracle],
  ["transaction/gettxreceiptstatus and getstatus: how each transaction ended, and why", compareStatuses],
  ["transaction/gettxinfo: each transaction with its logs", compareInfos],
  ["stats/ethprice and coinprice: what nobody knows is said to be unknown", comparePrices],
  ...ETHERSCAN_COMPARISONS,
  ["proxy: what the node answers", compareProxy],
  ["/api/eth-rpc: what the node answers, one call or several", compareEthRpc],
];
