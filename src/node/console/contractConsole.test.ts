import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { encodeAbiParameters, encodeFunctionData, getAddress, toFunctionSelector } from "viem";
import { DevelopmentNode } from "../../../test/support/developmentNode.ts";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import { compile } from "../../../test/support/solidity.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { fromHex } from "../../chain/encoding/hex.ts";
import { CONSOLE_LIMITS } from "./contractConsole.ts";
import { decodeLog } from "./decodeLog.ts";

const LIBRARY = readFileSync(createRequire(import.meta.url).resolve("hardhat/console.sol"), "utf8");
const SEED = firstSeed();

function randomValue(type: string, random: Random): { value: unknown; shown: string } {
  const [, size] = /^bytes(\d+)$/.exec(type) ?? [];
  const digits = (bytes: number) => Array.from({ length: bytes * 2 }, () => random.int(16).toString(16)).join("");
  if (type === "bool") return random.pick([true, false].map((value) => ({ value, shown: String(value) })));
  if (type === "string") return { value: "héllo", shown: "héllo" };
  if (type === "address") {
    const value = getAddress(`0x${digits(20)}`);
    return { value, shown: value };
  }
  if (type === "bytes" || size !== undefined) {
    const value = `0x${digits(Number(size ?? random.int(50)))}`;
    return { value, shown: value };
  }
  const value = BigInt(random.int(2 ** 31)) * (type === "int256" ? -1n : 2n ** 200n);
  return { value, shown: String(value) };
}

test(`every function of hardhat's console library is understood, in the older spelling too (seed ${SEED})`, () => {
  const random = new Random(SEED);
  const signatures = new Set(
    [...LIBRARY.matchAll(/encodeWithSignature\("(\w+)\(([^)]*)\)"/g)].map(([, , types]) => types!),
  );
  assert.ok(signatures.size > 370, `${signatures.size}`);

  for (const list of signatures) {
    const types = list === "" ? [] : list.split(",");
    const values = types.map((type) => randomValue(type, random));
    const data = encodeAbiParameters(
      types.map((type) => ({ type })),
      values.map(({ value }) => value),
    );
    const expected = values.map(({ shown }) => shown).join(" ");
    for (const spelled of [list, list.replaceAll("int256", "int")]) {
      const input = fromHex(`${toFunctionSelector(`log(${spelled})`)}${data.slice(2)}`);
      assert.equal(decodeLog(input), expected, `log(${spelled})`);
    }
  }
  for (const data of [
    "0x",
    "0x12",
    "0x41304fac",
    `0x41304fac${"ff".repeat(64)}`,
    `0xdeadbeef${"00".repeat(64)}`,
  ] as const) {
    assert.equal(decodeLog(fromHex(data)), undefined, data);
  }
});

const SOURCE = `${LIBRARY}
contract Talker {
  constructor() { console.log("made by %s", msg.sender); }
  function say(string calldata text, uint256 times) external returns (uint256) {
    for (uint256 i = 0; i < times; i++) console.log(text, i);
    return times;
  }
  function fail() external { console.log("about to %s, %d%%", "fail", 99); revert(); }
}`;

test("what contracts write is shown once, and costs and changes nothing", async (t) => {
  const { bytecode, abi } = compile(SOURCE).Talker!;
  const lines: string[] = [];
  const node = await DevelopmentNode.open({ onConsole: (line) => lines.push(line) });
  const silent = await DevelopmentNode.open();
  t.after(() => Promise.all([node.close(), silent.close()]));
  const taken = () => lines.splice(0);
  const deployed = async (chain: DevelopmentNode) => {
    const hash = await chain.send({ to: undefined, data: bytecode, gas: 5_000_000n });
    return chain.ask<{ contractAddress: Hex; gasUsed: Hex; status: Hex }>("eth_getTransactionReceipt", hash);
  };
  const [{ contractAddress: to, ...receipt }, expected] = [await deployed(node), await deployed(silent)];
  assert.equal(receipt.gasUsed, expected.gasUsed);
  assert.deepEqual(taken(), [`made by ${node.account.address}`]);
  const data = (name: string, ...args: unknown[]) => encodeFunctionData({ abi, functionName: name, args });
  const hello = { to, data: data("say", "hello", 2n) };

  const { from } = { from: node.account.address };
  for (const chain of [node, silent]) await chain.ask("eth_sendTransaction", { from, ...hello });
  assert.deepEqual(taken(), ["hello 0", "hello 1"]);
  assert.equal(await node.ask("eth_estimateGas", hello), await silent.ask("eth_estimateGas", hello));
  await node.ask("debug_traceCall", hello, "latest", {});
  assert.deepEqual(taken(), []);
  assert.equal(Number(await node.ask("eth_call", hello)), 2);
  assert.deepEqual(taken(), ["hello 0", "hello 1"]);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_call", params: [hello] });
  assert.match((await node.node.handle(body, false))!, /result/);
  assert.deepEqual(taken(), [], "a call of anybody");
  await assert.rejects(node.ask("eth_call", { to, data: data("fail") }));
  assert.deepEqual(taken(), ["about to fail, 99%"]);
  await node.ask("hardhat_setLoggingEnabled", false);
  await node.ask("eth_call", hello);
  assert.deepEqual(taken(), []);
  await node.ask("anvil_setLoggingEnabled", true);
  await node.ask("eth_call", { to, data: data("say", "\u001b[2J\nfake\u202e", 1n) });
  assert.deepEqual(taken(), ["\\u001b[2J\\u000afake\\u202e 0"]);
  await node.ask("eth_call", { to, data: data("say", "x".repeat(5000), 1n) });
  assert.equal(taken()[0]!.length, CONSOLE_LIMITS.length + 1);
});

test("so many lines are shown in a second, and that there were more", async (t) => {
  const { bytecode, abi } = compile(SOURCE).Talker!;
  const lines: string[] = [];
  const node = await DevelopmentNode.open({ onConsole: (line) => lines.push(line) });
  t.after(() => node.close());
  const hash = await node.send({ to: undefined, data: bytecode, gas: 5_000_000n });
  const { contractAddress: to } = await node.ask<{ contractAddress: Hex }>("eth_getTransactionReceipt", hash);
  lines.splice(0);
  const started = Date.now();

  await node.ask("eth_call", { to, data: encodeFunctionData({ abi, functionName: "say", args: ["a", 1000n] }) });

  const seconds = Math.floor(Date.now() / 1000) - Math.floor(started / 1000) + 1;
  assert.ok(lines.length >= 100 && lines.length <= seconds * 101, `${lines.length} lines in ${seconds} seconds`);
  assert.ok(lines.includes("… and more, which are left out"));
});
