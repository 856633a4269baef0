import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { keccak256, parseEther, toUtf8Bytes } from "ethers";
import type { Browser, Page } from "playwright-core";
import { Demonstration } from "../../src/demo/demonstration.ts";
import type { Json } from "../support/api.ts";
import { findChromium, launchChromium, openPage, visitAll } from "../support/browser.ts";
import { ask } from "../support/networkProgram.ts";
import { Random } from "../support/random.ts";
import { firstSeed } from "../support/seed.ts";
import { until } from "../support/waiting.ts";
import { shownText } from "../support/webPages.ts";
import type { WebSubjects } from "../support/webPaths.ts";
import { findSubjects, pathsOf } from "../support/webPaths.ts";
import type { WebSite } from "../support/webSite.ts";
import { startSite } from "../support/webSite.ts";

const addresses = Demonstration.addresses("testnet")!;

const SEED = firstSeed();
const CASES = Number(process.env.ORIEL_CASES ?? 40);

const SIZES = {
  desktop: { width: 1280, height: 900 },
  tablet: { width: 820, height: 1180 },
  phone: { width: 390, height: 844 },
} as const;

/** What does not fit: elements beyond the window, content that is cut or scrolls sideways, columns of single letters. */
const FIND_MISFITS = `(() => {
  const shown = (element) => element.checkVisibility() && !element.closest(".hidden, .skip");
  const isCode = (element) => element.closest("pre, .code") !== null;
  const isTabs = (element) => element.closest(".tabs") !== null;
  const isEllipsis = (element) => getComputedStyle(element).textOverflow === "ellipsis";
  const name = (element) => element.tagName.toLowerCase() + "." + element.className + " " + element.textContent.trim().slice(0, 40);
  const problems = [];
  for (const element of document.querySelectorAll("body *:not(svg *)")) {
    if (!shown(element) || isCode(element) || isTabs(element)) continue;
    const box = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    if (box.width > 0 && box.right > innerWidth + 1) problems.push("beyond the window: " + name(element));
    const isCut = element.scrollWidth > element.clientWidth + 1 && style.overflowX !== "visible" && style.display !== "inline";
    if (isCut && !isEllipsis(element)) problems.push("cut: " + name(element));
    const text = element.children.length === 0 ? element.textContent.trim() : "";
    const line = parseFloat(style.lineHeight) || 20;
    if (text.length > 3 && box.width > 0 && box.width < line && box.height > 3 * line) problems.push("one letter wide: " + name(element));
  }
  return problems.slice(0, 4);
})()`;

/** Milliseconds in which a page looks for news more than once. */
const POLL_INTERVAL = 5000;

const chromium = await findChromium();

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

describe("the web explorer in Chromium", { skip: typeof chromium === "string" ? chromium : false }, () => {
  const cleanings: (() => unknown)[] = [];
  let browser: Browser;
  let site: WebSite;
  let found: WebSubjects;

  before(async () => {
    const launched = launchChromium((chromium as { path: string }).path);
    site = await startSite((clean) => cleanings.push(clean));
    browser = await launched;
    cleanings.push(() => browser.close());
    found = await findSubjects(site);
  });
  after(async () => {
    for (const clean of cleanings.reverse()) await clean();
  });

  test("every page fits desktops, tablets and phones, in both themes, and axe finds nothing", async () => {
    const problems: string[] = [];
    const inspect = async ({ path, at, page }: { path: string; at: number; page: Page }) => {
      await page.setViewportSize(SIZES.desktop);
      await page.emulateMedia({ colorScheme: at % 2 === 0 ? "light" : "dark" });
      const response = await page.goto(path);
      if (response?.status() !== 200) problems.push(`${path}: ${response?.status()}`);
      for (const [index, [name, viewport]] of Object.entries(SIZES).entries()) {
        await page.setViewportSize(viewport);
        // Charts learn their new size with a frame.
        await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
        const width = await page.evaluate<number>("document.documentElement.scrollWidth");
        if (width > viewport.width) problems.push(`${path}: ${width} wide on a ${name}`);
        const misfits = await page.evaluate<string[]>(FIND_MISFITS);
        problems.push(...misfits.map((misfit) => `${path} on a ${name}: ${misfit}`));
        // What is wrong for all who use a page is so at any width, so that a third is looked at on each.
        const found = at % 3 === index ? await checkAccess(page) : [];
        problems.push(...found.map((fault) => `${path}: ${fault}`));
      }
    };
    problems.push(...(await visitAll(browser, site.url, pathsOf(found), inspect)));

    assert.deepEqual(problems, []);
  });

  test("the contracts of the demonstration are verified", async () => {
    const action = async (name: string, address: string) => {
      const query = new URLSearchParams({ module: "contract", action: name, address });
      return ((await (await fetch(`${site.url}/api?${query}`)).json()) as Json).result;
    };
    const listed = (await site.read("/smart-contracts")) as unknown as { items: Json[] };
    const contracts = listed.items.map(({ address }) => address as Json);
    const token = contracts.find(({ name }) => name === "Token")!.hash as string;
    const [source] = (await action("getsourcecode", token)) as unknown as [Json];
    const shown = await (await fetch(`${site.url}/address/${token}?tab=contract`)).text();

    const names = new Set(contracts.map(({ name }) => name));
    for (const name of ["Token", "Wallet", "WETH9", "UniswapV2Factory", "UniswapV2Router02", "UniswapV2Pair"]) {
      assert.ok(names.has(name), name);
    }
    assert.match((await action("getabi", token)) as string, /"mint"/);
    assert.equal(source.ContractName, "Token");
    assert.match(source.SourceCode as string, /contract Token is ERC20, Ownable/);
    assert.match(shown, /perfect/i);
  });

  test("addresses are called what they are: pools by their pair, factories, routers, labelled accounts", async () => {
    const text = async (path: string) => shownText(await page(path));
    const page = async (path: string) =>
      (await fetch(`${site.url}${path}`, { headers: { accept: "text/html" } })).text();
    const { data } = (await site.readExchange("/pools")) as unknown as { data: Json[] };
    const pair = data.find(({ poolType }) => poolType === "v2") ?? data[0]!;
    const pool = pair.poolId as string;
    const [router, factory] = [addresses.v2.router, addresses.v2.factory];

    const toPool = new RegExp(`<a href="/pools/${pool}"`, "i");
    // Names of pools are learned after the first page that is asked for, which does not wait.
    await until("the address leads to the pool", async () => toPool.test(await page(`/address/${pool}`)));
    assert.match(await text(`/address/${pool}`), /[A-Za-z]+\/[A-Za-z]+ 0\.3%/);
    assert.match(await text(`/address/${router}`), /Uniswap V2 router/);
    assert.match(await text(`/address/${factory}`), /Uniswap V2 factory/);
    assert.match(await text("/address/0x0000000000000000000000000000000000000001"), /Precompile ecrecover/);
    const token = addresses.stables[0]!.address;
    assert.match(await page(`/token/${token}?tab=pools`), /href="\/pools\/0x/, "the token leads to its pools");
    assert.match(await page(`/token/${token}`), /href="\/address\/0x[0-9a-fA-F]+\?tab=read"/, "and to its contract");
    const [symbol0, symbol1] = String(pair.name).split("/");
    assert.match(
      await page(`/search?q=${symbol1}%2F${symbol0}`),
      new RegExp(`href="/pools/${pool}"`, "i"),
      "by its pair",
    );
    assert.match(await text("/search?q=uniswap"), /Uniswap V3 router/, "by a label");
    assert.match(await page("/search?q=uniswap"), /name="q"[^>]* value="uniswap"/, "the query stays in the box");
    assert.match(await page("/txs"), /<a href="\/txs" aria-current="page">/);
    assert.match(await text("/blocks?page=100000"), /There is no page 100,000/);
    assert.match(await text(`/tx/0x${"ab".repeat(32)}`), /Neither the index nor the node .* transactions that wait/);
    assert.doesNotMatch(await text(`/token/${pool}`), /same symbol/, "shares of pools are no copies of each other");
  });

  test("a copied symbol is marked on every page", async () => {
    const { items } = (await site.read("/tokens?page_size=1000")) as unknown as { items: Json[] };
    const isShare = ({ name }: Json) => / LP$|Uniswap V2$/.test(String(name));
    const isCopy = ({ symbol, holders }: Json) =>
      items.some((other) => other.symbol === symbol && Number(other.holders) > Number(holders));
    const copies = items.filter((token) => token.symbol !== null && isCopy(token) && !isShare(token));
    const copied = copies[0]!.address as string;
    const { items: holders } = (await site.read(`/tokens/${copied}/holders`)) as unknown as { items: Json[] };
    const { items: moves } = (await site.read(`/tokens/${copied}/transfers`)) as unknown as { items: Json[] };
    const transaction = moves[0]!.transaction_hash as string;
    const owners = holders.map(({ address }) => `/address/${(address as Json).hash}?tab=tokens`);
    const pages = ["", "?tab=transfers", "?tab=state", "?tab=logs", "?tab=trace"].map(
      (tab) => `/tx/${transaction}${tab}`,
    );
    const filter = `/advanced-filter?token=${copied}`;
    const paths = [
      ...owners.slice(0, 3),
      ...pages,
      filter,
      `/address/${copied}`,
      `/token/${copied}`,
      "/tokens",
      "/token-transfers",
    ];

    let marked = 0;
    for (const path of paths) {
      const page = await (await fetch(`${site.url}${path}`, { headers: { accept: "text/html" } })).text();
      for (const [link, address, after] of page.matchAll(
        /<a class="token" href="\/token\/(0x\w{40})".*?<\/a>(.{0,300})/g,
      )) {
        if (!copies.some((token) => String(token.address).toLowerCase() === address!.toLowerCase())) continue;
        assert.match(after!, /^( <span class="quiet">.*?<\/span>)? <span class="tag warning"/, `${path}: ${link}`);
        marked++;
      }
    }

    assert.ok(marked >= 6, `${marked} links to ${copied}`);
  });

  test("who gained and lost equals the state changes, and the trace is a tree of decoded calls", async () => {
    const page = async (path: string) =>
      (await fetch(`${site.url}${path}`, { headers: { accept: "text/html" } })).text();
    const { items } = (await site.read("/transactions?page_size=200")) as unknown as { items: Json[] };
    const swaps = items
      .filter(({ method, status }) => status === "ok" && String(method).startsWith("swap"))
      .slice(0, 5);
    for (const { hash } of swaps) {
      const changes = (await site.read(`/transactions/${hash}/state-changes`)) as unknown as { items: Json[] };
      const expected = changes.items.map(({ change }) => String(change).replace("-", "")).sort();
      const shown = /<ul class="effect">([\s\S]*?)<p class="quiet note">/.exec(await page(`/tx/${hash}`))![1]!;
      const amounts = [...shown.matchAll(/class="(?:gain|loss)">[+−]<data class="amount" value="(\d+)"/g)].map(
        ([, value]) => value!,
      );

      assert.deepEqual(amounts.sort(), expected, String(hash));
      const trace = await page(`/tx/${hash}?tab=trace`);
      assert.match(shownText(trace), /Uniswap V2 router\.swap\w+\([\s\S]* path \[/);
      assert.match(trace, /<details open><summary aria-label="\d+ calls?">/);
      assert.match(shownText(trace), /getReserves\(\) → _reserve0 \d+/);
    }
    assert.ok(swaps.length > 0);
  });

  test("without scripts every page says the same", async () => {
    const inspect = async ({ path, page }: { path: string; page: Page }) => {
      await page.goto(path);
      const text = (await page.locator("main").textContent())!;

      assert.ok(text.length > 40, path);
      assert.doesNotMatch(text, /undefined|NaN|\[object|Invalid Date/, path);
    };

    assert.deepEqual(
      await visitAll(browser, site.url, everySecond(pathsOf(found)), inspect, { javaScriptEnabled: false }),
      [],
    );
  });

  test("a search by keyboard suggests, and goes where Enter points", async () => {
    const { page, faults, close } = await openPage(browser, site.url);
    await page.goto("/");
    await page.keyboard.press("/");
    await page.keyboard.type(found.symbol);
    await page.locator("#suggestions [role=option]").first().waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/token\/0x/);

    await page.keyboard.press("/");
    await page.keyboard.type(found.transaction);
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/tx/${found.transaction}`);
    assert.deepEqual(faults, []);
    await close();
  });

  test("the pages of a list lead to the last one, by links and by keys", async () => {
    const { page, faults, close } = await openPage(browser, site.url);
    const total = Number((await site.read("/transactions")).total_count);
    await page.goto("/txs");
    await page.keyboard.press("ArrowRight");
    await page.waitForURL("**/txs?page=2");
    await page.locator(".pager a[rel=last]").click();
    await page.waitForURL(/page=(?!2$)\d+/);

    const rows = await page.locator(".rows > li").count();
    const last = Number(new URL(page.url()).searchParams.get("page"));
    assert.ok((last - 1) * 50 + rows >= total, `${last} pages, ${rows} rows on the last, ${total} in all`);
    assert.equal(await page.locator(".pager a[rel=next]").count(), 0);
    await page.goto("/txs?page=99999");
    assert.match((await page.locator("main").textContent())!, /There are no transactions/);
    assert.deepEqual(faults, []);
    await close();
  });

  test("a new block comes in by itself, and a hidden page asks for nothing", async () => {
    const { page, faults, close } = await openPage(browser, site.url);
    await page.clock.install();
    await page.goto("/");
    const hash = await site.transfer();
    await page.clock.runFor(POLL_INTERVAL);

    await page.locator(`[data-live-part=transactions] a[href="/tx/${hash}"]`).waitFor();
    let asked = 0;
    // What has changed is asked for after a look, which may be under way when the page is hidden.
    page.on("request", (request) => {
      if (request.url().endsWith("/live")) asked++;
    });
    await page.clock.runFor(POLL_INTERVAL);
    assert.ok(asked > 0, "a page that is seen asks");
    await page.evaluate("Object.defineProperty(document, 'hidden', { get: () => true }), 0");
    await page.clock.runFor(POLL_INTERVAL);
    asked = 0;
    await page.clock.runFor(10 * POLL_INTERVAL);
    assert.equal(asked, 0);
    assert.deepEqual(faults, []);
    await close();
  });

  test("the chosen theme persists, and addresses are copied", async () => {
    const { page, faults, close } = await openPage(browser, site.url, {
      colorScheme: "light",
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await page.goto(`/address/${found.address}`);
    await page.locator("[data-theme-switch]").click();
    // The mark is shown for a moment, in which a busy machine may not look.
    await page.evaluate(`void (globalThis.marked = new Promise((resolve) => {
      const look = () => document.querySelector(".identity .copied") && resolve();
      new MutationObserver(look).observe(document.body, { subtree: true, attributes: true });
    }))`);
    await page.locator(".identity [data-copy]").click();
    await page.evaluate("globalThis.marked");
    const copied = await page.evaluate("navigator.clipboard.readText()");
    await page.reload();

    assert.equal(await page.evaluate("document.documentElement.dataset.theme"), "dark");
    assert.equal(copied, found.address);
    assert.deepEqual(faults, []);
    await close();
  });

  test("on a phone rows open their transactions, lists are sorted by links, and a touch shows all digits", async () => {
    const { page, faults, close } = await openPage(browser, site.url, { viewport: SIZES.phone, hasTouch: true });
    await page.goto("/tokens");
    await page.locator(".sorts a", { hasText: "Holders" }).tap();
    await page.waitForURL("**/tokens?sort=holders**");
    await page.goto("/txs?page=2");
    const row = page.locator(".rows > li").first();
    const hash = await row.getAttribute("data-key");
    // The link of the row is above its icon.
    await row.locator(".icon").tap({ force: true });
    await page.waitForURL(`**/tx/${hash}`);
    await page.goto(`/address/${found.address}?tab=balance`);
    const amount = page.locator("table.cards data.amount[title]").first();
    const [short, exact] = [await amount.textContent(), await amount.getAttribute("title")];
    await amount.tap();
    const shown = await amount.textContent();
    await amount.tap();

    assert.ok(exact!.length > short!.split(" ")[0]!.length, `${exact} of ${short}`);
    assert.ok(shown!.startsWith(exact!), `${shown} has ${exact}`);
    assert.equal(await amount.textContent(), short);
    assert.deepEqual(faults, []);
    await close();
  });

  test("logs name parties, and have amounts in units of the token or the pair", async () => {
    const { items } = (await site.read("/token-transfers?type=ERC-20&page_size=100")) as unknown as { items: Json[] };
    // Contracts have an icon before their name.
    const transfer = items.find(({ to }) => (to as Json).is_contract === false) as unknown as {
      token: { symbol: string };
      total: { value: string; decimals: string };
      to: { hash: string };
      transaction_hash: string;
    };
    const { token, total, to } = transfer;
    const logs = await readPage(site, `/tx/${transfer.transaction_hash}?tab=logs`);
    const { data } = (await site.readExchange("/pools")) as unknown as { data: Json[] };
    const pools = data.filter(({ poolType }) => poolType === "v2").map(({ poolId }) => poolId as string);
    const units = /<bdi>([^<]+)<\/bdi><\/span><\/data> <span class="exact"><code>\d+<\/code>/g;
    const pages = await Promise.all(pools.map((pool) => readPage(site, `/address/${pool}?tab=logs`)));
    const symbols = new Set(pages.flatMap((page) => [...page.matchAll(units)].map(([, text]) => text)));

    assert.match(
      logs,
      new RegExp(`<data class="amount" value="${total.value}"[^>]*>[^<]+ <span class="unit"><bdi>${token.symbol}<`),
    );
    assert.match(logs, new RegExp(`<span class="exact"><a href="/address/${to.hash}">`));
    assert.ok(symbols.size >= 2, [...symbols].join());
  });

  test(`the figures of ${CASES} pages are those of the API (seed ${SEED})`, async () => {
    const random = new Random(SEED);
    for (let round = 0; round < CASES; round++) {
      const [path, read] = await pickFigures(site, random);
      let missing = await findMissing(site, path, await read());
      // A block may have come between the API and the page; what is wrong stays so.
      for (let again = 0; missing.length > 0 && again < 4; again++)
        missing = await findMissing(site, path, await read());
      assert.deepEqual(missing, [], path);
    }
  });

  test("the advanced filter shows what its JSON has, page after page", async () => {
    const { address, symbol, contract } = found;
    for (const query of [
      ...["", `from=${address}`, `from=${address}&to=${address}&parties=and`, `to=${contract}&method=0xa9059cbb`],
      ...[`token=${symbol}&min=1&max=500.5`, `token=${contract}&from=${address}`, "token=native&min=0.1"],
      ...["type=contract_creation", "type=ERC-721", `until=${new Date().toISOString().slice(0, 10)}&type=ERC-20`],
    ]) {
      let path: string | undefined = `/advanced-filter?${query}`;
      let json: string | undefined;
      for (let page = 0; page < 3 && path !== undefined; page++) {
        let read = await readFiltered(site, path, json);
        // Blocks and traces may have come between the page and its JSON; what is wrong stays so.
        for (let again = 0; !isDeepStrictEqual(read.shown, read.hashes) && again < 4; again++)
          read = await readFiltered(site, path, json);

        assert.deepEqual(read.shown, read.hashes, path);
        assert.equal(read.older === undefined, read.olderJson === undefined, path);
        path = read.older;
        json = read.olderJson;
      }
    }
  });

  test("the state tab shows storage as the node has it before and after a block", async () => {
    const storageAt = (address: string, slot: string, number: number) =>
      ask<string>(site.url, "eth_getStorageAt", address, slot, `0x${number.toString(16)}`);
    let shown = 0;
    for (const { hash, block } of await findAlone(site)) {
      const page = await fetch(`${site.url}/tx/${hash}?tab=state`, { headers: { accept: "text/html" } });
      const [, part] = (await page.text()).split("<h2>Storage</h2>");
      for (const [row, address] of part!.matchAll(/<tr>.*?href="\/address\/(0x\w+)".*?<\/tr>/gs)) {
        const [slot, before, after] = [...row.matchAll(/<code title="(0x\w{64})">/g)].map(([, word]) => word!);
        assert.deepEqual(
          [before, after],
          [await storageAt(address!, slot!, block - 1), await storageAt(address!, slot!, block)],
        );
        shown++;
      }
    }

    assert.ok(shown > 0);
  });

  test("pages travel compressed, unchanged ones not at all, and a program finds JSON at the root", async () => {
    const path = `/block/${found.block}`;
    const ask = (headers: Record<string, string>) => fetch(`${site.url}${path}`, { headers });
    const plain = await ask({ "accept-encoding": "identity" });
    const small = await ask({ "accept-encoding": "br" });
    const again = await ask({ "accept-encoding": "br", "if-none-match": small.headers.get("etag")! });
    const root = await fetch(`${site.url}/`, { headers: { accept: "application/json" } });

    assert.equal(await plain.text(), await small.text());
    assert.equal(small.headers.get("content-encoding"), "br");
    assert.match(small.headers.get("vary")!, /accept-encoding/);
    assert.equal(again.status, 304);
    assert.equal(((await root.json()) as Json).chain_id, 968);
  });

  test("a page and all that it loads travel in at most 60 kB", async () => {
    const sizeOf = async (path: string) => {
      const response = await fetch(`${site.url}${path}`, { headers: { accept: "text/html", "accept-encoding": "br" } });
      await response.arrayBuffer();
      return Number(response.headers.get("content-length") ?? Number.NaN);
    };
    const home = await (await fetch(site.url, { headers: { accept: "text/html" } })).text();
    const prefix = /\/assets\/\w+\//.exec(home)![0];
    const files = readdirSync(new URL("../../web/", import.meta.url)).filter((name) => /\.(ts|css|svg)$/.test(name));
    const assets = await Promise.all(files.map((name) => sizeOf(`${prefix}${name}`)));
    const loaded = assets.reduce((sum, size) => sum + size, 0);

    assert.ok(loaded > 10_000, `${loaded} bytes of scripts and styles`);
    for (const path of pathsOf(found)) {
      const size = loaded + (await sizeOf(path));
      assert.ok(size <= 60_000, `${path}: ${size} bytes`);
    }
  });

  test("filtered lists have what the API has of it, and forms keep what was typed", async () => {
    const { items } = (await site.read("/transactions?page_size=1000")) as unknown as { items: Json[] };
    const { address } = found;
    const keys = async (path: string) =>
      [...(await readPage(site, path)).matchAll(/<li data-key="(0x\w{64})"/g)].map(([, hash]) => hash);
    const hashes = (isWanted: (tx: Json) => boolean) => items.filter(isWanted).map(({ hash }) => hash);
    const dayOf = (tx: Json) => new Date(Number(tx.timestamp ?? 0) || String(tx.timestamp)).toISOString().slice(0, 10);
    const day = dayOf(items.at(-1)!);

    // Blocks come between the two, and there are more than the API was asked for.
    const known = new Set(items.map(({ hash }) => hash));
    const shown = async (path: string) => (await keys(path)).filter((hash) => known.has(hash!)).slice(0, 20);
    const expected = (isWanted: (tx: Json) => boolean) => hashes(isWanted).slice(0, 20);

    const isSent = ({ from }: Json) => (from as Json).hash === address;
    assert.deepEqual(await shown(`/address/${address}?direction=out`), expected(isSent));
    assert.deepEqual(
      await shown("/txs?method=transfer"),
      expected(({ method }) => method === "transfer"),
    );
    assert.deepEqual(
      await shown(`/txs?until=${day}`),
      expected((tx) => dayOf(tx) <= day),
    );
    const { items: ofToken } = (await site.read(`/tokens/${found.contract}/transfers`)) as unknown as { items: Json[] };
    const transfers = await readPage(site, `/token-transfers?token=${found.contract}&until=${day}`);
    const shownTransfers = [...transfers.matchAll(/<li data-key="(0x\w{64}-\d+)"/g)].map(([, key]) => key!);
    const knownTransfers = new Set(shownTransfers);
    const internal = await readPage(site, `/internal-txs?since=${day}`);
    assert.ok(shownTransfers.length > 0 && internal.includes("<li data-key"));
    for (const { transaction_hash: hash, log_index: log, timestamp } of ofToken.slice(0, 20)) {
      const isWanted = dayOf({ timestamp } as Json) <= day;
      assert.equal(knownTransfers.has(`${hash}-${log}`), isWanted, `${hash}-${log}`);
    }
    assert.match(transfers, /href="\/api\/v2\/tokens\/0x\w+\/transfers\/csv\?to_period=\S+&amp;columns=readable/);
    assert.match(
      await readPage(site, "/txs?method=transfer"),
      /href="\/api\/v2\/transactions\?method=transfer" data-json/,
    );
    const sent = await readPage(site, `/address/${address}?direction=out`);
    assert.match(
      sent,
      new RegExp(`href="/api/v2/addresses/${address}/transactions/csv\\?filter=from&amp;columns=readable"`),
    );
    assert.match(await readPage(site, "/txs?method=nothing"), /name="method"[^>]* value="nothing"/);
    assert.match(await readPage(site, "/advanced-filter?from=me"), /name="from"[^>]* value="me"/);
    const named = /<label>From <input[^>]* value="Ada"/;
    assert.match(await readPage(site, "/advanced-filter?from=Ada"), named, "accounts are named");
  });

  test("pools, tokens and accounts are headed by sums that a plain addition gives", async () => {
    const { data } = (await site.readExchange("/pools")) as unknown as { data: Json[] };
    const token = addresses.wrapped.address;
    const isOf = (pool: Json) => [pool.baseTokenAddress, pool.quoteTokenAddress].includes(token);
    const traded = data.filter(isOf).reduce((sum, pool) => sum + Number(pool.volumeUsd24), 0);
    const tokenPage = await readPage(site, `/token/${token}`);
    const volume = /<dt>Volume 24 h<\/dt><dd><data value="([^"]+)"/.exec(tokenPage)?.[1];
    const pool = data[0]!.poolId as string;
    const topics = LIQUIDITY.map((signature) => keccak256(toUtf8Bytes(signature)));
    const range = { fromBlock: "0x1", toBlock: "0x2000" };
    const logs = await ask<Json[]>(site.url, "eth_getLogs", { address: pool, ...range, topics: [topics] });
    const liquidity = await readPage(site, `/pools/${pool}?tab=liquidity`);
    const rows = [...liquidity.matchAll(/<li data-key="(0x\w{64})-(\d+)"/g)].map(([, hash, log]) => [
      hash,
      Number(log),
    ]);

    // A block may have come between the two.
    if (traded > 0) assert.ok(Math.abs(Number(volume) / traded - 1) < 0.2, `${volume} of ${traded}`);
    assert.deepEqual(
      rows,
      logs
        .reverse()
        .slice(0, 25)
        .map(({ transactionHash, logIndex }) => [transactionHash, Number(logIndex)]),
    );
  });

  test("the beginning of a hash or an address is found, and methods by name", async () => {
    const { transaction, address } = found;

    assert.match(
      await readPage(site, `/search?q=${transaction.slice(0, 12)}`),
      new RegExp(`href="/tx/${transaction}"`),
    );
    assert.match(await readPage(site, `/search?q=${address.slice(0, 10)}`), new RegExp(`href="/address/${address}"`));
    assert.match(await readPage(site, "/search?q=swapExact"), /href="\/txs\?method=0x38ed1739"/);
  });

  test("the status is a page for people and JSON for programs", async () => {
    const json = (await (await fetch(`${site.url}/status`)).json()) as Json;
    const page = await readPage(site, "/status");

    assert.equal(json.chain_id, 968);
    assert.match(shownText(page), /Newest indexed block\s*[\d,]+/);
    assert.match(page, /href="\/status\?format=json" data-json/);
  });

  test("missing and unreadable records have an error page", async () => {
    for (const [path, status, words] of [
      [`/tx/0x${"ab".repeat(32)}`, 404, /Not found/],
      ["/tx/0x12", 422, /64 hex digits/],
      ["/block/x", 422, /number or by its hash/],
      ["/txs?page=0", 422, /page is a number/],
      ["/address/0x1", 422, /40 hex digits/],
      [`/token/0x${"ab".repeat(20)}`, 404, /Not found/],
      ["/advanced-filter?from=me", 422, /Nothing is called &quot;me&quot;.*40 hex digits/s],
      ["/advanced-filter?min=1e3", 422, /An amount is digits/],
      ["/advanced-filter?since=yesterday", 422, /A day is written/],
      ["/advanced-filter?method=nothing", 422, /No well-known method .*8 hex digits/s],
      ["/advanced-filter?type=all", 422, /no such type/],
      ["/advanced-filter?after=1-2-3", 422, /no such place/],
    ] as const) {
      const response = await fetch(`${site.url}${path}`, { headers: { accept: "text/html" } });
      assert.equal(response.status, status, path);
      assert.match(response.headers.get("content-type")!, /text\/html/);
      assert.match(await response.text(), words);
    }
  });
});

const LIQUIDITY = [
  ...["Mint(address,uint256,uint256)", "Burn(address,uint256,uint256,address)"],
  "Mint(address,address,int24,int24,uint128,uint256,uint256)",
  "Burn(address,int24,int24,uint128,uint256,uint256)",
  "Collect(address,address,int24,int24,uint128,uint128)",
];

const readPage = async ({ url }: WebSite, path: string): Promise<string> =>
  (await fetch(`${url}${path}`, { headers: { accept: "text/html" } })).text();

const unescapeHtml = (text: string): string => text.replaceAll("&amp;", "&");

/** What a page of the advanced filter shows, what its JSON has, and where both say that the list goes on. */
async function readFiltered({ url, read }: WebSite, path: string, knownJson?: string) {
  const html = await (await fetch(`${url}${path}`, { headers: { accept: "text/html" } })).text();
  const shown = [...html.matchAll(/<tr><td><a href="\/tx\/(0x\w+)"/g)].map(([, hash]) => hash);
  const older = /href="([^"]+)" rel="next"/.exec(html)?.[1];
  const json = knownJson ?? unescapeHtml(/href="\/api\/v2([^"]+)" data-json/.exec(html)![1]!);
  const { items, next_page_params: next } = await read(json);
  return {
    shown,
    hashes: (items as Json[]).map(({ hash }) => hash),
    older: older && unescapeHtml(older),
    olderJson: next === null ? undefined : withParameters(json, next as Record<string, string>),
  };
}

function withParameters(path: string, parameters: Readonly<Record<string, string>>): string {
  const [name, query] = path.split("?");
  return `${name}?${new URLSearchParams({ ...Object.fromEntries(new URLSearchParams(query)), ...parameters })}`;
}

/** Of neighbours, which are much alike, the first. */
const everySecond = (paths: readonly string[]): string[] => paths.filter((_, at) => at % 2 === 0);

/** The faults that axe finds: of colours, names, roles and order. */
async function checkAccess(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(options: object): Promise<AxeResult> } }).axe.run({
      resultTypes: ["violations"],
    }),
  );
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .map(({ html }) => html)
        .slice(0, 3)
        .join(" ")}`,
  );
}

/** Transactions that moved tokens and have their blocks to themselves. Who sends to themselves changes no storage. */
async function findAlone({ read }: WebSite): Promise<{ hash: string; block: number }[]> {
  const { items } = (await read("/transactions?page_size=1000")) as unknown as { items: Json[] };
  const alone = items.filter(
    ({ block, transaction_types: types }) =>
      (types as string[]).includes("token_transfer") && items.filter((other) => other.block === block).length === 1,
  );
  return alone.slice(0, 10).map(({ hash, block }) => ({ hash: hash as string, block: block as number }));
}

/** A page, and what the API says of it. */
async function pickFigures({ read }: WebSite, random: Random): Promise<[path: string, read: () => Promise<Json>]> {
  const page = (path: string) => read(`${path}?page=${random.between(1, 10)}`) as unknown as Promise<{ items: Json[] }>;
  const kind = random.pick(["transaction", "block", "address", "token", "state", "accounts"] as const);
  if (kind === "transaction") {
    const { hash } = random.pick((await page("/transactions")).items);
    const readFigures = async () => {
      const { value, fee, gas_used, nonce, position } = await read(`/transactions/${hash}`);
      return { value, fee: (fee as Json).value, gas_used, nonce, position };
    };
    return [`/tx/${hash}`, readFigures];
  }
  if (kind === "state") {
    const { hash } = random.pick((await page("/transactions")).items);
    const readFigures = async () => {
      const { items } = (await read(`/transactions/${hash}/state-changes`)) as unknown as { items: Json[] };
      const figures = items.flatMap(({ balance_before, balance_after, change }) => [
        ...[balance_before, balance_after],
        Array.isArray(change) ? null : change,
      ]);
      return Object.fromEntries(figures.entries()) as Json;
    };
    return [`/tx/${hash}?tab=state`, readFigures];
  }
  if (kind === "accounts") {
    const number = random.between(1, 4);
    const readFigures = async () => {
      const { items, total_supply } = await read(`/addresses?page=${number}`);
      const figures = (items as Json[]).flatMap(({ coin_balance, transactions_count }) => [
        ...[coin_balance, transactions_count],
      ]);
      // The page has it in wei.
      return Object.fromEntries([parseEther(String(total_supply)).toString(), ...figures].entries()) as Json;
    };
    return [`/accounts?page=${number}`, readFigures];
  }
  if (kind === "block") {
    const { height } = random.pick((await page("/blocks")).items);
    const readFigures = async () => {
      const { gas_used, base_fee_per_gas, size, burnt_fees, gas_limit } = await read(`/blocks/${height}`);
      return { gas_used, base_fee_per_gas, size, burnt_fees, gas_limit };
    };
    return [`/block/${height}`, readFigures];
  }
  if (kind === "address") {
    const { from } = random.pick((await page("/transactions")).items);
    const { hash } = from as Json;
    const readFigures = async () => {
      const { transactions_count, token_transfers_count } = await read(`/addresses/${hash}/counters`);
      const { total_count: internal } = await read(`/addresses/${hash}/internal-transactions`);
      const { total_count: tokens } = await read(`/addresses/${hash}/token-balances`);
      return { transactions_count, token_transfers_count, internal, tokens };
    };
    return [`/address/${hash}`, readFigures];
  }
  const { items } = (await read("/tokens")) as unknown as { items: Json[] };
  const { address } = random.pick(items);
  const readFigures = async () => {
    const { total_supply, holders_count } = await read(`/tokens/${address}`);
    return { total_supply, holders_count };
  };
  return [`/token/${address}`, readFigures];
}

/** The figures that a page does not show. */
async function findMissing({ url }: WebSite, path: string, expected: Json): Promise<string[]> {
  const html = await (await fetch(`${url}${path}`, { headers: { accept: "text/html" } })).text();
  const shown = new Set([...html.matchAll(/<data[^>]* value="([^"]*)"/g)].map(([, value]) => value));
  const missing = Object.entries(expected).filter(([, value]) => value !== null && !shown.has(String(value)));
  return missing.map(([name, value]) => `no ${name} of ${value}`);
}
