import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonSchema, OpenApiDocument, OpenApiOperation } from "../src/api/openapi/document.ts";
import { openApiDocument } from "../src/api/openapi/document.ts";
import { UINT } from "../src/api/openapi/values.ts";
import type { Hex } from "../src/chain/encoding/hex.ts";
import type { ExchangeSettings } from "../src/query/exchange/exchangeSettings.ts";
import { NO_EXCHANGES } from "../src/query/exchange/exchangeSettings.ts";
import { answerChecker, resultChecker } from "./support/answerSchemas.ts";
import type { Json, Served } from "./support/api.ts";
import { serveChain } from "./support/api.ts";
import { operationsOf } from "./support/operations.ts";
import { handleFor } from "./support/portNode.ts";
import type { SimulatedChain } from "./support/simulatedChain.ts";
import { POOL_TOPICS } from "./support/simulatedPools.ts";
import { SPECIFIED_PATHS } from "./support/specifiedPaths.ts";

let served: Served;
let document: OpenApiDocument;
let operations: { readonly path: string; readonly method: string; readonly operation: OpenApiOperation }[];

before(async () => {
  const factories: ExchangeSettings["factories"][number][] = [];
  served = await serveChain({
    seed: 5,
    blocks: 20,
    tokens: true,
    traces: true,
    traffic: { pools: 8, honestTokens: 4 },
    exchange: { ...NO_EXCHANGES, factories },
    rpc: (chain) => ({ handle: handleFor(chain) }),
  });
  for (const address of factoriesOf(served.chain)) factories.push({ name: "Simulated", address });
  document = (await served.get("/openapi.json")).body as unknown as OpenApiDocument;
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
});

after(() => served.close());

/** Claimed creators of a pool. */
function factoriesOf(chain: SimulatedChain): Set<Hex> {
  const { pairCreated, poolCreated } = POOL_TOPICS;
  const logs = Array.from({ length: chain.length }, (_, number) => chain.at(number)!.receipts).flat();
  const created = (logs as unknown as { logs: { address: Hex; topics: string[] }[] }[]).flatMap((one) => one.logs);
  const isCreation = ({ topics: [topic] }: { topics: string[] }) => topic === pairCreated || topic === poolCreated;
  return new Set(created.filter(isCreation).map(({ address }) => address));
}

/** Every object of a document, with where it stands. */
/** Objects of a document by their JSON pointers. */
function* objectsIn(value: unknown, at = ""): Generator<[string, Json]> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield [at, value as Json];
  for (const [key, inner] of Object.entries(value)) yield* objectsIn(inner, `${at}/${key.replaceAll("/", "~1")}`);
}

describe("/openapi.json", () => {
  test("is OpenAPI 3.1 of this network, wherever it is served", () => {
    assert.equal(document.openapi, "3.1.0");
    assert.deepEqual(document.servers, [{ url: "/" }]);
    assert.deepEqual([document.info.title, document.info.version], ["Simulated (chain 677)", "0.0.0"]);
    const named = operations.flatMap(({ operation }) => operation.tags);
    assert.deepEqual(
      document.tags.map(({ name }) => name),
      [...new Set(named)],
    );
  });

  test("has the paths of the specification, those of operators and JSON-RPC", () => {
    for (const specified of SPECIFIED_PATHS) {
      const path = specified.replace("{number}", "{id}").replace(/\?.*/, "");
      assert.ok(document.paths[`/api/v2${path}`]?.get, path);
    }
    for (const path of ["/health", "/ready", "/status", "/metrics"]) assert.ok(document.paths[path]?.get, path);
    assert.ok(document.paths["/rpc"]?.post?.requestBody);
  });

  test("leaves JSON-RPC out where there is none", async () => {
    const other = await serveChain({ seed: 5 });

    const { paths } = (await other.get("/openapi.json")).body as unknown as OpenApiDocument;

    await other.close();
    assert.equal(paths["/rpc"], undefined);
  });

  test("describes only what is served", () => {
    for (const { path, method } of operations) {
      const url = path.replace(/\{(\w+)\}/g, ":$1");
      assert.ok(served.app.hasRoute({ method: method.toUpperCase() as "GET", url }), `${method} ${path}`);
    }
  });

  test("names every operation once, and every parameter of its path", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    assert.equal(new Set(ids).size, ids.length);
    for (const id of ids) assert.match(id, /^(get|post|patch)([A-Z]\w*)$/);
    for (const { path, operation } of operations) {
      const inPath = operation.parameters.filter((parameter) => parameter.in === "path");
      const braced = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      assert.deepEqual(
        inPath.map(({ name }) => name),
        braced,
        path,
      );
      for (const { required } of inPath) assert.equal(required, true, path);
      const keys = operation.parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
      assert.equal(new Set(keys).size, keys.length, path);
    }
  });

  test("says of every parameter, field and answer what it means, without links", () => {
    for (const { path, operation } of operations) {
      for (const { name, description } of operation.parameters) assert.ok(description.length > 5, `${path} ${name}`);
      for (const [status, answer] of Object.entries(operation.responses)) {
        assert.match(status, /^[2-5]\d\d$/);
        assert.ok(answer.description.length > 5, `${path} ${status}`);
      }
    }
    for (const [at, object] of objectsIn(document)) {
      for (const [name, field] of Object.entries((object as JsonSchema).properties ?? {})) {
        assert.equal(typeof field.description, "string", `${at} ${name}`);
      }
      if (typeof object.description === "string") assert.doesNotMatch(object.description, /\]\(/, at);
    }
  });

  test("refers to records that are there, each of which something refers to", () => {
    const referred = new Set([...objectsIn(document)].flatMap(([, { $ref }]) => ($ref === undefined ? [] : [$ref])));
    const records = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    assert.ok(records.length > 20);

    assert.deepEqual([...referred].sort(), records.sort());
  });

  test("has schemas that JSON Schema 2020-12 knows, and records without room for what is not documented", () => {
    const ajv = new Ajv2020({
      strict: true,
      allowUnionTypes: true,
      formats: { [UINT]: /^(0|[1-9][0-9]*|0x(0|[1-9a-f][0-9a-f]*))$/ },
    });
    ajv.addVocabulary(["openapi", "info", "servers", "tags", "paths", "components"]);
    const { components } = document;
    ajv.addSchema({ ...document, $id: "api" });
    for (const [at] of objectsIn(document)) {
      const isSchema = at.endsWith("/schema") || /\/components\/schemas\/\w+$/.test(at);
      if (isSchema) assert.ok(ajv.getSchema(`api#${encodeURI(at)}`), at);
    }
    for (const [name, { additionalProperties }] of Object.entries(components.schemas as Record<string, Json>)) {
      assert.equal(additionalProperties, false, name);
    }
  });

  test("has arrays for the lists that are bare where the network is compatible with Blockscout", () => {
    const bare = openApiDocument(operationsOf({ compat: "blockscout" }, false), document.info);
    const answers = (of: OpenApiDocument) =>
      Object.entries(of.paths).map(([path, { get }]) => [
        path,
        get?.responses[200]?.content?.["application/json"]?.schema,
      ]);

    const plain = new Map(answers(document) as [string, JsonSchema][]);
    const changed = (answers(bare) as [string, JsonSchema][]).filter(
      ([path, schema]) => JSON.stringify(schema) !== JSON.stringify(plain.get(path)),
    );

    assert.deepEqual(
      changed.map(([path, { type, items }]) => [path, type, items?.$ref]),
      [
        ["/api/v2/main-page/blocks", "array", "#/components/schemas/Block"],
        ["/api/v2/main-page/transactions", "array", "#/components/schemas/Transaction"],
        ["/api/v2/addresses/{address}/token-balances", "array", "#/components/schemas/TokenBalance"],
        ["/api/v2/transactions/{hash}/raw-trace", "array", "#/components/schemas/RawTrace"],
        ["/api/v2/advanced-filters/methods", "array", "#/components/schemas/Method"],
      ],
    );
  });
});

test("a missing, extra or wrong field of a response is reported with its path", async () => {
  const check = answerChecker(document);
  const { body } = await served.get("/api/v2/blocks/3");
  const path = "/api/v2/blocks/{id}";
  const { height, ...headless } = body;
  const miner = { ...(body.miner as Json), hash: "0x1" };

  assert.equal(check(path, 200, body), undefined);
  assert.match(check(path, 200, headless)!, /must have required property 'height'/);
  assert.match(check(path, 200, { ...body, unheard_of: height })!, /unheard_of/);
  assert.match(check(path, 200, { ...body, miner })!, /\/miner\/hash must match pattern/);
  assert.match(check(path, 418, body)!, /not documented to answer 418/);
  assert.match(check("/api/v2/blocks", 200, { items: [body] })!, /required property 'page'/);
});

test("a result of an action that is not as described is reported with the action", async () => {
  const check = resultChecker(document);
  const query = (action: string) => new URLSearchParams({ module: "Account", action });
  const [sent] = (await served.get("/api/v2/transactions")).body.items as { from: { hash: string } }[];
  const { body } = await served.get(`/api?module=account&action=txlist&offset=1&address=${sent!.from.hash}`);
  const [row] = body.result as Json[];

  assert.equal(check(query("TXLIST"), { status: "1", result: [row] }), undefined);
  assert.match(
    check(query("txlist"), { status: "1", result: [{ ...row, value: 1 }] })!,
    /txlist: \/0\/value must be str/,
  );
  assert.match(check(query("balance"), { status: "1", result: "01" })!, /account balance: \/ must match/);
  assert.equal(check(query("balance"), { status: "0", result: "a reason" }), undefined);
});

describe("/docs/api", () => {
  let page: string;
  let policy: string;

  before(async () => {
    const answer = await served.app.inject({ method: "GET", url: "/docs/api" });
    assert.deepEqual([answer.statusCode, answer.headers["content-type"]], [200, "text/html; charset=utf-8"]);
    page = answer.body;
    policy = String(answer.headers["content-security-policy"]);
  });

  test("loads nothing and runs nothing, and its policy allows its own style alone", () => {
    const [, style] = /<style>([\s\S]*)<\/style>/.exec(page)!;
    const expected = hash("sha256", style!, "base64");

    assert.match(policy, /^default-src 'none'; /);
    assert.ok(policy.includes(`style-src 'sha256-${expected}';`));
    assert.doesNotMatch(policy, /script-src|unsafe|\*|https?:/);
    assert.doesNotMatch(
      page,
      /<(script|link|img|iframe|object|form|base)\b|\bstyle=|\bon\w+=|@import|url\(|https?:|["'(]\/\//i,
    );
  });

  test("is well-formed, and its links lead to what is on it", () => {
    assert.deepEqual(unbalanced(page), []);
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id!);
    assert.equal(new Set(ids).size, ids.length);
    for (const [, target] of page.matchAll(/href="#([^"]*)"/g)) assert.ok(ids.includes(target!), target!);
  });

  test("has every operation with its parameters, its errors and the fields of its answer", () => {
    for (const { path, operation } of operations) {
      const article = articleOf(page, operation.operationId);
      assert.ok(article.replace(/<\/?var>/g, "").includes(`<code>${path}</code></h3>`), path);
      for (const { name } of operation.parameters) assert.ok(article.includes(`<dt><code>${name}</code>`), name);
      for (const status of Object.keys(operation.responses)) {
        if (status !== "200") assert.ok(article.includes(`<dt><code>${status}</code>`), `${path} ${status}`);
      }
    }
    for (const [name, { properties }] of Object.entries(document.components.schemas)) {
      const article = articleOf(page, `record-${name}`);
      for (const field of Object.keys(properties!)) assert.ok(article.includes(`<dt><code>${field}</code>`), field);
    }
  });

  test("has a request for every path that is read, which this server answers", async () => {
    const links = [...page.matchAll(/<p class="try"><a href="([^"]*)">/g)].map(([, url]) => url!);
    // Nothing is verified here that could be asked for by these.
    const isOfVerified = (path: string) => /^\/v2\/(verify|contract)\//.test(path);
    // Nor does a token of a pool say its decimals.
    const isOfPools = (path: string) => /^\/(dexscreener|geckoterminal)\/(asset|pair)$/.test(path);
    const isAnswered = (path: string) => !isOfVerified(path) && !isOfPools(path);
    const read = operations.filter(({ method, path }) => method === "get" && isAnswered(path));
    assert.equal(links.length, read.length);

    for (const url of links) {
      const { statusCode } = await served.app.inject({ method: "GET", url: url.replaceAll("&amp;", "&") });
      assert.equal(statusCode, 200, url);
    }
  });

  test("shows what an operator called the network as text", async () => {
    const chainName = `<script>alert("1")</script> & 'co' \`<b>\``;
    const other = await serveChain({ seed: 5, settings: { chainName } });

    const { body } = await other.app.inject({ method: "GET", url: "/docs/api" });

    await other.close();
    assert.doesNotMatch(body, /<script|<b>/);
    assert.ok(body.includes("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;co&#39;"));
    assert.deepEqual(unbalanced(body), []);
    assert.doesNotMatch(body, /href="\/api\/v2\/blocks\/(?!csv)/, "nothing is indexed that could be asked for");
  });
});

test("/docs/api and /openapi.json are read like everything else, and say when they have not changed", async () => {
  for (const url of ["/docs/api", "/openapi.json"]) {
    const whole = await served.app.inject({ method: "GET", url });
    const head = await served.app.inject({ method: "HEAD", url });
    const { etag } = whole.headers;
    const again = await served.app.inject({ method: "GET", url, headers: { "if-none-match": String(etag) } });
    const posted = await served.app.inject({ method: "POST", url, payload: {} });

    assert.deepEqual([head.statusCode, head.body, head.headers.etag], [200, "", etag]);
    assert.equal(head.headers["content-length"], whole.headers["content-length"]);
    assert.deepEqual([again.statusCode, again.body], [304, ""]);
    assert.deepEqual([posted.statusCode, posted.headers.allow], [405, "GET, HEAD, OPTIONS"]);
    assert.equal(whole.headers["x-content-type-options"], "nosniff");
  }
});

test("/docs/api asks for what the index holds by then", async () => {
  const growing = await serveChain({ seed: 8, blocks: 3 });
  const example = async () => {
    const { body } = await growing.app.inject({ method: "GET", url: "/docs/api" });
    return /<a href="\/api\/v2\/blocks\/(\d+)">/.exec(body)![1];
  };

  const before = await example();
  growing.chain.mine(2);
  await growing.index();
  const after = await example();

  await growing.close();
  assert.deepEqual([before, after], ["3", "5"]);
});

function articleOf(page: string, id: string): string {
  const start = page.indexOf(`<article id="${id}">`);
  assert.ok(start >= 0, id);
  return page.slice(start, page.indexOf("</article>", start));
}

/** The tags that are not closed, or close what is not open. */
function unbalanced(page: string): string[] {
  const open: string[] = [];
  const wrong: string[] = [];
  for (const [, slash, name] of page.matchAll(/<(\/?)([a-z]\w*)[^>]*>/g)) {
    if (name === "meta") continue;
    if (slash === "") open.push(name!);
    else if (open.pop() !== name) wrong.push(name!);
  }
  return [...wrong, ...open];
}
