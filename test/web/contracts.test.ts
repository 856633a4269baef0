import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hex } from "viem";
import { encodeDeployData } from "viem";
import { findChromium, launchChromium, openPage } from "../support/browser.ts";
import { ask } from "../support/networkProgram.ts";
import { get, runProgram, temporaryDirectory, until } from "../support/program.ts";
import { compile } from "../support/solidity.ts";

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

test("a contract is verified from the form, read, and written through a wallet", {
  skip: typeof chromium === "string" ? chromium : false,
}, async (t) => {
  const args = ["start", "--network", "testnet", "--port", "0", "--poll", "50", "--data", temporaryDirectory(t)];
  // The wallet of the test is no program on this machine but a page, which may not use accounts of the node.
  const program = runProgram(t, [...args, "--dev-methods", "all"]);
  const served = () => /chain 968 +(http:\/\/\S+)/.exec(program.stdout)?.[1];
  await until("it serves", () => served() !== undefined);
  const url = served()!;
  const [from] = (await ask<Hex[]>(url, "eth_accounts")) as [Hex];
  const { abi, bytecode } = compile(SOURCE).Register!;
  const data = encodeDeployData({ abi, bytecode, args: ["The register"] });
  const hash = await ask<Hex>(url, "eth_sendTransaction", { from, data, gas: "0x200000" });
  const { contractAddress } = await ask<{ contractAddress: Hex }>(url, "eth_getTransactionReceipt", hash);
  await until("it is indexed", async () => (await get(`${url}/api/v2/transactions/${hash}`)).body.block !== null);
  const browser = await launchChromium((chromium as { path: string }).path);
  t.after(() => browser.close());
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
