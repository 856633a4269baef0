import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Json, Served } from "../support/api.ts";
import { serveChain } from "../support/api.ts";
import { Random } from "../support/random.ts";
import { firstSeed } from "../support/seed.ts";
import type { SimulatedBlock } from "../support/simulatedChain.ts";
import { headOf } from "../support/simulatedMethods.ts";
import type { WireReceipt } from "../support/wireForm.ts";

const SEED = firstSeed();
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

let served: Served;

before(async () => {
  served = await serveChain({ seed: SEED, blocks: 80, tokens: true, traffic: { honestTokens: 4 } });
  console.log(`seed ${SEED}`);
});

after(() => served.close());

type Parameters = Readonly<Record<string, string | number>>;

interface Answer extends Json {
  status: string;
  message: string;
  result: unknown;
}

async function ask(module: string, action: string, parameters: Parameters = {}): Promise<Answer> {
  const pairs = Object.entries({ module, action, ...parameters }).map(([name, value]) => [name, String(value)]);
  const response = await served.app.inject(`/api?${new URLSearchParams(pairs)}`);
  assert.equal(response.statusCode, 200, response.body);
  return response.json() as Answer;
}

/** The rows of a list. */
async function rows(module: string, action: string, parameters: Parameters): Promise<Record<string, string>[]> {
  const { status, message, result } = await ask(module, action, parameters);
  assert.deepEqual([status, message], (result as unknown[]).length > 0 ? ["1", "OK"] : ["0", message]);
  return result as Record<string, string>[];
}

interface WireLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly logIndex: string;
}

type PlainReceipt = Omit<WireReceipt, "logs"> & Json & { readonly logs: readonly WireLog[] };

/** The blocks of the chain as its node sends them. */
function blocks() {
  return Array.from({ length: served.chain.length }, (_, at) => {
    const { block, receipts } = served.chain.at(at) as SimulatedBlock;
    return { block, receipts: receipts as unknown as readonly PlainReceipt[] };
  });
}

const decimal = (hex: unknown) => BigInt((hex ?? 0) as string).toString();

/** Expected `txlist` records from the node's JSON alone, oldest first. */
function plainTransactions() {
  const height = served.chain.length - 1;
  return blocks().flatMap(({ block, receipts }) =>
    block.transactions.map((tx, at) => {
      const receipt = receipts[at]!;
      return {
        parties: [tx.from, tx.to, receipt.status === "0x1" ? receipt.contractAddress : null],
        record: {
          blockNumber: decimal(block.number),
          timeStamp: decimal(block.timestamp),
          hash: tx.hash,
          nonce: decimal(tx.nonce),
          blockHash: block.hash,
          transactionIndex: String(at),
          gas: decimal(tx.gas),
          gasPrice: decimal(receipt.effectiveGasPrice),
          gasUsed: decimal(receipt.gasUsed),
          cumulativeGasUsed: decimal(receipt.cumulativeGasUsed),
          confirmations: String(height - Number(block.number) + 1),
          methodId: (tx.input as string).length < 10 ? "0x" : (tx.input as string).slice(0, 10),
          from: tx.from,
          to: tx.to ?? "",
          value: decimal(tx.value),
          isError: receipt.status === "0x0" ? "1" : "0",
          txreceipt_status: String(Number(receipt.status)),
          input: tx.input,
          contractAddress: receipt.contractAddress ?? "",
        },
      };
    }),
  );
}

const withoutNames = (list: readonly Record<string, string>[]) => list.map(({ functionName: _, ...rest }) => rest);

test("4.2 account/txlist: every transaction of an address, in either order, by blocks, pages and roles", async () => {
  const all = plainTransactions();
  const random = new Random(SEED);
  const addresses = [...new Set(all.flatMap(({ parties }) => parties))].filter((party) => party !== null);
  for (const address of addresses.slice(0, 60)) {
    const own = all.filter(({ parties }) => parties.includes(address)).map(({ record }) => record);
    const list = (parameters: Parameters) => rows("account", "txlist", { address: address as string, ...parameters });
    assert.deepEqual(withoutNames(await list({})), own.toReversed());
    assert.deepEqual(withoutNames(await list({ sort: "asc" })), own);
    const [from, to] = [random.int(40), 30 + random.int(60)];
    const within = own.filter(({ blockNumber }) => Number(blockNumber) >= from && Number(blockNumber) <= to);
    const window = { startblock: from, endBlock: to, sort: "asc" };
    assert.deepEqual(withoutNames(await list(window)), within);
    assert.deepEqual(withoutNames(await list({ ...window, page: 2, offset: 3 })), within.slice(3, 6));
    assert.deepEqual(
      withoutNames(await list({ ...window, sort: "desc", page: 2, offset: 3 })),
      within.toReversed().slice(3, 6),
    );
    const sent = within.filter((record) => record.from === address);
    assert.deepEqual(withoutNames(await list({ ...window, filter_by: "from" })), sent);
    const times = own.map(({ timeStamp }) => Number(timeStamp));
    const [start, end] = [Math.min(...times), Math.max(...times)];
    assert.deepEqual(withoutNames(await list({ start_timestamp: start, end_timestamp: end, sort: "asc" })), own);
  }
});

/** Deposit, Withdrawal, TransferSingle and TransferBatch. */
const OTHERS = ["0xe1fffcc4", "0x7fcf532c", "0xc3d58168", "0x4a39dc06"];

/** The contracts whose logs are ERC-20 transfers alone, so that each of these is a transfer and nothing else is. */
function plainTokens(): Set<string> {
  const logs = blocks().flatMap(({ receipts }) => receipts.flatMap((receipt) => receipt.logs));
  const isOther = ({ topics }: (typeof logs)[number]) =>
    (topics[0] === TRANSFER && topics.length !== 3) || OTHERS.includes(String(topics[0]).slice(0, 10));
  const others = new Set(logs.filter(isOther).map(({ address }) => address));
  const moving = logs.filter(
    ({ topics, data }) => topics[0] === TRANSFER && topics.length === 3 && String(data).length === 66,
  );
  return new Set(moving.map(({ address }) => address).filter((address) => !others.has(address)));
}

test("4.2 account/tokentx: the transfers of an address, of a token, and of both are those of the logs", async () => {
  const tokens = plainTokens();
  assert.ok(tokens.size > 3);
  const transfers = blocks().flatMap(({ block, receipts }) =>
    receipts.flatMap((receipt, transactionIndex) =>
      receipt.logs
        .filter(
          ({ address, topics, data }) => tokens.has(address) && topics[0] === TRANSFER && String(data).length === 66,
        )
        .map((log) => ({
          blockNumber: decimal(block.number),
          hash: receipt.transactionHash,
          transactionIndex: String(transactionIndex),
          logIndex: decimal(log.logIndex),
          contractAddress: log.address,
          from: `0x${log.topics[1]!.slice(26)}`,
          to: `0x${log.topics[2]!.slice(26)}`,
          value: decimal(log.data),
        })),
    ),
  );
  const keys = Object.keys(transfers[0]!);
  const shown = (list: readonly Record<string, string>[]) =>
    list.map((row) => Object.fromEntries(keys.map((key) => [key, row[key]])));
  for (const { contractAddress, from, to } of transfers.slice(0, 40)) {
    const token = { contractaddress: contractAddress };
    const ofToken = transfers.filter((one) => one.contractAddress === contractAddress);
    assert.deepEqual(shown(await rows("account", "tokentx", { ...token, sort: "asc" })), ofToken);
    for (const address of [from, to].filter((party) => !/^0x0+$/.test(party))) {
      const ofPair = ofToken.filter((one) => one.from === address || one.to === address);
      assert.deepEqual(shown(await rows("account", "tokentx", { ...token, address, sort: "asc" })), ofPair);
      const found = await rows("account", "tokentx", { address, sort: "asc" });
      assert.deepEqual(shown(found.filter((row) => row.contractAddress === contractAddress)), ofPair);
      assert.ok(found.every((row) => typeof row.tokenName === "string" && typeof row.tokenDecimal === "string"));
    }
  }
});

test("4.2 logs/getLogs: logs by address and topics, oldest first", async () => {
  const logs = blocks().flatMap(({ block, receipts }) =>
    receipts.flatMap((receipt) =>
      receipt.logs.map((log) => ({
        address: log.address,
        topics: log.topics,
        data: log.data,
        blockNumber: block.number,
        blockHash: block.hash,
        timeStamp: block.timestamp,
        gasPrice: receipt.effectiveGasPrice,
        gasUsed: receipt.gasUsed,
        logIndex: log.logIndex,
        transactionHash: receipt.transactionHash,
        transactionIndex: receipt.transactionIndex,
      })),
    ),
  );
  const range = { fromBlock: 0, toBlock: "latest" };
  const ofTopic = logs.filter(({ topics }) => topics[0] === TRANSFER);
  assert.deepEqual(await rows("logs", "getLogs", { ...range, topic0: TRANSFER, offset: 1000 }), ofTopic.slice(0, 1000));
  for (const { address, topics } of logs.slice(0, 30)) {
    const own = logs.filter((log) => log.address === address);
    assert.deepEqual(await rows("logs", "getLogs", { ...range, address: address as string }), own.slice(0, 1000));
    if (topics.length < 2) continue;
    const both = { topic0: topics[0] as string, topic1: topics[1] as string };
    const has = (log: (typeof logs)[number], at: number) => log.topics[at] === topics[at];
    for (const operator of ["and", "or"]) {
      const wanted = logs.filter((log) =>
        operator === "and" ? has(log, 0) && has(log, 1) : has(log, 0) || has(log, 1),
      );
      const found = await rows("logs", "getLogs", { ...range, ...both, topic0_1_opr: operator });
      assert.deepEqual(found, wanted.slice(0, 1000));
    }
  }
});

test("4.2 rule 1, 8: getLogs returns at most 1,000 logs, and page and offset read further, each log once", async () => {
  const parameters = { fromBlock: 0, toBlock: "latest", topic0: TRANSFER };
  const all = await rows("logs", "getLogs", { ...parameters, offset: 1_000_000 });
  assert.ok(all.length <= 1000);
  const read: unknown[] = [];
  for (let page = 1; read.length < Math.min(all.length, 200); page++) {
    read.push(...(await rows("logs", "getLogs", { ...parameters, page, offset: 7 })));
  }
  assert.deepEqual(read, all.slice(0, read.length));
  const { status, message, result } = await ask("logs", "getLogs", { ...parameters, page: 100_000 });
  assert.deepEqual([status, message, result], ["0", "No records found", []]);
});

test("4.2 rule 2, 7: the operator of every pair of topics is required, and what is missing or wrong is said", async () => {
  const range = { fromBlock: 0, toBlock: "latest" };
  const topic = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`topic${at}`, TRANSFER]));
  const cases: [Parameters, string][] = [
    [{ ...range, ...topic(2) }, "Required query parameters missing: topic0_1_opr"],
    [{ ...range, ...topic(3) }, "Required query parameters missing: topic0_1_opr, topic0_2_opr, topic1_2_opr"],
    [
      { ...range, ...topic(4) },
      "Required query parameters missing: topic0_1_opr, topic0_2_opr, topic0_3_opr, topic1_2_opr, topic1_3_opr, topic2_3_opr",
    ],
    [{}, "Required query parameters missing: fromBlock, toBlock, address and/or topic{x}"],
    [{ fromBlock: 1, topic0: TRANSFER }, "Required query parameters missing: toBlock"],
    [range, "Required query parameters missing: address and/or topic{x}"],
    [topic(2), "Required query parameters missing: topic0_1_opr"],
    [{ fromBlock: 0, ...topic(2) }, "Required query parameters missing: topic0_1_opr"],
    [{ toBlock: "latest", address: "0x12", ...topic(2) }, "Required query parameters missing: topic0_1_opr"],
    [{ ...topic(2), topic0_1_opr: "and" }, "Required query parameters missing: fromBlock, toBlock"],
    [{ ...range, fromBlock: "0x", topic0: TRANSFER }, "Invalid fromBlock format"],
    [{ ...range, fromBlock: "0xg", topic0: TRANSFER }, "Invalid fromBlock format"],
    [{ ...range, toBlock: "pending", topic0: TRANSFER }, "Invalid toBlock format"],
    [{ ...range, address: "0x12" }, "Invalid address format"],
    [{ ...range, topic0: "0x12" }, "Invalid topic0 format"],
    [{ ...range, ...topic(2), topic0_1_opr: "xor" }, "Invalid topic0_1_opr format"],
  ];
  for (const [parameters, text] of cases) {
    const { status, message, result } = await ask("logs", "getLogs", parameters);
    assert.deepEqual([status, message, result], ["0", text, text]);
  }
});

test("4.2 logs/getLogs: operators in any case, and blocks as decimal or hex numbers or tags", async () => {
  const topics = { topic0: TRANSFER, topic1: `0x${"0".repeat(64)}`, offset: 1000 };
  const range = { fromBlock: 3, toBlock: 40 };
  for (const operator of ["and", "or"]) {
    const expected = await rows("logs", "getLogs", { ...range, ...topics, topic0_1_opr: operator });
    for (const spelled of [operator.toUpperCase(), operator[0]!.toUpperCase() + operator.slice(1)]) {
      const found = await rows("logs", "getLogs", { ...range, ...topics, topic0_1_opr: spelled });
      assert.deepEqual(found, expected, spelled);
    }
  }
  const newest = served.chain.length - 1;
  const same: [Parameters, Parameters][] = [
    [
      { fromBlock: "0x3", toBlock: "0x28" },
      { fromBlock: 3, toBlock: 40 },
    ],
    [
      { fromBlock: "earliest", toBlock: "0X28" },
      { fromBlock: 0, toBlock: 40 },
    ],
    [
      { fromBlock: "Earliest", toBlock: "LATEST" },
      { fromBlock: 0, toBlock: newest },
    ],
    [
      { fromBlock: "finalized", toBlock: "latest" },
      { fromBlock: headOf({ chain: served.chain }).finalized, toBlock: newest },
    ],
  ];
  for (const [spelled, plain] of same) {
    const [found, expected] = await Promise.all(
      [spelled, plain].map((blocks) => ask("logs", "getLogs", { ...blocks, topic0: TRANSFER })),
    );
    assert.deepEqual(found, expected, JSON.stringify(spelled));
  }
  const all = await rows("logs", "getLogs", { ...range, topic0: TRANSFER, topic1: topics.topic1, topic0_1_opr: "Or" });
  assert.ok(all.length > 0);
});

test("4.2 `sort` in any case, and nothing else", async () => {
  const [{ record }] = plainTransactions() as [ReturnType<typeof plainTransactions>[number]];
  const list = (sort: string) => ask("account", "txlist", { address: record.from as string, sort });
  const [ascending, descending] = [await list("asc"), await list("desc")];

  assert.deepEqual(await list("ASC"), ascending);
  assert.deepEqual(await list("Desc"), descending);
  assert.deepEqual(await list(""), descending);
  assert.notDeepEqual(ascending, descending);
  const message = "Invalid sort: use asc or desc";
  for (const action of ["txlist", "txlistinternal", "tokentx", "tokennfttx", "token1155tx", "getminedblocks"]) {
    const answer = await ask("account", action, { address: record.from as string, sort: "ascending" });
    assert.deepEqual([answer.status, answer.message, answer.result], ["0", message, message], action);
  }
});

test("4.2 block/eth_block_number: the newest block, in the envelope and as JSON-RPC", async () => {
  const newest = `0x${(served.chain.length - 1).toString(16)}`;
  const { status, message, result, jsonrpc, id } = await ask("block", "eth_block_number");
  assert.deepEqual([status, message, result, jsonrpc, id], ["1", "OK", newest, "2.0", 1]);
});

const transfersOf = (token: string): WireLog[] =>
  blocks()
    .flatMap(({ receipts }) => receipts.flatMap(({ logs }) => logs))
    .filter(({ address, topics, data }) => address === token && topics[0] === TRANSFER && data.length === 66);

test("4.2 stats/tokensupply: what the transfers of a token add up to", async () => {
  for (const contractaddress of plainTokens()) {
    const { result } = await ask("stats", "tokensupply", { contractaddress });
    const minted = transfersOf(contractaddress).filter(({ topics }) => /^0x0+$/.test(topics[1]!));
    const burnt = transfersOf(contractaddress).filter(({ topics }) => /^0x0+$/.test(topics[2]!));
    const sum = (logs: readonly WireLog[]) => logs.reduce((total, { data }) => total + BigInt(data), 0n);
    const supply = sum(minted) - sum(burnt);
    assert.equal(result, (supply < 0n ? 0n : supply).toString());
  }
  const none = await ask("stats", "tokensupply", { contractaddress: `0x${"12".repeat(20)}` });
  assert.deepEqual([none.status, none.message], ["0", "Contract address not found"]);
});

test("4.2 contract/getabi and getsourcecode of what is not verified say so in the words that clients know", async () => {
  const address = `0x${"12".repeat(20)}`;
  const abi = await ask("contract", "getabi", { address });
  assert.deepEqual([abi.status, abi.message, abi.result], ["0", "Contract source code not verified", abi.message]);
  const { status, result } = await ask("contract", "getsourcecode", { address });
  const [source] = result as Record<string, string>[];
  assert.deepEqual([status, source!.SourceCode, source!.ABI], ["1", "", "Contract source code not verified"]);
});

test("block/getblocknobytime: the last block up to a time, or the first from it on", async () => {
  const times = blocks().map(({ block }) => Number(block.timestamp));
  for (const [at, time] of times.entries()) {
    const before = await ask("block", "getblocknobytime", { timestamp: time, closest: "before" });
    const after = await ask("block", "getblocknobytime", { timestamp: time, closest: "after" });
    assert.deepEqual(before.result, { blockNumber: String(times.findLastIndex((other) => other <= time)) });
    assert.deepEqual(after.result, { blockNumber: String(times.findIndex((other) => other >= time)) }, `block ${at}`);
  }
});

test("on Etherscan's own path answers have the forms that its clients expect", async () => {
  const etherscan = async (query: string) => (await served.app.inject(`/v2/api?${query}`)).json<Answer>();
  const { number, timestamp } = blocks()[40]!.block;
  const byTime = `module=block&action=getblocknobytime&timestamp=${Number(timestamp)}&closest=before`;
  const logs = `module=logs&action=getLogs&topic0=${TRANSFER}`;

  assert.equal((await etherscan(byTime)).result, decimal(number));
  assert.deepEqual(
    (await etherscan(logs)).result,
    await rows("logs", "getLogs", { fromBlock: 0, toBlock: "latest", topic0: TRANSFER }),
  );
  for (const path of ["/api", "/v2/api"]) {
    for (const query of ["action=eth_blockNumber&chainid=1", "action=eth_getCode&chainid=677"]) {
      const { statusCode, body } = await served.app.inject(`${path}?module=proxy&${query}`);
      const { jsonrpc, error, status } = JSON.parse(body) as Answer & { error: { code: number } };
      assert.deepEqual([statusCode, jsonrpc, error.code, status], [200, "2.0", -32_602, undefined], query);
    }
  }
});

test("on Etherscan's own path what is refused or absent has the words and nulls that its clients expect", async () => {
  const both = async (query: string) => {
    const at = async (path: string) => (await served.app.inject(`${path}?${query}`)).json<Answer>();
    return { plain: await at("/api"), etherscan: await at("/v2/api") };
  };
  const nobody = `0x${"12".repeat(20)}`;
  const miner = blocks()[40]!.block.miner as string;

  for (const query of [
    `module=contract&action=getabi&address=${nobody}`,
    "module=account&action=txlist&address=0x12",
    "module=account&action=nothing",
    "module=block&action=getblockreward&blockno=1&chainid=1",
    "module=contract&action=checkverifystatus&guid=nothing",
  ]) {
    const { plain, etherscan } = await both(query);
    assert.deepEqual([plain.status, plain.result], ["0", plain.message], query);
    assert.deepEqual(etherscan, { ...plain, message: "NOTOK" }, query);
  }
  const creation = await both(`module=contract&action=getcontractcreation&contractaddresses=${nobody}`);
  assert.deepEqual(creation.plain, { status: "0", message: "No data found", result: [] });
  assert.deepEqual(creation.etherscan, { ...creation.plain, result: null });
  const mined = await both(`module=account&action=getminedblocks&address=${nobody}`);
  assert.deepEqual(mined.plain, { status: "0", message: "No blocks found", result: [] });
  assert.deepEqual(mined.etherscan, { ...mined.plain, message: "No transactions found" });
  const uncles = await both(`module=account&action=getminedblocks&blocktype=uncles&address=${miner}`);
  assert.deepEqual([uncles.plain, uncles.etherscan], [mined.plain, mined.etherscan]);
  const named = await both(`module=account&action=getminedblocks&blocktype=Blocks&address=${miner}`);
  assert.deepEqual(named.plain.result, await rows("account", "getminedblocks", { address: miner }));
  const other = await both(`module=account&action=getminedblocks&blocktype=other&address=${miner}`);
  assert.match(String(other.etherscan.result), /^Invalid blocktype/);
});

test("account/txlistinternal of nobody says what an empty txlist says", async (t) => {
  const traced = await serveChain({ seed: SEED, blocks: 3, tokens: true, traces: true });
  t.after(() => traced.close());
  for (const action of ["txlist", "txlistinternal"]) {
    const url = `/api?module=account&action=${action}&address=0x${"12".repeat(20)}`;
    const empty = { status: "0", message: "No transactions found", result: [] };
    assert.deepEqual((await traced.app.inject(url)).json(), empty);
  }
});

test("transaction/gettxreceiptstatus is the status of the receipt, and empty for what nobody knows", async () => {
  for (const { receipts } of blocks().slice(0, 20)) {
    for (const { transactionHash, status } of receipts) {
      const { result } = await ask("transaction", "gettxreceiptstatus", { txhash: transactionHash as string });
      assert.deepEqual(result, { status: String(Number(status)) });
    }
  }
  const unknown = await ask("transaction", "gettxreceiptstatus", { txhash: `0x${"ab".repeat(32)}` });
  assert.deepEqual(unknown.result, { status: "" });
});

/** A request as a client sends it. */
type Sent = Readonly<{
  method?: "GET" | "POST" | "PUT";
  url: string;
  payload?: string;
  headers?: Record<string, string>;
}>;

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const MULTIPART = { "content-type": "multipart/form-data; boundary=x" };
const part = (name: string, value: string) =>
  `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

test("parameters come from the query, a form or JSON, or are split between them, under every path", async () => {
  const query = "module=block&action=eth_block_number";
  const requests: Sent[] = [
    ...["/api", "/api/", "/api/v1", "/api/v1/", "/v2/api"].map((path) => ({ url: `${path}?${query}` })),
    { url: "/api?MODULE=Block&Action=ETH_BLOCK_NUMBER&chainId=677&apikey=anything" },
    { method: "POST", url: `/api?${query}` },
    { method: "POST", url: "/api", payload: query, headers: FORM },
    { method: "POST", url: "/api?module=block", payload: "action=eth_block_number", headers: FORM },
    {
      method: "POST",
      url: "/api",
      payload: JSON.stringify({ module: "block", action: "eth_block_number", chainid: 677 }),
    },
    {
      method: "POST",
      url: "/api",
      payload: `${part("module", "block")}${part("action", "eth_block_number")}--x--\r\n`,
      headers: MULTIPART,
    },
  ];
  for (const request of requests) {
    const { statusCode, body } = await served.app.inject(request);
    assert.equal(statusCode, 200, `${JSON.stringify(request)} ${body}`);
    assert.equal((JSON.parse(body) as Answer).message, "OK");
  }
});

test("what is refused is refused in the envelope, never with null and never as HTML", async () => {
  const long = "a".repeat(2_000_000);
  const requests: [status: number, request: Sent, message: RegExp][] = [
    [400, { url: "/api" }, /^Params 'module' and 'action' are required parameters$/],
    [400, { url: "/api?module=nothing&action=x" }, /^Unknown module$/],
    [400, { url: "/api?module=account&action=nothing" }, /^Unknown action$/],
    [400, { url: "/api?module=constructor&action=toString" }, /^Unknown module$/],
    [200, { url: "/api?module=account&action=txlist" }, /^Query parameter 'address' is required$/],
    [200, { url: "/api?module=account&action=txlist&address[]=0x12" }, /is required$/],
    [200, { url: "/api?module=account&action=balance&address=0x12" }, /^Invalid address hash$/],
    [200, { url: "/api?module=block&action=eth_block_number&chainid=1" }, /^Missing or unsupported chainid/],
    [200, { method: "POST", url: "/api", payload: "{", headers: { "content-type": "application/json" } }, /JSON/],
    [200, { method: "POST", url: "/api", payload: "[]", headers: { "content-type": "application/json" } }, /JSON/],
    [200, { method: "POST", url: "/api", payload: "nothing", headers: MULTIPART }, /form/],
    [
      200,
      { url: `/api?${Array.from({ length: 1000 }, (_, at) => `t${at}=1`).join("&")}` },
      /^Too many query parameters$/,
    ],
    [413, { method: "POST", url: "/api", payload: `module=${long.repeat(6)}`, headers: FORM }, /./],
    [404, { url: "/api/v3?module=block" }, /^Not found$/],
    [405, { method: "PUT", url: "/api" }, /./],
    [414, { url: `/api?module=${"a".repeat(40_000)}` }, /./],
  ];
  for (const [status, request, message] of requests) {
    const response = await served.app.inject(request);
    assert.equal(response.statusCode, status, `${request.url.slice(0, 80)} ${response.body.slice(0, 200)}`);
    const answer = response.json() as Answer;
    assert.equal(answer.status, "0");
    assert.match(answer.message, message);
    assert.notEqual(answer.result, null);
    assert.match(response.headers["content-type"] as string, /^application\/json/);
  }
});
