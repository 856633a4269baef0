import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hex } from "../../src/chain/encoding/hex.ts";
import { ask } from "../support/networkProgram.ts";
import { urlsOf } from "../support/networks.ts";
import { get, runProgram, temporaryDirectory } from "../support/program.ts";
import { until } from "../support/waiting.ts";

/** The next poll is an hour away, so that every update comes from a notification. */
const ARGUMENTS = ["start", "--port", "0", "--poll", "3600000"];

test("a program shows a transaction when it is mined, and forgets it when it is taken back", async (t) => {
  const program = runProgram(t, [...ARGUMENTS, "--data", temporaryDirectory(t)]);
  const { mainnet, testnet } = (await urlsOf(program)) as { mainnet: string; testnet: string };
  const [from, to] = (await ask<Hex[]>(mainnet, "eth_accounts")) as [Hex, Hex];
  const listed = async () => {
    const { body } = await get(`${mainnet}/api/v2/addresses/${from}/transactions`);
    return (body.items as { hash: Hex }[]).map(({ hash }) => hash);
  };
  const send = () => ask<Hex>(mainnet, "eth_sendTransaction", { from, to, value: "0x1" });
  const tipOf = async (url: string) => ((await get(`${url}/status`)).body.indexed as { number: number } | null)?.number;
  const shown = async (hashes: readonly Hex[]) => {
    const start = performance.now();
    await until(`${hashes.length} transactions are listed`, async () => {
      const found = await listed();
      return found.length === hashes.length && found.every((hash) => hashes.includes(hash));
    });
    return Math.round(performance.now() - start);
  };

  const times: number[] = [];
  const kept: Hex[] = [];
  for (let i = 0; i < 5; i++) {
    kept.push(await send());
    times.push(await shown(kept));
  }
  t.diagnostic(`shown after ${times.join(", ")} ms`);
  const id = await ask(mainnet, "evm_snapshot");
  const gone = [await send(), await send(), await send()];
  await shown([...kept, ...gone]);
  await ask(mainnet, "evm_revert", id);
  await shown(kept);
  for (const hash of gone) assert.equal((await get(`${mainnet}/api/v2/transactions/${hash}`)).status, 404);
  assert.equal((await get(`${mainnet}/api/v2/blocks/6`)).status, 404);
  assert.deepEqual([await tipOf(mainnet), await tipOf(testnet)], [5, 0]);

  await ask(mainnet, "hardhat_reset");
  await shown([]);
  await until("it is at the first block", async () => (await tipOf(mainnet)) === 0);
  assert.equal((await get(`${mainnet}/api/v2/transactions/${kept[0]}`)).status, 404);
  assert.equal(program.stderr, "");
});
