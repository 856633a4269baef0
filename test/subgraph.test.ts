import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { buildClientSchema, getIntrospectionQuery, isObjectType } from "graphql";
import { createApp } from "../src/api/app.ts";
import { grouped } from "../src/api/openapi/values.ts";
import {
  MAX_BODY,
  MAX_CONDITIONS,
  MAX_DEPTH,
  MAX_FIELDS,
  MAX_FIRST,
  MAX_ROOTS,
  MAX_SELECTED,
  MAX_SKIP,
  MAX_TOKENS,
} from "../src/api/subgraph/limits.ts";
import { schemaOf } from "../src/api/subgraph/schema.ts";
import type { Hex } from "../src/chain/encoding/hex.ts";
import type { ExchangeSettings } from "../src/query/exchange/exchangeSettings.ts";
import { NO_EXCHANGES } from "../src/query/exchange/exchangeSettings.ts";
import { MAX_PERIODS } from "../src/query/subgraph/poolPeriods.ts";
import { MAX_BLOCKS, MAX_POOLS } from "../src/query/subgraph/subgraphEvents.ts";
import { MAX_LOGS } from "../src/query/subgraph/transactionEvents.ts";
import { loadHasher } from "../src/store/dictionary/secret.ts";
import { mustHave } from "../src/store/rows/encoding.ts";
import type { Json, Served } from "./support/api.ts";
import { SETTINGS, serveChain } from "./support/api.ts";
import { CountingDatabase, ForgetfulReader } from "./support/countingDatabase.ts";
import type { Kind } from "./support/exchange/askSubgraph.ts";
import { askSubgraph } from "./support/exchange/askSubgraph.ts";
import { factoriesOf } from "./support/simulatedPools.ts";

let served: Served;
let counting: CountingDatabase;
let reader: ForgetfulReader;
let app: Served["app"];
let tip: { number: number; hash: string };
const pools = {} as Record<Kind, Hex[]>;
const tokens = {} as Record<Kind, Hex[]>;

before(async () => {
  const factories: ExchangeSettings["factories"][number][] = [];
  const exchange = { ...NO_EXCHANGES, factories };
  const traffic = { pools: 30, honestTokens: 4, transactions: [2, 6] } as const;
  served = await serveChain({ seed: 5, blocks: 120, tokens: true, traffic, exchange });
  for (const address of factoriesOf(served.chain)) factories.push({ name: "Simulated", address });
  counting = new CountingDatabase(served.store.database);
  reader = new ForgetfulReader(counting, mustHave(await loadHasher(served.store.database), "the secret"));
  app = createApp({ store: reader, settings: SETTINGS, exchange });
  const { data } = await ask("v2", "{ _meta { block { number hash } hasIndexingErrors } }");
  tip = (data!._meta as { block: typeof tip }).block;
  for (const kind of ["v2", "v3"] as const) {
    const list = kind === "v2" ? "pairs" : "pools";
    const found = (await ask(kind, `{ ${list} { id } tokens { id } }`)).data as Record<string, { id: Hex }[]>;
    pools[kind] = found[list]!.map(({ id }) => id);
    tokens[kind] = found.tokens!.map(({ id }) => id);
  }
});

after(async () => {
  await app?.close();
  await served?.close();
});

const ask = (kind: Kind, query: string, variables?: Json) => askSubgraph(app, kind, query, variables);

async function messagesOf(kind: Kind, query: string, variables?: Json): Promise<string> {
  const { status, errors = [] } = await ask(kind, query, variables);
  assert.equal(status, 200);
  assert.ok(errors.every((error) => Object.keys(error).every((key) => ["message", "locations", "path"].includes(key))));
  return errors.map(({ message }) => message).join("; ");
}

test("the answer says of which block it is, and is of no other", async () => {
  const header = served.chain.at(served.chain.length - 1)!.block as unknown as Json;
  assert.deepEqual(tip, { number: served.chain.length - 1, hash: header.hash });
  for (const block of [`number: ${tip.number}`, `number_gte: ${tip.number - 3}`, `hash: "${tip.hash}"`]) {
    assert.equal(
      await messagesOf("v2", `{ _meta(block: {${block}}) { block { number } } pairs(block: {${block}}) { id } }`),
      "",
    );
  }
  for (const block of ["number: 3", `number_gte: ${tip.number + 1}`, `hash: "0x${"0".repeat(64)}"`]) {
    assert.match(await messagesOf("v3", `{ pools(block: {${block}}) { id } }`), /the newest indexed block, \d+$/);
  }
});

/** What the documents of Uniswap's API ask, with a pair and tokens of this chain. */
const published = (kind: Kind): readonly (readonly [query: string, variables?: Json])[] => {
  const [pool, other] = pools[kind];
  const [token] = tokens[kind];
  return kind === "v2"
    ? [
        ["{ uniswapFactories { id totalVolumeUSD totalLiquidityUSD txCount } }"],
        [
          `{ pair(id: "${pool}") { token0 { id symbol name derivedETH } token1 { id symbol name derivedETH } reserve0 reserve1 reserveUSD trackedReserveETH token0Price token1Price volumeUSD txCount } }`,
        ],
        ["query pairs($skip: Int!) { pairs(first: 1000, skip: $skip) { id } }", { skip: 0 }],
        ["{ pairs(first: 1000, orderBy: reserveUSD, orderDirection: desc) { id } }"],
        [
          `{ swaps(orderBy: timestamp, orderDirection: desc, where: { pair: "${pool}" }) { pair { token0 { symbol } token1 { symbol } } amount0In amount0Out amount1In amount1Out amountUSD to } }`,
        ],
        [`{ token(id: "${token}") { name symbol decimals derivedETH tradeVolumeUSD totalLiquidity } }`],
        ["query tokens($skip: Int!) { tokens(first: 1000, skip: $skip) { id name symbol } }", { skip: 0 }],
        [
          `query($allPairs: [String!]) {
            mints(first: 30, where: { pair_in: $allPairs }, orderBy: timestamp, orderDirection: desc) { transaction { id timestamp } to liquidity amount0 amount1 amountUSD }
            burns(first: 30, where: { pair_in: $allPairs }, orderBy: timestamp, orderDirection: desc) { transaction { id timestamp } to liquidity amount0 amount1 amountUSD }
            swaps(first: 30, where: { pair_in: $allPairs }, orderBy: timestamp, orderDirection: desc) { transaction { id timestamp } amount0In amount0Out amount1In amount1Out amountUSD to }
          }`,
          { allPairs: [pool, other] },
        ],
        [`{ bundle(id: "1") { ethPrice } }`],
        [
          `{ pairDayDatas(first: 100, orderBy: date, orderDirection: asc, where: { pairAddress: "${pool}", date_gt: 1592505859 }) { date dailyVolumeToken0 dailyVolumeToken1 } }`,
        ],
      ]
    : [
        ["{ factories { id poolCount txCount totalVolumeUSD totalVolumeETH } }"],
        [
          `{ pool(id: "${pool}") { tick token0 { symbol id decimals } token1 { symbol id decimals } feeTier sqrtPrice liquidity } }`,
        ],
        ["{ pools(first: 10, skip: 1000) { id token0 { id symbol } token1 { id symbol } } }"],
        [
          "query pools($skip: Int!) { pools(first: 1000, skip: $skip, orderDirection: asc) { id sqrtPrice token0 { id } token1 { id } } }",
          { skip: 0 },
        ],
        ["{ pools(first: 1000, orderBy: liquidity, orderDirection: desc) { id } }"],
        [
          `{ swaps(orderBy: timestamp, orderDirection: desc, where: { pool: "${pool}" }) { pool { token0 { id symbol } token1 { id symbol } } sender recipient amount0 amount1 } }`,
        ],
        [`{ token(id: "${token}") { symbol name decimals volumeUSD poolCount } }`],
        ["query tokens($skip: Int!) { tokens(first: 1000, skip: $skip) { id symbol name } }", { skip: 0 }],
        [
          `{ poolDayDatas(first: 10, orderBy: date, where: { pool: "${pool}", date_gt: 1633642435 }) { date liquidity sqrtPrice token0Price token1Price volumeToken0 volumeToken1 } }`,
        ],
        // What a router asks of all pools.
        [
          `query getPools($pageSize: Int!, $id: String) { pools(first: $pageSize, where: { id_gt: $id, liquidity_gt: 0, totalValueLockedETH_gte: "0" }) { id token0 { symbol id } token1 { symbol id } feeTier liquidity totalValueLockedUSD totalValueLockedETH } }`,
          { pageSize: 1000, id: "" },
        ],
      ];
};

for (const kind of ["v2", "v3"] as const) {
  test(`the queries of Uniswap's documents are answered: ${kind}`, async () => {
    assert.ok(pools[kind].length > 1 && tokens[kind].length > 1, "there must be pools");
    for (const [query, variables] of published(kind)) {
      const { data, errors } = await ask(kind, query, variables);
      assert.equal(errors?.[0]?.message, undefined, query);
      for (const [name, value] of Object.entries(data!)) assert.ok(value !== null || name === "bundle", query);
    }
  });

  test(`what is asked for in lists takes as many rounds of statements for one entity as for many: ${kind}`, async () => {
    const list = kind === "v2" ? "pairs" : "pools";
    const name = kind === "v2" ? "pair" : "pool";
    const ofPool = "id createdAtTimestamp token0 { symbol name decimals totalSupply derivedETH } token1 { symbol }";
    const queries = [
      `query($n: Int!) { ${list}(first: $n) { ${ofPool} ${kind === "v2" ? "totalSupply" : ""} } }`,
      "query($n: Int!) { tokens(first: $n) { id symbol txCount } }",
      `query($n: Int!) { swaps(first: $n, orderDirection: desc) { id timestamp ${name} { ${ofPool} } transaction { id swaps { id } mints { id } } } }`,
      "query($n: Int!) { transactions(first: $n, orderDirection: desc) { id swaps { id } burns { id } } }",
    ];
    for (const query of queries) {
      const rounds = async (n: number) => {
        reader.forget();
        await ask(kind, "{ _meta { block { number } } }");
        counting.take();
        assert.equal(await messagesOf(kind, query, { n }), "", query);
        return counting.take();
      };

      const [one, many] = [await rounds(1), await rounds(40)];

      const statements = (usage: typeof one) => usage.rounds.flat().length;
      assert.equal(many.snapshots, 1, query);
      assert.ok(
        many.rounds.length <= one.rounds.length + 2,
        `${query}: ${one.rounds.length} and ${many.rounds.length}`,
      );
      assert.ok(statements(many) <= statements(one) + 12, `${query}: ${statements(one)} and ${statements(many)}`);
    }
  });

  test(`the schema is told to who asks for it: ${kind}`, async () => {
    const { data, errors } = await ask(kind, getIntrospectionQuery());

    assert.deepEqual(errors, undefined);
    const schema = buildClientSchema(data as unknown as Parameters<typeof buildClientSchema>[0]);
    assert.ok(schema.getType(kind === "v2" ? "Pair" : "Pool"));
  });
}

test("lists are ordered and filtered as asked", async () => {
  type Row = Readonly<Record<string, string>>;
  const list = async (args: string) => {
    const { data } = await ask(
      "v3",
      `{ pools(${args}) { id feeTier liquidity txCount createdAtBlockNumber createdAtTimestamp } }`,
    );
    return data!.pools as unknown as Row[];
  };
  const all = await list("first: 1000");
  const number = (row: Row, field: string) => BigInt(row[field]!);

  assert.deepEqual(
    all.map(({ id }) => id),
    all.map(({ id }) => id!).toSorted(),
  );
  for (const field of ["liquidity", "txCount", "createdAtBlockNumber", "createdAtTimestamp"]) {
    const middle = all[all.length >> 1]!;
    const sorted = all.toSorted((one, other) => {
      const difference = number(one, field) - number(other, field);
      return difference === 0n ? (one.id! < other.id! ? -1 : 1) : difference < 0n ? -1 : 1;
    });
    assert.deepEqual(await list(`orderBy: ${field}`), sorted);
    assert.deepEqual(
      await list(`orderBy: ${field}, orderDirection: desc, first: 2, skip: 1`),
      sorted.toReversed().slice(1, 3),
    );
    const bound = number(middle, field);
    const tests: Record<string, (value: bigint) => boolean> = {
      gt: (value) => value > bound,
      gte: (value) => value >= bound,
      lt: (value) => value < bound,
      lte: (value) => value <= bound,
      in: (value) => value === bound,
    };
    for (const [operator, holds] of Object.entries(tests)) {
      const value = operator === "in" ? `["${bound}"]` : `"${bound}"`;
      const expected = all.filter((row) => holds(number(row, field)));
      assert.deepEqual(await list(`where: { ${field}_${operator}: ${value} }`), expected, `${field} ${operator}`);
    }
  }
  const [first, second] = all as [Row, Row];
  assert.deepEqual(await list(`where: { or: [{ id: "${first.id}" }, { id: "${second.id}" }] }`), [first, second]);
  assert.deepEqual(await list(`where: { id_not_in: ["${first.id}"], and: [{ id_lte: "${second.id}" }] }`), [second]);
  assert.deepEqual(await list(`where: { id_in: ["${second.id!.toUpperCase().replace("X", "x")}", "0x"] }`), [second]);
});

const nested = (depth: number, inner: string) => "{ a: transaction ".repeat(depth) + inner + " }".repeat(depth);

/** Of each kind the cheapest that is too much. */
const HOSTILE: readonly (readonly [name: string, query: string, message: RegExp])[] = [
  ["deep selections", `{ swaps { transaction { swaps ${nested(MAX_DEPTH, "{ id }")} } } }`, /selections deep$/],
  ["deeper ones", "{ a ".repeat(2000) + "}".repeat(2000), /deep$|tokens|selects more/],
  ["brackets", `{ pairs(where: ${"[".repeat(MAX_TOKENS - 10)}`, /deep|Syntax Error/],
  ["many aliases", `{ ${Array.from({ length: 10_000 }, (_, at) => `a${at}: pairs { id }`).join(" ")} }`, /at most/],
  [
    "fewer aliases",
    `{${Array.from({ length: 3000 }, (_, at) => `a${at}:pairs{id}`).join(" ")}}`,
    /more than 5000 tokens|contains more that 5000/,
  ],
  [
    "aliases",
    `{ ${Array.from({ length: MAX_ROOTS + 1 }, (_, at) => `a${at}: bundles { id }`).join(" ")} }`,
    /at its root$/,
  ],
  [
    "fields",
    `{ pairs { ${Array.from({ length: MAX_SELECTED }, (_, at) => `a${at}: id`).join(" ")} } }`,
    /more than \d+ fields$/,
  ],
  [
    "a fragment of itself",
    "{ pairs { ...a } } fragment a on Pair { id ...b } fragment b on Pair { ...a }",
    /more than \d+ fields$/,
  ],
  [
    "fragments that double",
    `{ pairs { ...f0 } } ${Array.from({ length: 30 }, (_, at) => `fragment f${at} on Pair { a: token0 { id } ...f${at + 1} ... on Pair { ...f${at + 1} } }`).join(" ")} fragment f30 on Pair { id }`,
    /more than \d+ fields$/,
  ],
  [
    "a circle of fragments",
    `{ pairs { ...f0 } } ${Array.from({ length: 400 }, (_, at) => `fragment f${at} on Pair { ...f${(at + 1) % 400} ...f${(at + 7) % 400} }`).join(" ")}`,
    /more than \d+ fields$/,
  ],
  [
    "many fragments",
    `{ pairs { id } } ${Array.from({ length: 1200 }, (_, at) => `fragment f${at} on Pair { id }`).join(" ")}`,
    /tokens/,
  ],
  ["a long text", `{ pairs { id } } # ${"x".repeat(MAX_BODY - 100)} ${"{ a }".repeat(1)}`, /^$/],
  [
    "introspection inside itself",
    `{ __schema { types { ${"fields { type { ".repeat(6)} name ${"} }".repeat(6)} } } }`,
    /introspection depth/,
  ],
  ["a mutation", "mutation { pairs { id } }", /only queries are answered/],
  ["no entity", "{ pools { id } }", /Cannot query field "pools"/],
  ["a field that is not kept", "{ pairs { liquidityProviderCount } }", /Cannot query field "liquidityProviderCount"/],
];

test("queries that ask for too much are refused in words before anything is read", async () => {
  await ask("v2", "{ pairs { id } }");
  for (const [name, query, message] of HOSTILE) {
    counting.take();

    const { status, errors = [] } = await ask("v2", query);

    assert.ok(status === 200 || status === 413, name);
    assert.match(errors[0]?.message ?? "", message, name);
    if (errors.length > 0) assert.deepEqual(counting.take(), { rounds: [], snapshots: 0 }, name);
  }
});

test("lists have bounds, also those of many entities at once", async () => {
  const conditions = Array.from({ length: MAX_CONDITIONS + 1 }, () => `{ id_gt: "" }`).join(" ");
  const wide = Array.from({ length: 110 }, (_, at) => `a${at}: id`).join(" ");
  const half = Array.from({ length: 60 }, (_, at) => `a${at}: id`).join(" ");
  const bounds: readonly (readonly [query: string, message: RegExp])[] = [
    [`{ pairs(first: ${MAX_FIRST + 1}) { id } }`, /`first` must be between 0 and 1000/],
    ["{ swaps(first: -1) { id } }", /`first` must be/],
    [`{ pairs(skip: ${MAX_SKIP + 1}) { id } }`, /`skip` must be between 0 and 5000/],
    [`{ swaps { transaction { swaps(first: ${MAX_FIRST + 1}) { id } } } }`, /`first` must be/],
    [`{ pairs(where: { or: [${conditions}] }) { id } }`, /more than 50 conditions/],
    [`{ pairs(first: ${MAX_FIRST}) { ${wide} } }`, new RegExp(`more than ${MAX_FIELDS} fields in its answer`)],
    [`{ a: pairs(first: 1000) { ${half} } b: swaps(first: 1000) { ${half} } }`, /fields in its answer/],
    [`{ pairs(where: { id: null }) { id } }`, /must not be null/],
    [`{ pairs(where: { txCount_gt: "x" }) { id } }`, /BigInt cannot represent the value/],
    [`{ pairs(where: { reserveUSD_gt: "1e9" }) { id } }`, /BigDecimal cannot represent the value/],
    [`{ pairs(where: { createdAtTimestamp_not: 1 }) { id } }`, /times are compared with/],
    [`{ pair(id: null) { id } }`, /null/],
    ["query a { pairs { id } } query b { tokens { id } }", /`operationName` must name/],
    ["query($id: ID!) { pair(id: $id) { id } }", /Variable "\$id" of required type "ID!" was not provided/],
    ["query($n: Boolean) { pairs(where: { txCount: $n }) { id } }", /is of type Boolean, and used as BigInt/],
    ["query($n: [Int!]) { pairs(first: $n) { id } }", /is of type \[Int!\], and used as Int/],
    ["{ pairDayDatas { id } }", /`where` must name a pool as `pairAddress`/],
    ["{ pairs { id", /Syntax Error/],
    ["", /Syntax Error/],
  ];
  for (const [query, message] of bounds) assert.match(await messagesOf("v2", query), message, query);
  let deep: Json = { id: "0x" };
  for (let depth = 0; depth < 4000; depth++) deep = { and: [deep] };
  assert.match(
    await messagesOf("v2", "query($w: Pair_filter) { pairs(where: $w) { id } }", { w: deep }),
    /^variables have at most 20 values inside each other$/,
  );
  assert.equal(
    await messagesOf(
      "v2",
      `{ pairs(first: 0) { id } pair(id: "0x'; --") { id } swap(id: "0x-1") { id } transaction(id: "x") { id } }`,
    ),
    "",
  );
});

test("a body that is no query is answered in GraphQL's form, and other methods with what to do", async () => {
  const send = async (method: "POST" | "GET" | "PUT", payload?: string) => {
    const headers = { "content-type": "application/json" };
    const response = await app.inject({
      method,
      url: "/subgraphs/uniswap-v3",
      headers,
      ...(payload !== undefined && { payload }),
    });
    return [response.statusCode, response.json<{ errors: { message: string }[] }>().errors[0]!.message] as const;
  };
  for (const body of [
    "",
    "{",
    "[]",
    "null",
    '"{ pools { id } }"',
    "{}",
    '{"query":1}',
    '{"query":"{_meta{block{number}}}","variables":[]}',
    "[".repeat(60_000),
  ]) {
    const [status, message] = await send("POST", body);
    assert.equal(status, 200, body);
    assert.match(message, /^a query is a JSON object with `query`/, body);
  }
  assert.deepEqual(await send("POST", `{"query":"${"x".repeat(MAX_BODY)}"}`), [
    413,
    `a body has at most ${MAX_BODY} bytes`,
  ]);
  const hint = /^send a query with POST, as \{"query": /;
  const [status, message] = await send("PUT");
  assert.equal(status, 405);
  assert.match(message, hint);
  assert.match((await send("GET"))[1], hint);
});

test("a query in the URL is answered as in a body", async () => {
  const query = "query($n: Int) { pairs(first: $n) { id } }";
  const url = `/subgraphs/uniswap-v2?${new URLSearchParams({ query, variables: '{"n":2}' })}`;

  const answers = [await app.inject({ url }), await app.inject({ url })];

  const { data } = await ask("v2", query, { n: 2 });
  for (const answer of answers) assert.deepEqual(answer.json(), { data });
  const etag = String(answers[0]!.headers.etag);
  assert.equal((await app.inject({ url, headers: { "if-none-match": etag } })).statusCode, 304);
  const bad = await app.inject({ url: `${url.split("&")[0]}&variables=[` });
  assert.match(bad.json<{ errors: { message: string }[] }>().errors[0]!.message, /^a query is a JSON object/);
});

test("the document has every entity of both subgraphs, and the limits", () => {
  const text = readFileSync("docs/subgraphs.md", "utf8");
  const titles = [...text.matchAll(/^### (.*)$/gm)].map(([, title]) => title!);
  const entities = (["v2", "v3"] as const).flatMap((kind) => {
    const types = Object.values(schemaOf(kind).getTypeMap()).filter(isObjectType);
    const named = types.map(({ name }) => name).filter((name) => !/^_|^Query$/.test(name));
    return named.map((name) => `${name} of ${kind.toUpperCase()}`);
  });

  assert.deepEqual(titles.toSorted(), entities.toSorted());
  const limits = [
    `at most ${grouped(MAX_FIRST)})`,
    `at most ${grouped(MAX_SKIP)})`,
    `at most ${MAX_CONDITIONS} conditions`,
    `${MAX_BODY >> 10} KiB, a query ${grouped(MAX_TOKENS)} tokens, ${MAX_SELECTED} fields`,
    `${MAX_ROOTS} fields at its root and ${MAX_DEPTH} selections`,
    `at most ${grouped(MAX_FIELDS)} fields`,
    `up to ${MAX_POOLS} pools, or look through up to ${grouped(MAX_BLOCKS)} blocks`,
    `up to ${grouped(MAX_LOGS)} logs in all`,
    `up to ${grouped(MAX_PERIODS)} of them`,
  ];
  for (const limit of limits) assert.ok(text.includes(limit), limit);
});

test("without an index of exchanges the answer is 503", async () => {
  const bare = await serveChain({ seed: 1, blocks: 3 });
  const answer = await askSubgraph(bare.app, "v2", "{ pairs { id } }");
  await bare.close();

  assert.equal(answer.status, 503);
  assert.match(answer.errors![0]!.message, /not indexed yet/);
});
