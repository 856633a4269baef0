import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { serveChain } from "../../../test/support/api.ts";
import { PAGES } from "./webInterface.ts";

const WEB = { coin: "ETH", isTestnet: false, others: [{ name: "testnet", title: "Testnet", port: 9680 }] };
const PAGE = { accept: "text/html" };

test("every page has a policy that lets in nothing from elsewhere, and no other site may frame it", async () => {
  const { app, close } = await serveChain({ seed: 1, blocks: 3, settings: { web: WEB } });

  const { headers, body } = await app.inject({ url: "/", headers: PAGE });

  assert.match(String(headers["content-security-policy"]), /default-src 'none'; script-src 'self'; style-src 'self'/);
  assert.doesNotMatch(String(headers["content-security-policy"]), /unsafe/);
  assert.equal(headers["x-content-type-options"], "nosniff");
  assert.equal(headers["x-frame-options"], "DENY");
  assert.equal(headers["referrer-policy"], "same-origin");
  assert.doesNotMatch(body, /\son\w+=|\sstyle=|javascript:/);
  await close();
});

test("scripts and styles are sent without types, named by their content and kept for ever", async () => {
  const { app, close } = await serveChain({ seed: 1, blocks: 1, settings: { web: WEB } });
  const { body } = await app.inject({ url: "/", headers: PAGE });
  const paths = [...body.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!);

  assert.ok(paths.length >= 4);
  for (const path of paths) {
    const asset = await app.inject(path);
    assert.equal(asset.statusCode, 200, path);
    assert.match(String(asset.headers["cache-control"]), /immutable/);
    if (path.endsWith(".ts")) assert.match(String(asset.headers["content-type"]), /^text\/javascript/);
    assert.doesNotMatch(asset.body, /^interface |: void \{/m);
  }
  assert.equal((await app.inject(paths[0]!.replace(/assets\/\w+/, "assets/0000"))).statusCode, 404);
  await close();
});

test("the withdrawals of a block are those of the REST API", async () => {
  const traffic = { withdrawals: [3, 3] } as const;
  const { app, close } = await serveChain({ seed: 1, blocks: 3, traffic, settings: { web: WEB } });
  const items = (await app.inject("/api/v2/blocks/2/withdrawals")).json().items as Record<string, unknown>[];

  const overview = await app.inject({ url: "/block/2", headers: PAGE });
  const { body } = await app.inject({ url: "/block/2?tab=withdrawals", headers: PAGE });

  assert.equal(items.length, 3);
  assert.match(overview.body, /Withdrawals <data class="count" value="3">/);
  for (const { index, validator_index, amount } of items) {
    for (const figure of [index, validator_index, amount]) assert.ok(body.includes(`value="${figure}"`), `${figure}`);
  }
  await close();
});

test("another network is at its port of the same host, by whatever name that was reached", async () => {
  const { app, close } = await serveChain({ seed: 1, blocks: 1, settings: { web: WEB } });
  const locationOf = async (host: string, name = "testnet") =>
    (await app.inject({ url: `/network/${name}`, headers: { host } })).headers.location;

  assert.equal(await locationOf("explorer.example:6770"), "http://explorer.example:9680/");
  assert.equal(await locationOf("[::1]:6770"), "http://[::1]:9680/");
  assert.equal(await locationOf("a", "nowhere"), undefined);
  assert.equal(await locationOf("evil.example/x?"), undefined);
  await close();
});

test("without pages the root is not found, and the interfaces are there", async () => {
  const { app, close } = await serveChain({ seed: 1, blocks: 1 });

  const root = await app.inject({ url: "/", headers: PAGE });

  assert.equal(root.statusCode, 404);
  assert.match(String(root.headers["content-type"]), /^application\/json/);
  assert.equal((await app.inject("/api/v2/blocks")).statusCode, 200);
  await close();
});

test("a page is only read: other methods are refused on a page that says so", async () => {
  const { app, close } = await serveChain({ seed: 1, blocks: 1, settings: { web: WEB } });
  const address = `0x${"00".repeat(20)}`;
  const pages = PAGES.map(({ path }) => path.replace(/:(address|hash|id|guid)/, address).replace(/:\w+/, "1"));

  for (const path of [...pages, `/blob/0x${"00".repeat(32)}/data`, "/network/testnet", "/live"]) {
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "TRACE"] as const) {
      const { statusCode, headers, body } = await app.inject({ method, url: path, headers: PAGE });
      assert.equal(statusCode, 405, `${method} ${path}`);
      assert.equal(headers.allow, "GET, HEAD, OPTIONS");
      assert.match(String(headers["content-type"]), /^text\/html/);
      assert.match(body, /<h1>That did not work<\/h1>/);
    }
    const head = await app.inject({ method: "HEAD", url: path, headers: PAGE });
    assert.notEqual(head.statusCode, 405, path);
  }
  await close();
});

test("an unknown path is a page for a browser, and JSON for programs and below the APIs", async () => {
  const { app, close } = await serveChain({ seed: 1, blocks: 1, settings: { web: WEB } });
  const ask = async (url: string, accept: string) => {
    const { statusCode, headers } = await app.inject({ url, headers: { accept } });
    return [statusCode, String(headers["content-type"]).split(";")[0], "content-security-policy" in headers];
  };

  assert.deepEqual(await ask("/nothing/here", "text/html,*/*"), [404, "text/html", true]);
  assert.deepEqual(await ask("/nothing/here", "*/*"), [404, "application/json", false]);
  assert.deepEqual(await ask("/api/v2/nothing", "text/html"), [404, "application/json", false]);
  await close();
});

test("docs/web.md lists every page", () => {
  const document = readFileSync(new URL("../../../docs/web.md", import.meta.url), "utf8");

  for (const { path } of PAGES) {
    const start = path.replace(/:\w+/g, "[A-Z]+");
    assert.match(document, new RegExp(`\`${start}(\\?q=TEXT)?\``), path);
  }
});

test("1 pages say that values are worth nothing on chain 968, and on what is called a test network", async () => {
  for (const [chainId, isTestnet] of [
    [968, false],
    [677, false],
    [31_337, true],
  ] as const) {
    const settings = { chainId, web: { ...WEB, isTestnet } };
    const { app, close } = await serveChain({ seed: 1, blocks: 1, settings });

    const { body } = await app.inject({ url: "/blocks", headers: PAGE });

    assert.equal(body.includes("prices have no value"), chainId !== 677, String(chainId));
    await close();
  }
});
