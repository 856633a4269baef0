import assert from "node:assert/strict";
import { test } from "node:test";
import { createApp } from "../../src/api/app.ts";
import { parseQuery } from "../../src/api/http/queryString.ts";
import { SETTINGS, serveChain } from "../support/api.ts";
import { firstSeed } from "../support/seed.ts";
import { simulatedSource } from "../support/simulatedSource.ts";

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly example?: unknown;
}

interface Document {
  readonly paths: Readonly<Record<string, { readonly get?: { readonly parameters?: readonly Parameter[] } }>>;
}

/** Errors of Sourcify's API name the response. */
const stable = (body: string) => body.replace(/"errorId":"[^"]*"/, "");

const isVolatile = (path: string) => path.includes("/stats") || path.includes("/status");

test("an empty parameter is an absent one, in every interface", async (t) => {
  const served = await serveChain({ seed: firstSeed(), blocks: 20, tokens: true, traffic: { honestTokens: 2 } });
  t.after(() => served.close());
  const document = (await served.app.inject("/openapi.json")).json<Document>();
  const expectSame = async (url: string, name: string) => {
    const sign = url.includes("?") ? "&" : "?";
    const [absent, empty] = [await served.app.inject(url), await served.app.inject(`${url}${sign}${name}=`)];
    assert.equal(empty.statusCode, absent.statusCode, `${url} ${name}: ${empty.body.slice(0, 200)}`);
    if (!isVolatile(url)) assert.equal(stable(empty.body), stable(absent.body), `${url} ${name}`);
  };
  let asked = 0;
  for (const [path, { get }] of Object.entries(document.paths).filter(([each]) => !each.endsWith("/csv"))) {
    const parameters = get?.parameters ?? [];
    const url = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      return encodeURIComponent(String(parameters.find((one) => one.name === name)?.example ?? 1));
    });
    for (const { name } of parameters.filter((one) => one.in === "query")) {
      await expectSame(url, name);
      asked++;
    }
  }
  assert.ok(asked > 100, `${asked} parameters`);
  const address = `0x${"12".repeat(20)}`;
  const logs = `/api?module=logs&action=getLogs&address=${address}`;
  for (const name of ["fromBlock", "toBlock", "page", "offset", "topic0_1_opr"]) await expectSame(logs, name);
  const list = `/api?module=account&action=txlist&address=${address}`;
  for (const name of ["page", "offset", "sort", "startblock", "filter_by", "chainid"]) await expectSame(list, name);
});

test("an empty parameter of a page of the web explorer is an absent one", async (t) => {
  const served = await serveChain({ seed: firstSeed(), blocks: 20, tokens: true });
  const web = { coin: "TEST", isTestnet: true, others: [] };
  const source = simulatedSource(served.chain);
  const app = createApp({ store: served.store, source, settings: { ...SETTINGS, web } });
  t.after(async () => {
    await app.close();
    await served.close();
  });
  const pages: [path: string, names: string[]][] = [
    ["/blocks", ["page", "page_size"]],
    ["/txs", ["page", "filter"]],
    ["/tokens", ["page", "q", "type"]],
    ["/search", ["q"]],
    ["/block/3", ["tab", "page"]],
  ];
  for (const [path, names] of pages) {
    const absent = (await app.inject(path)).statusCode;
    for (const name of names)
      assert.equal((await app.inject(`${path}?${name}=`)).statusCode, absent, `${path} ${name}`);
  }
});

test("values of a URL are decoded, and those that are empty are left out", () => {
  const cases: [string, object][] = [
    ["", {}],
    ["a=&b=1&c", { b: "1" }],
    ["a=1&a=&a=2", { a: ["1", "2"] }],
    ["a=&a=2", { a: "2" }],
    ["a=%20+b&%c3%a4=%ff", { a: "  b", ä: "\uFFFD" }],
    ["__proto__=1", { ["__proto__"]: "1" }],
  ];
  for (const [text, expected] of cases) assert.deepEqual(Object.entries(parseQuery(text)), Object.entries(expected));
});
