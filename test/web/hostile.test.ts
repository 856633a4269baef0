import assert from "node:assert/strict";
import { test } from "node:test";
import type { Abi, Hex } from "viem";
import { encodeDeployData } from "viem";
import { findChromium, launchChromium, openPage } from "../support/browser.ts";
import { contractNamed, revertingWith } from "../support/contracts.ts";
import { ask } from "../support/networkProgram.ts";
import { get, runProgram, temporaryDirectory, until } from "../support/program.ts";

const chromium = await findChromium();

const NAMES = [
  `<img src=x onerror="document.title='owned'">`,
  `"><script>document.title='owned'</script>`,
  "\u202egnp.exe\u2066",
  "US\u200bDC\u0000",
  "'; DROP TABLE token; --",
];

/** Emits 10,000 logs while it is created: a loop around LOG0. */
const LOG_STORM: Hex = "0x6127105b5f5fa06001900380600357";

function deployToken(name: string): Hex {
  const { abi, bytecode } = contractNamed("ERC20PresetFixedSupply");
  return encodeDeployData({ abi: abi as Abi, bytecode, args: [name, name, 10n ** 24n, `0x${"11".repeat(20)}`] });
}

test("whatever contracts call themselves and say, pages are harmless and quick", {
  skip: typeof chromium === "string" ? chromium : false,
}, async (t) => {
  const args = ["start", "--network", "testnet", "--port", "0", "--poll", "50", "--data", temporaryDirectory(t)];
  const program = runProgram(t, args);
  const served = () => /chain 968 +(http:\/\/\S+)/.exec(program.stdout)?.[1];
  await until("it serves", () => served() !== undefined);
  const url = served()!;
  const [from] = await ask<Hex[]>(url, "eth_accounts");
  const send = async (transaction: object) => {
    const hash = await ask<Hex>(url, "eth_sendTransaction", { from, gas: "0xf42400", ...transaction });
    return { hash, ...(await ask<{ contractAddress: Hex }>(url, "eth_getTransactionReceipt", hash)) };
  };
  const tokens: Hex[] = [];
  for (const name of NAMES) tokens.push((await send({ data: deployToken(name) })).contractAddress);
  const storm = await send({ data: LOG_STORM });
  const reverting = await send({ data: revertingWith(`0x${"e2".repeat(24_000)}`) });
  const failed = await send({ to: reverting.contractAddress, data: "0x12345678" });
  await until("all tokens have their names", async () => {
    const { items } = (await get(`${url}/api/v2/tokens`)).body as unknown as { items: { name: string | null }[] };
    return items.length === NAMES.length && items.every(({ name }) => name !== null);
  });
  const browser = await launchChromium((chromium as { path: string }).path);
  t.after(() => browser.close());

  const paths = [
    ...["/", "/tokens", "/txs", "/token-transfers", `/search?q=${encodeURIComponent(NAMES[0]!)}`],
    ...tokens.flatMap((token) => [`/token/${token}`, `/address/${token}`]),
    ...[`/tx/${storm.hash}`, `/tx/${storm.hash}?tab=logs`, `/tx/${failed.hash}`, `/tx/${reverting.hash}`],
  ];
  for (const path of paths) {
    const { page, faults, close } = await openPage(browser, url);
    const response = await page.goto(path);
    const title = await page.title();

    assert.equal(response?.status(), 200, path);
    assert.ok((await response!.body()).length < 300_000, path);
    assert.doesNotMatch(title, /owned/, path);
    assert.equal(await page.locator("main img[src=x], main script").count(), 0, path);
    assert.doesNotMatch((await page.locator("main").textContent())!, /[\u202e\u2066\u200b]/, path);
    assert.deepEqual(faults, [], path);
    await close();
  }
});
