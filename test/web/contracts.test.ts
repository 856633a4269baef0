import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import type { Hex } from "viem";
import { encodeDeployData } from "viem";
import type { Json } from "../support/api.ts";
import { findChromium, launchChromium, openPage, visitAll } from "../support/browser.ts";
import { revertingWith } from "../support/contracts.ts";
import {
  deployToken,
  HOSTILE_NAMES,
  LOG_STORM,
  LONG_REASON_PART,
  revertingAtLength,
} from "../support/hostileContracts.ts";
import { ask } from "../support/networkProgram.ts";
import { get, makeTemporaryDirectory, runProgram } from "../support/program.ts";
import { compile } from "../support/solidity.ts";
import { until } from "../support/waiting.ts";

/** Bytes of texts that a contract reverts with: one that is decoded, and one that is too long for that. */
const REASONS = [60_000, 100_000];

const chromium = await findChromium();

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract Register {
    mapping(address => uint256) public entries;
    string public title;

    constructor(string memory name) { title = name; }

    function enter(uint256 amount) external payable { entries[msg.sender] = amount + msg.value; }

    function twice(uint256 amount) external pure returns (uint256 doubled) { return amount * 2; }
}
`;

/** A wallet that announces itself as EIP-6963 says, is on another chain, and signs whatever it is asked to with an account of the node. */
function announceWallet(account: string): string {
  return `(() => {
    const asked = window.askedOfWallet = [];
    let chainId = "0x1";
    const provider = {
      async request({ method, params = [] }) {
        asked.push(method);
        if (method === "eth_requestAccounts") return [${JSON.stringify(account)}];
        if (method === "eth_chainId") return chainId;
        if (method === "wallet_switchEthereumChain") throw Object.assign(new Error("Unknown chain"), { code: 4902 });
        if (method === "wallet_addEthereumChain") return void (chainId = params[0].chainId);
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
        const answer = await fetch("/rpc", { method: "POST", headers: { "content-type": "application/json" }, body });
        const { result, error } = await answer.json();
        if (error) throw Object.assign(new Error(error.message), { code: error.code });
        return result;
      },
    };
    const info = { uuid: "1", name: "Test wallet", icon: "data:image/svg+xml,<svg/>", rdns: "org.example" };
    const announce = () => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: { info, provider } }));
    window.addEventListener("eip6963:requestProvider", announce);
  })()`;
}

describe("contracts in Chromium", { skip: typeof chromium === "string" ? chromium : false }, () => {
  const cleanings: (() => unknown)[] = [];
  let browser: Browser;
  let url: string;
  let from: Hex;

  before(async () => {
    const launched = launchChromium((chromium as { path: string }).path);
    const { directory, remove } = makeTemporaryDirectory();
    cleanings.push(remove);
    const args = ["start", "--network", "testnet", "--port", "0", "--poll", "50", "--data", directory];
    // The wallet of the test is no program on this machine but a page, which may not use accounts of the node.
    const program = runProgram({ after: (clean) => cleanings.push(clean) }, [...args, "--dev-methods", "all"]);
    const served = () => /chain 968 +(http:\/\/\S+)/.exec(program.stdout)?.[1];
    await until("it serves", () => served() !== undefined);
    url = served()!;
    [from] = (await ask<Hex[]>(url, "eth_accounts")) as [Hex];
    browser = await launched;
    cleanings.push(() => browser.close());
  });
  after(async () => {
    for (const clean of cleanings.reverse()) await clean();
  });

  test("a contract is verified from the form, read, and written through a wallet", async () => {
    const { abi, bytecode } = compile(SOURCE).Register!;
    const data = encodeDeployData({ abi, bytecode, args: ["The register"] });
    const hash = await ask<Hex>(url, "eth_sendTransaction", { from, data, gas: "0x200000" });
    const { contractAddress } = await ask<{ contractAddress: Hex }>(url, "eth_getTransactionReceipt", hash);
    await until("it is indexed", async () => (await get(`${url}/api/v2/transactions/${hash}`)).body.block !== null);
    const { page, faults, close } = await openPage(browser, url);
    await page.addInitScript(announceWallet(from));

    await page.goto(`/verify?address=${contractAddress}`);
    await page.fill("#contract_name", "Register");
    await page.check("input[value=single-file]");
    await page.fill("#source", SOURCE);
    await page.fill("#evm_version", "prague");
    await page.locator("main button[type=submit]").click();
    await page.waitForURL(/\/verify\/\w+/);
    await page.locator(".notice.good").waitFor({ timeout: 60_000 });

    await page.goto(`/address/${contractAddress}?tab=contract`);
    assert.match((await page.locator("main").textContent())!, /contract Register/);

    await page.goto(`/address/${contractAddress}?tab=read`);
    assert.match((await page.locator("main").textContent())!, /The register/);
    const twice = page.locator("details.function", { hasText: "twice" });
    await twice.locator("summary").click();
    await twice.locator("input[name=arg0]").fill("21");
    await twice.locator("button").click();
    assert.match((await page.locator("details.function[open]").textContent())!, /42/);

    await page.goto(`/address/${contractAddress}?tab=write`);
    await page.locator("[data-wallet] button").click();
    const enter = page.locator("details.function", { hasText: "enter" });
    await enter.locator("summary").click();
    await enter.locator("input[name=arg0]").fill("1234");
    await enter.locator("form button").click();
    await enter.locator("[data-review] dl").waitFor();
    assert.match((await enter.locator("[data-review]").textContent())!, /enter\(uint256 amount\).*1234/s);
    await enter.locator("[data-review] button").first().click();
    const link = enter.locator("[data-review] a[href^='/tx/']");
    await link.waitFor();
    const sent = (await link.getAttribute("href"))!.split("/").at(-1)!;
    await until("it is indexed", async () => (await get(`${url}/api/v2/transactions/${sent}`)).body.status === "ok");
    const { decoded_input: decoded } = (await get(`${url}/api/v2/transactions/${sent}`)).body;

    assert.equal((decoded as { method_call: string }).method_call, "enter(uint256 amount)");
    assert.deepEqual(await page.evaluate("window.askedOfWallet.filter((name) => name !== 'eth_chainId')"), [
      "eth_requestAccounts",
      "wallet_switchEthereumChain",
      "wallet_addEthereumChain",
      "eth_sendTransaction",
    ]);
    assert.deepEqual(faults, []);
    await close();
  });

  test("whatever contracts call themselves and say, pages are harmless and quick", async () => {
    const send = async (transaction: object) => {
      const hash = await ask<Hex>(url, "eth_sendTransaction", { from, gas: "0xf42400", ...transaction });
      return { hash, ...(await ask<{ contractAddress: Hex }>(url, "eth_getTransactionReceipt", hash)) };
    };
    const tokens: Hex[] = [];
    for (const name of HOSTILE_NAMES) tokens.push((await send({ data: deployToken(name) })).contractAddress);
    const storm = await send({ data: LOG_STORM });
    const reverting = await send({ data: revertingWith(`0x${"e2".repeat(24_000)}`) });
    const failed = await send({ to: reverting.contractAddress, data: "0x12345678" });
    const long: Hex[] = [];
    for (const length of REASONS) {
      const { contractAddress } = await send({ data: revertingAtLength(length) });
      long.push((await send({ to: contractAddress, data: "0x12345678" })).hash);
    }
    await until("all tokens have their names", async () => {
      const { items } = (await get(`${url}/api/v2/tokens`)).body as unknown as { items: { name: string | null }[] };
      return items.length === HOSTILE_NAMES.length && items.every(({ name }) => name !== null);
    });

    const paths = [
      ...["/", "/tokens", "/txs", "/token-transfers", `/search?q=${encodeURIComponent(HOSTILE_NAMES[0]!)}`],
      ...tokens.flatMap((token) => [`/token/${token}`, `/address/${token}`]),
      ...[`/tx/${storm.hash}`, `/tx/${storm.hash}?tab=logs`, `/tx/${failed.hash}`, `/tx/${reverting.hash}`],
      ...long.flatMap((hash) => [`/tx/${hash}`, `/tx/${hash}?tab=trace`]),
    ];
    const problems = await visitAll(browser, url, paths, async ({ path, page }) => {
      const response = await page.goto(path);

      assert.equal(response?.status(), 200, path);
      assert.ok((await response!.body()).length < 300_000, path);
      assert.doesNotMatch(await page.title(), /owned/, path);
      assert.equal(await page.locator("main img[src=x], main script").count(), 0, path);
      assert.doesNotMatch((await page.locator("main").textContent())!, /[\u202e\u2066\u200b]/, path);
    });
    assert.deepEqual(problems, []);

    const { page, close } = await openPage(browser, url);
    const read = async (hash: Hex) => {
      await page.goto(`/tx/${hash}`);
      const json = await page.locator("#reason p a").getAttribute("href");
      const { revert_reason } = (await get(`${url}${json}`)).body as {
        revert_reason: { parameters: Json[]; raw: Hex };
      };
      const [line, size, whole] = [".reason", ".reason a[href='#reason']", "#reason"].map((each) => page.locator(each));
      const texts = await Promise.all([line, size, whole].map((each) => each!.textContent()));
      return { texts: texts as [string, string, string], reason: revert_reason };
    };
    const [decoded, raw] = [await read(long[0]!), await read(long[1]!)];
    assert.equal(decoded.texts[1], "56,250 characters");
    assert.ok(decoded.texts[2].includes(LONG_REASON_PART.replace("\u202e", "\ufffd").repeat(20)));
    assert.match(decoded.texts[2], /The first 20,000 of 56,250 characters; the JSON has all/);
    assert.equal(Buffer.byteLength(String(decoded.reason.parameters[0]!.value)), REASONS[0]);
    assert.equal(raw.texts[1], "100,068 bytes");
    assert.match(raw.texts[2], /The first 8,192 of 100,068 bytes; the JSON has all/);
    assert.equal(raw.reason.raw.length, 2 + 2 * (REASONS[1]! + 68));
    for (const { texts } of [decoded, raw]) assert.ok(texts[0].length < 500);
    await close();
  });
});
