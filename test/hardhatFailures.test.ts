import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { DevelopmentNode, Refused } from "./support/developmentNode.ts";
import type { RealNodeKind } from "./support/realNode.ts";
import { findHardhat, RealNode } from "./support/realNode.ts";

const word = (value: number) => value.toString(16).padStart(64, "0");
const REASON = `08c379a0${word(32)}${word(2)}${Buffer.from("no").toString("hex").padEnd(64, "0")}`;

/** Code that fails, each in another way. */
const FAILING: Readonly<Record<string, Hex>> = {
  "a reason": `0x60648060095f395ffd${REASON}`,
  "no reason": "0x5f5ffd",
  "an invalid opcode": "0xfe",
  "a custom error": "0x63deadbeef60e01b5f5260045ffd",
  "a panic": "0x634e487b7160e01b5f52601160045260245ffd",
  "no gas left": "0x5b5f56",
};

const addressOf = (index: number): Hex => `0x${(0xc0de00 + index).toString(16).padStart(40, "0")}`;

type Ask = <T>(method: string, ...params: unknown[]) => Promise<T>;

/** Errors that senders of failing transactions get. */
async function failuresOf(ask: Ask, from: Hex): Promise<unknown[]> {
  const failures: unknown[] = [];
  for (const [index, code] of Object.values(FAILING).entries()) {
    await ask("hardhat_setCode", addressOf(index), code);
    const sending = ask("eth_sendTransaction", { from, to: addressOf(index), gas: "0x186a0" });
    failures.push(
      await sending.catch((error: Refused) => ({ code: error.code, message: error.message, data: error.data })),
    );
  }
  return failures;
}

/** A node of ours, as hardhat asks it. */
async function openForHardhat(t: TestContext): Promise<{ node: DevelopmentNode; ask: Ask }> {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const ask: Ask = async (method, ...params) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const answer = JSON.parse((await node.node.handle(body, true, undefined, true))!) as {
      result: never;
      error?: Refused;
    };
    if (answer.error !== undefined) throw new Refused(answer.error);
    return answer.result;
  };
  return { node, ask };
}

const hardhat = findHardhat();

test("hardhat gets the errors of its own node for failing transactions", {
  skip: typeof hardhat === "string" ? hardhat : false,
}, async (t) => {
  const { node, ask } = await openForHardhat(t);
  const other = await RealNode.start(t, hardhat as RealNodeKind);
  const withoutHash = (failures: unknown[]) =>
    JSON.parse(JSON.stringify(failures).replaceAll(/"txHash":"0x\w{64}"/g, '"txHash":"0x"')) as unknown;

  const ours = await failuresOf(ask, node.account.address);
  const theirs = await failuresOf((method, ...params) => other.ask(method, ...params), other.accounts[0]!);

  assert.deepEqual(withoutHash(ours), withoutHash(theirs));
  assert.match(JSON.stringify(ours.at(-1)), /"txHash":"0x\w{64}"/);
  const count = await node.ask("eth_getTransactionCount", node.account.address, "latest");
  assert.equal(Number(count), Object.keys(FAILING).length, "they are mined all the same");
});

test("other clients get the hash of a failing transaction, and so does hardhat without automine", async (t) => {
  const { node, ask } = await openForHardhat(t);
  await ask("hardhat_setCode", addressOf(0), FAILING["no reason"]!);
  const request = { from: node.account.address, to: addressOf(0), gas: "0x186a0" };

  const hash = await node.ask<Hex>("eth_sendTransaction", request);
  await ask("evm_setAutomine", false);
  const waiting = await ask<Hex>("eth_sendTransaction", request);

  assert.match(waiting, /^0x\w{64}$/);
  assert.equal((await node.ask<{ status: Hex }>("eth_getTransactionReceipt", hash)).status, "0x0");
});
