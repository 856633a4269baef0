import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { LightMyRequestResponse } from "fastify";
import { ACTIONS } from "../../src/api/action/actions.ts";
import { MAX_FIELDS } from "../../src/api/http/formError.ts";
import type { Served } from "../support/api.ts";
import { serveChain } from "../support/api.ts";
import { DevelopmentNode } from "../support/developmentNode.ts";
import { Random } from "../support/random.ts";
import { firstSeed } from "../support/seed.ts";

const SEED = firstSeed();
/** Random requests of each action. */
const CASES = Number(process.env.ORIEL_CASES ?? 4);

const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const MEBIBYTE = 1 << 20;

let served: Served;
let node: DevelopmentNode;

before(async () => {
  node = await DevelopmentNode.open();
  const rpc = () => ({ handle: (body: string, isTrusted: boolean) => node.node.handle(body, isTrusted) });
  served = await serveChain({ seed: SEED, blocks: 40, tokens: true, traces: true, traffic: { honestTokens: 2 }, rpc });
  console.log(`seed ${SEED}`);
});

after(async () => {
  await served.close();
  await node.close();
});

type Kind = "address" | "addresses" | "hash" | "number" | "block" | "text" | "date";

/** Parameters of actions; required ones begin with an exclamation mark. */
const PARAMETERS: Readonly<Record<string, Readonly<Record<string, Kind>>>> = (() => {
  const page = { page: "number", offset: "number" } as const;
  const range = { ...page, startblock: "number", endblock: "number", sort: "text" } as const;
  const transfers = { "!address": "address", contractaddress: "address", ...range } as const;
  const call = { to: "address", data: "text", from: "address", value: "text", gas: "text", gasPrice: "text" } as const;
  const topics = { topic0: "hash", topic1: "hash", topic2: "hash", topic3: "hash" } as const;
  const operators = { topic0_1_opr: "text", topic1_2_opr: "text", topic2_3_opr: "text" } as const;
  return {
    balance: { "!address": "addresses", tag: "block" },
    balancemulti: { "!address": "addresses", tag: "block" },
    txlist: { "!address": "address", ...range, filter_by: "text", start_timestamp: "number", end_timestamp: "number" },
    txlistinternal: { address: "address", txhash: "hash", ...range, include_zero_value: "text" },
    tokentx: transfers,
    tokennfttx: transfers,
    token1155tx: transfers,
    tokenbalance: { "!contractaddress": "address", "!address": "address", tag: "block" },
    tokenlist: { "!address": "address", ...page },
    getminedblocks: { "!address": "address", blocktype: "text", ...range },
    listaccounts: page,
    eth_block_number: { id: "text" },
    getblockreward: { "!blockno": "number" },
    getblocknobytime: { "!timestamp": "number", "!closest": "text" },
    getblockcountdown: { "!blockno": "number" },
    getabi: { "!address": "address" },
    getsourcecode: { "!address": "address" },
    getcontractcreation: { "!contractaddresses": "addresses" },
    listcontracts: { ...page, filter: "text" },
    verifysourcecode: {
      ...{ "!contractaddress": "address", "!sourceCode": "text", "!codeformat": "text", "!contractname": "text" },
      ...{ "!compilerversion": "text", optimizationUsed: "text", runs: "number", evmversion: "text" },
    },
    checkverifystatus: { "!guid": "text" },
    verifyproxycontract: { "!address": "address", expectedimplementation: "address" },
    checkproxyverification: { "!guid": "text" },
    gasoracle: {},
    getLogs: { "!fromBlock": "block", "!toBlock": "block", address: "address", ...topics, ...operators, ...page },
    balancehistory: { "!address": "address", "!blockno": "number" },
    eth_get_balance: { "!address": "address", block: "block", id: "text" },
    tokenbalancehistory: { "!contractaddress": "address", "!address": "address", "!blockno": "number" },
    tokensupplyhistory: { "!contractaddress": "address", "!blockno": "number" },
    addresstokenbalance: { "!address": "address", ...page },
    addresstokennftbalance: { "!address": "address", ...page },
    addresstokennftinventory: { "!address": "address", "!contractaddress": "address", ...page },
    fundedby: { "!address": "address" },
    txsBeaconWithdrawal: { "!address": "address", ...range },
    pendingtxlist: { "!address": "address", ...page },
    getblocktxnscount: { "!blockno": "number" },
    gasestimate: { "!gasprice": "number" },
    getapilimit: {},
    verify: { "!addressHash": "address", "!name": "text", "!compilerVersion": "text", "!contractSourceCode": "text" },
    verify_vyper_contract: {},
    ethsupplyexchange: {},
    coinsupply: {},
    totalfees: { "!date": "date" },
    ...Object.fromEntries(
      Object.keys(ACTIONS.stats)
        .filter((action) => action.startsWith("daily"))
        .map((action) => [action, { "!startdate": "date", "!enddate": "date", sort: "text" }]),
    ),
    tokeninfo: { "!contractaddress": "address" },
    tokenholderlist: { "!contractaddress": "address", ...page },
    tokenholdercount: { "!contractaddress": "address" },
    topholders: { "!contractaddress": "address", ...page },
    tokensupply: { "!contractaddress": "address", cmc: "text" },
    ethsupply: {},
    ethprice: {},
    coinprice: {},
    getToken: { "!contractaddress": "address" },
    getTokenHolders: { "!contractaddress": "address", ...page },
    gettxinfo: { "!txhash": "hash", index: "number" },
    gettxreceiptstatus: { "!txhash": "hash" },
    getstatus: { "!txhash": "hash" },
    eth_blockNumber: {},
    eth_gasPrice: {},
    eth_getBlockByNumber: { tag: "block", boolean: "text" },
    eth_getBlockTransactionCountByNumber: { tag: "block" },
    eth_getTransactionByHash: { "!txhash": "hash" },
    eth_getTransactionByBlockNumberAndIndex: { tag: "block", "!index": "text" },
    eth_getUncleByBlockNumberAndIndex: { tag: "block", "!index": "text" },
    eth_getTransactionReceipt: { "!txhash": "hash" },
    eth_getTransactionCount: { "!address": "address", tag: "block" },
    eth_getCode: { "!address": "address", tag: "block" },
    eth_getStorageAt: { "!address": "address", "!position": "text", tag: "block" },
    eth_call: { ...call, tag: "block" },
    eth_estimateGas: call,
    eth_sendRawTransaction: { "!hex": "text" },
  };
})();

const plainName = (name: string) => name.replace("!", "");

const ALL = Object.entries(ACTIONS).flatMap(([module, actions]) =>
  Object.keys(actions).map((action) => ({ module, action, parameters: PARAMETERS[action]! })),
);

/** The daily statistics read their parameters by one function. */
const ASKED = ALL.filter(({ action }) => !action.startsWith("daily") || action === "dailytx");

/** A value of each kind that can be read; the address and the hash are on the chain. */
function goodValue(kind: Kind): string {
  const { block } = served.chain.at(20)!;
  const { hash, from } = block.transactions[0] ?? { hash: TRANSFER, from: block.miner as string };
  const values = {
    address: from,
    addresses: `${from},${from}`,
    hash,
    number: "1",
    block: "1",
    text: "0x1",
    date: "2023-11-14",
  };
  return values[kind];
}

/** Values that no parameter of a kind but `text` can be. */
const BAD_VALUES = [
  ...[
    "null",
    "undefined",
    "NaN",
    "true",
    "[]",
    "{}",
    "[object Object]",
    "-1",
    "1.5",
    "1e3",
    "0x",
    "0xzz",
    "--",
    "'\"<b>",
  ],
  ...[" ", "\0", "\n", "\u{1F4A5}", "\uFFFD", "%", "%2", "%ff", "../../etc", "' OR 1=1 --", "__proto__"],
  `0x${"f".repeat(39)}`,
  `0x${"f".repeat(41)}`,
  `0x${"g".repeat(64)}`,
  "9".repeat(400),
  "a".repeat(5000),
  Array.from({ length: 500 }, () => "0x12").join(),
];

/** Numbers that can be read, and that no chain has so many of anything for. */
const LARGE_NUMBERS = ["0", "2147483648", "999999999999999", "9007199254740993"];

interface Answer {
  readonly status?: string;
  readonly message?: string;
  readonly result?: unknown;
  readonly error?: unknown;
  readonly jsonrpc?: string;
}

/** Every answer is the envelope, or JSON-RPC of the module `proxy`, whatever was sent. */
function expectClean(response: LightMyRequestResponse, label: string): Answer {
  assert.ok([200, 400, 413, 414].includes(response.statusCode), `${label}: ${response.statusCode} ${response.body}`);
  assert.match(String(response.headers["content-type"]), /^application\/json/, label);
  const answer = response.json<Answer>();
  if (answer.jsonrpc !== undefined && answer.status === undefined) {
    assert.equal(answer.error === undefined, "result" in answer, label);
    return answer;
  }
  const { status, message, result } = answer;
  assert.ok(status === "1" || status === "0", `${label}: ${response.body}`);
  assert.ok(typeof message === "string" && message.length > 0 && message.length < 300, `${label}: ${message}`);
  const isEtherscan = response.raw.req.url?.startsWith("/v2/api") === true;
  if (isEtherscan && message === "No data found") assert.equal(result, null, label);
  else assert.ok(result !== null && result !== undefined, label);
  assert.equal(status === "1", message === "OK", label);
  if (status === "0" && typeof result === "string") {
    assert.ok(result.length > 0 && result.length < 300, `${label}: ${result}`);
    assert.equal(message, isEtherscan ? "NOTOK" : result, label);
  } else if (status === "0") assert.ok(result === null || Array.isArray(result), label);
  return answer;
}

const isRefused = ({ status, error }: Answer) => status === "0" || error !== undefined;

type Pairs = readonly (readonly [string, unknown])[];

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const MULTIPART = { "content-type": "multipart/form-data; boundary=bound" };

const formOf = (pairs: Pairs) => new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();

function multipartOf(pairs: Pairs): string {
  const parts = pairs.map(
    ([name, value]) => `--bound\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${String(value)}\r\n`,
  );
  return `${parts.join("")}--bound--\r\n`;
}

/** The ways in which clients send parameters. */
const WAYS: Readonly<Record<string, (pairs: Pairs) => Promise<LightMyRequestResponse>>> = {
  query: async (pairs) => served.app.inject(`/api?${formOf(pairs)}`),
  form: async (pairs) => served.app.inject({ method: "POST", url: "/api", payload: formOf(pairs), headers: FORM }),
  multipart: async (pairs) =>
    served.app.inject({ method: "POST", url: "/v2/api", payload: multipartOf(pairs), headers: MULTIPART }),
  json: async (pairs) =>
    served.app.inject({ method: "POST", url: "/api/v1", payload: JSON.stringify(Object.fromEntries(pairs)) }),
};

test("the table covers the parameters of every action", () => {
  const names = ALL.map(({ action }) => action).sort();

  assert.deepEqual(Object.keys(PARAMETERS).sort(), names);
});

test("4.2 a required parameter that is missing, empty or of another type is refused, in every way of sending it", async () => {
  for (const { module, action, parameters } of ASKED) {
    const good = Object.entries(parameters).filter(([name]) => name.startsWith("!"));
    const named = good.map(([name, kind]) => [plainName(name), goodValue(kind)] as const);
    for (const [at, [name, kind]] of good.entries()) {
      const others = named.filter((_, index) => index !== at);
      const isText = kind === "text" && name !== "!closest";
      for (const value of [undefined, "", ...(isText ? [] : BAD_VALUES)]) {
        const pairs = [
          ["module", module],
          ["action", action],
          ...others,
          ...(value === undefined ? [] : [[plainName(name), value]]),
        ] as Pairs;
        for (const [way, send] of Object.entries(WAYS)) {
          if (way === "multipart" && value !== undefined && /[\0\r\n]/.test(value)) continue;
          const label = `${module}/${action} ${way} ${name}=${String(value).slice(0, 50)}`;
          assert.ok(isRefused(expectClean(await send(pairs), label)), label);
        }
      }
    }
  }
});

test("an optional parameter of another type is the default or is refused, and the answer is clean", async () => {
  for (const { module, action, parameters } of ASKED) {
    const required = Object.entries(parameters).filter(([name]) => name.startsWith("!"));
    const base = required.map(([name, kind]) => [plainName(name), goodValue(kind)] as const);
    for (const name of Object.keys(parameters).filter((each) => !each.startsWith("!"))) {
      for (const value of [...BAD_VALUES, ...LARGE_NUMBERS]) {
        const pairs: Pairs = [["module", module], ["action", action], ...base, [name, value]];
        expectClean(await WAYS.form!(pairs), `${module}/${action} ${name}=${value.slice(0, 50)}`);
      }
    }
  }
});

test(`random parameters of every action, in every way of sending them, are answered cleanly (seed ${SEED})`, async () => {
  const random = new Random(SEED);
  const odd = [1, -1, 1.5, true, null, [], ["0x12", "0x13"], { a: { b: 1 } }, [[[]]], 2 ** 60, ""];
  for (const { module, action, parameters } of ASKED) {
    for (let at = 0; at < CASES; at++) {
      const chosen = Object.entries(parameters).filter(() => random.chance(0.8));
      const values = chosen.map(([name, kind]) => {
        const value = random.pick<unknown>([
          goodValue(kind),
          ...[BAD_VALUES, LARGE_NUMBERS, odd].map((some) => random.pick<unknown>(some)),
        ]);
        const spelled = random.pick([plainName(name), plainName(name).toUpperCase(), `${plainName(name)}[]`]);
        return [random.chance(0.8) ? plainName(name) : spelled, value] as const;
      });
      const pairs: Pairs = [["module", module], ["action", action], ...values, ...values.slice(0, random.int(3))];
      const way = random.pick(Object.keys(WAYS));
      expectClean(
        await WAYS[way]!(pairs),
        `seed ${SEED} ${module}/${action} ${way} ${JSON.stringify(pairs).slice(0, 300)}`,
      );
    }
  }
});

test("ten thousand topics, ten thousand of one, and ten thousand addresses are refused or read at once", async () => {
  const range = [
    ["module", "logs"],
    ["action", "getLogs"],
    ["fromBlock", "0"],
    ["toBlock", "latest"],
  ] as const;
  const many = (length: number) => Array.from({ length }, (_, at) => [`topic${at}`, TRANSFER] as const);
  const same = (length: number) => Array.from({ length }, () => ["topic0", TRANSFER] as const);
  for (const way of ["form", "json"]) {
    const answer = expectClean(await WAYS[way]!([...range, ...many(MAX_FIELDS / 2)]), way);
    assert.equal(answer.message, "Too many query parameters");
    assert.ok(isRefused(expectClean(await WAYS[way]!([...range, ...many(10_000)]), way)), way);
  }
  assert.equal(expectClean(await WAYS.form!([...range, ...same(MAX_FIELDS / 2)]), "the first counts").status, "1");
  assert.ok(isRefused(expectClean(await WAYS.form!([...range, ...same(10_000)]), "too many of one")));
  const address = goodValue("address");
  const addresses = Array.from({ length: 10_000 }, () => address).join();
  const balances = await WAYS.form!([
    ["module", "account"],
    ["action", "balancemulti"],
    ["address", addresses],
  ]);
  assert.match(expectClean(balances, "balancemulti").message!, /^Too many addresses: at most 20 /);
  const commas = await WAYS.form!([
    ["module", "account"],
    ["action", "balancemulti"],
    ["address", ",".repeat(10_000)],
  ]);
  assert.equal(expectClean(commas, "commas").message, "Invalid address hash");
});

test("values of a mebibyte are refused at once, in every parameter", async () => {
  const long = "f".repeat(MEBIBYTE - 500);
  for (const { module, action, parameters } of ASKED) {
    for (const [name, kind] of Object.entries(parameters)) {
      const others = Object.entries(parameters).filter(([other]) => other.startsWith("!") && other !== name);
      const pairs: Pairs = [
        ["module", module],
        ["action", action],
        ...others.map(([other, its]) => [plainName(other), goodValue(its)] as const),
        [plainName(name), `0x${long}`],
      ];
      const answer = expectClean(await WAYS.form!(pairs), `${module}/${action} ${name}`);
      if (name.startsWith("!") && kind !== "text") assert.ok(isRefused(answer), `${module}/${action} ${name}`);
    }
  }
  const longer = await WAYS.form!([
    ["module", "account"],
    ["action", "balance"],
    ["address", `0x${long.repeat(6)}`],
  ]);
  assert.equal(longer.statusCode, 413);
  expectClean(longer, "two mebibytes");
  const url = await WAYS.query!([
    ["module", "account"],
    ["action", "balance"],
    ["address", `0x${long}`],
  ]);
  assert.equal(url.statusCode, 414);
  expectClean(url, "a URL of a mebibyte");
});

test("names and values that are no parameters are answered cleanly: arrays, prototypes, broken escapes, deep JSON", async () => {
  const action = "module=account&action=txlist";
  const urls = [
    `/api?${action}&address[]=0x12&address[]=0x13`,
    `/api?${action}&address[0]=0x12`,
    `/api?${action}&address[a][b]=0x12`,
    `/api?${action}&address=0x12&address=0x13`,
    "/api?module=account&module=logs&action=txlist&action=getLogs",
    `/api?${action}&address=%`,
    `/api?${action}&address=%ff%fe`,
    `/api?${action}&__proto__[x]=1&constructor=1&toString=1`,
    "/api?module=__proto__&action=constructor",
    "/api?module=account&action=hasOwnProperty",
    "/api?module[]=account&action[]=txlist",
    "/api?&&&=&==&",
    "/api??module=account",
  ];
  for (const url of urls) assert.ok(isRefused(expectClean(await served.app.inject(url), url)), url);
  const bodies = [
    "[".repeat(100_000),
    `{"a":`.repeat(50_000),
    JSON.stringify({ module: ["account"], action: { txlist: 1 } }),
    JSON.stringify({ module: "account", action: "txlist", address: { $ne: null } }),
    '{"module":"account","action":"txlist","__proto__":{"address":"0x12"}}',
    '"text"',
    "null",
    "1",
  ];
  for (const payload of bodies) {
    const headers = { "content-type": "application/json" };
    const response = await served.app.inject({ method: "POST", url: "/api", payload, headers });
    assert.ok(isRefused(expectClean(response, payload.slice(0, 60))), payload.slice(0, 60));
  }
});
