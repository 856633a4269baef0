import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { brotliDecompressSync } from "node:zlib";
import type { Served } from "../../../../test/support/api.ts";
import { serveChain } from "../../../../test/support/api.ts";
import { shownText } from "../../../../test/support/webPages.ts";

const WEB = { coin: "ETH", isTestnet: false, others: [] };
const ROOT = new URL("../../../../", import.meta.url);
const FILES = globSync("docs/**/*.md", { cwd: ROOT });

describe("the pages of documents", () => {
  let served: Served;
  before(async () => {
    served = await serveChain({ seed: 1, blocks: 1, settings: { web: WEB } });
  });
  after(() => served.close());

  async function open(url: string, status = 200): Promise<string> {
    const { statusCode, body } = await served.app.inject({ url, headers: { accept: "text/html" } });
    assert.equal(statusCode, status, url);
    return body;
  }

  test("are one for each file of docs/, whose links lead to pages, headings and pictures that are there", async () => {
    const paths = FILES.map((file) => `/${file.replace(/(\/README)?\.md$/, "")}`);
    const pages = new Map<string, string>();
    for (const path of paths) pages.set(path, await open(path));
    assert.ok(pages.size > 50);

    for (const [path, page] of pages) {
      const [, text = ""] = page.split('<div class="text">');
      const targets = [...page.matchAll(/<a href="(#[^"]*|\/docs[^"]*)"/g)].map(([, target]) => target!);
      for (const target of targets.filter((each) => each !== "#main" && each !== "/docs/api")) {
        const [to, anchor] = target.startsWith("#") ? [path, target.slice(1)] : target.split("#");
        assert.ok(pages.has(to!), `${path} leads to ${target}`);
        if (anchor !== undefined) assert.ok(pages.get(to!)!.includes(` id="${anchor}"`), `${path} leads to ${target}`);
      }
      for (const [, source] of text.matchAll(/<img src="([^"]*)"/g)) {
        assert.equal((await served.app.inject({ url: String(source) })).headers["content-type"], "image/png", path);
      }
      const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
      assert.deepEqual(ids, [...new Set(ids)], path);
    }
  });

  test("show all words of their file, and files outside docs/ as text", async () => {
    const page = await open("/docs/internals");
    const source = readFileSync(new URL("docs/internals.md", ROOT), "utf8");

    const words = (text: string) => text.match(/[A-Za-z]{4,}/g) ?? [];
    const shown = new Set(words(shownText(page.replaceAll("<", " <"))));
    const targets = /\]\([^)]*\)/g;
    assert.deepEqual(
      words(source.replace(targets, "")).filter((word) => !shown.has(word)),
      [],
    );
    assert.match(page, /<p>[^<]*ARCHITECTURE\.md has the layers/);
  });

  test("are listed in docs/README.md, decisions in theirs, and beside every page", async () => {
    const [index, decisions] = [await open("/docs"), await open("/docs/decisions")];

    for (const file of FILES.filter((each) => each !== "docs/README.md")) {
      const path = `/${file.replace(/(\/README)?\.md$/, "")}`;
      const list = path.startsWith("/docs/decisions/") ? decisions : index;
      assert.ok(list.includes(`<a href="${path}"`), `${file} is listed`);
    }
    assert.match(decisions, /<a href="\/docs\/decisions" aria-current="page">/);
    assert.match(decisions, /<a href="\/docs\/operations">Operations<\/a>/);
    assert.match(index, /<a href="\/docs\/api">API reference<\/a>/);
    assert.match(await open("/docs/api"), /All <a href="\/docs">documents<\/a>/);
    assert.match(await open("/"), /<a href="\/docs">Documents<\/a>/);
  });

  test("are found under the names of their files, and nothing else is", async () => {
    const redirected = await served.app.inject("/docs/operations.md");
    const folder = await served.app.inject("/docs/decisions/README.md");

    assert.deepEqual([redirected.statusCode, redirected.headers.location], [302, "/docs/operations"]);
    assert.equal(folder.headers.location, "/docs/decisions");
    for (const url of ["/docs/nothing", "/docs/nothing.md", "/docs/..%2Fpackage.json", "/docs/images/..%2Fweb.md"]) {
      assert.match(await open(url, 404), /Not found/);
    }
  });

  test("are compressed, and not sent again while they are the same", async () => {
    const headers = { "accept-encoding": "br", accept: "text/html" };
    const whole = await open("/docs/operations");

    const small = await served.app.inject({ url: "/docs/operations", headers });
    const etag = String(small.headers.etag);
    await served.index();
    const again = await served.app.inject({ url: "/docs/operations", headers: { ...headers, "if-none-match": etag } });

    assert.equal(small.headers["content-encoding"], "br");
    assert.equal(brotliDecompressSync(small.rawPayload).toString(), whole);
    assert.ok(small.rawPayload.length < whole.length / 3);
    assert.equal(again.statusCode, 304);
  });

  test("are searched: sections with all words, titles first, with the words marked and as text", async () => {
    const search = (words: string) => open(`/docs/search?${new URLSearchParams({ q: words })}`);
    const linksOf = (page: string) =>
      [...(page.split('class="found"')[1] ?? "").matchAll(/<a href="([^"]*)"/g)].map(([, url]) => url);

    const byTitle = await search("rate limit");
    const byText = linksOf(await search("undo JOURNAL unwind"));
    const none = await search("nothing-is-called-so");
    const hostile = await search(`<script>alert(1)</script> "a" [(`);
    const frequent = await search("the");

    assert.equal(linksOf(byTitle)[0], "/docs/operations#rate-limit");
    assert.match(byTitle, /<mark>Rate<\/mark> <mark>limit<\/mark>/);
    assert.ok(byText.includes("/docs/internals#reorgs"), byText.join());
    assert.match(none, /No section has all of these words/);
    assert.match(none, /value="nothing-is-called-so"/);
    assert.doesNotMatch(hostile, /<script>alert/);
    assert.match(frequent, /[\d,]+ sections, the first 50 of which are shown/);
    assert.deepEqual(linksOf(await search(" ")), []);
    await open(`/docs/search?q=${"x".repeat(201)}`, 422);
  });
});

test("without pages /docs leads to the API reference", async () => {
  const { app, close } = await serveChain({ seed: 1, blocks: 1 });

  const root = await app.inject("/docs");
  const reference = await app.inject("/docs/api");

  assert.deepEqual([root.statusCode, root.headers.location], [302, "/docs/api"]);
  assert.equal(reference.statusCode, 200);
  assert.doesNotMatch(reference.body, /href="\/docs"/);
  await close();
});
