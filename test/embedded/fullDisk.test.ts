import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hex } from "../../src/chain/encoding/hex.ts";
import { CAN_LIMIT, limitFiles } from "../support/fileLimit.ts";
import { ask } from "../support/networkProgram.ts";
import { urlsOf } from "../support/networks.ts";
import { get, runProgram, temporaryDirectory } from "../support/program.ts";
import { until } from "../support/waiting.ts";

test("on a full disk the program refuses transactions, serves reads, and continues once there is space", {
  skip: !CAN_LIMIT,
}, async (t) => {
  const data = temporaryDirectory(t);
  const program = runProgram(t, ["start", "--network", "testnet", "--port", "0", "--data", data]);
  const { testnet: url } = (await urlsOf(program, 1)) as { testnet: string };
  const [from, to] = (await ask<Hex[]>(url, "eth_accounts")) as [Hex, Hex];
  const send = () => ask<Hex>(url, "eth_sendTransaction", { from, to, value: "0x1" });
  const isShown = async (hash: Hex) => (await get(`${url}/api/v2/transactions/${hash}`)).status === 200;
  const first = await send();
  await until("it is shown", () => isShown(first));

  limitFiles(4096, program.child.pid);
  const refusal = await send().catch((error: Error) => error);
  assert.match(String(refusal), /the chain cannot be written, the disk may be full: /);
  assert.equal(await ask(url, "eth_blockNumber"), "0x1");
  assert.ok(await isShown(first));
  assert.equal((await get(`${url}/status`)).status, 200);

  limitFiles(undefined, program.child.pid);
  const second = await send();
  await until("it is shown", () => isShown(second));
  assert.equal(await ask(url, "eth_blockNumber"), "0x2");
  assert.equal(await ask(url, "eth_getTransactionCount", from, "latest"), "0x2");
  assert.equal(program.stderr, "");
});
