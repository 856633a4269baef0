import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { Abi } from "viem";
import { decodeFunctionResult, encodeDeployData, encodeFunctionData, getCreate2Address } from "viem";
import { checksumAddress } from "../src/chain/encoding/checksum.ts";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { fromHex } from "../src/chain/encoding/hex.ts";
import type { HandleBody } from "../src/jsonrpc/port.ts";
import { word } from "./support/developmentNode.ts";
import type { FollowedOptions } from "./support/followedChain.ts";
import { FollowedChain } from "./support/followedChain.ts";
import { compile } from "./support/solidity.ts";

interface Artifact {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

const { Leaf, Maker, Outer } = compile(`
pragma solidity ^0.8.0;
contract Leaf { uint256 public x = 7; }
contract Maker {
  function make(bytes32 salt) external { new Leaf{salt: salt}(); }
  function makeAndFail(bytes32 salt) external { new Leaf{salt: salt}(); revert("no"); }
}
contract Outer {
  function run(Maker maker, bytes32 salt) external {
    try maker.makeAndFail(salt) {} catch {}
    maker.make(salt);
  }
  function fail(Maker maker, bytes32 salt) external { maker.make(salt); revert("all of it"); }
}`) as Record<"Leaf" | "Maker" | "Outer", Artifact>;

function uniswap(name: string): Artifact {
  const path = createRequire(import.meta.url).resolve(`@uniswap/v2-core/build/${name}.json`);
  const { abi, evm } = JSON.parse(readFileSync(path, "utf8"));
  return { abi, bytecode: `0x${evm.bytecode.object}` };
}

const show = (address: Hex) => checksumAddress(fromHex(address));
const callOf = ({ abi }: Artifact, functionName: string, ...args: unknown[]) =>
  encodeFunctionData({ abi, functionName, args } as never);
const leafOf = (maker: Hex, salt: Hex) => getCreate2Address({ from: maker, salt, bytecode: Leaf.bytecode });

async function open(t: TestContext, options: FollowedOptions = {}) {
  const followed = await FollowedChain.open(t, options);
  const { chain } = followed;
  followed.start();
  const deploy = async ({ abi, bytecode }: Artifact, ...args: unknown[]) => {
    const hash = await chain.send({
      to: undefined,
      data: encodeDeployData({ abi, bytecode, args } as never),
      gas: 6_000_000n,
    });
    return (await chain.ask<{ contractAddress: Hex }>("eth_getTransactionReceipt", hash)).contractAddress;
  };
  const send = (to: Hex, data: Hex, fields = {}) => chain.send({ to, data, gas: 6_000_000n, ...fields });
  const creationOf = async (address: Hex) => {
    await followed.settle();
    const { body } = await followed.get(`/api/v2/addresses/${address}`);
    const contract = await followed.get(`/api/v2/smart-contracts/${address}`);
    assert.equal(body.creation_tx_hash, body.creation_transaction_hash);
    assert.equal(contract.body.creation_status, body.creation_status);
    return [
      body.is_contract,
      body.creator_address_hash,
      body.creation_transaction_hash,
      contract.body.creation_bytecode,
      body.creation_status,
    ];
  };
  return { followed, chain, deploy, send, creationOf };
}

/** Notes which methods are asked for, and refuses some. */
function watching(asked: string[], refused: (call: string) => boolean = () => false) {
  return (handle: HandleBody): HandleBody =>
    async (body, isTrusted) => {
      asked.push(...[...body.matchAll(/"method":"(\w+)"/g)].map(([, method]) => method!));
      if (!refused(body)) return handle(body, isTrusted);
      const calls = [JSON.parse(body)].flat() as { id: number }[];
      const error = { code: -32000, message: "missing trie node" };
      const answers = calls.map(({ id }) => ({ jsonrpc: "2.0", id, error }));
      return JSON.stringify(body.startsWith("[") ? answers : answers[0]);
    };
}

const NOBODY = [true, null, null, null, null];

test("a pair is made by its factory", async (t) => {
  const asked: string[] = [];
  const { chain, deploy, send, creationOf } = await open(t, { around: watching(asked) });
  const [factory, pair] = [uniswap("UniswapV2Factory"), uniswap("UniswapV2Pair")];
  const address = await deploy(factory, chain.account.address);
  await chain.ask("hardhat_mine", "0x12c");
  const hash = await send(address, callOf(factory, "createPair", `0x${"11".repeat(20)}`, `0x${"22".repeat(20)}`));
  await chain.ask("hardhat_mine", "0x12c");
  const data = await chain.ask<Hex>("eth_call", { to: address, data: callOf(factory, "allPairs", 0n) }, "latest");
  const made = decodeFunctionResult({ abi: factory.abi, functionName: "allPairs", data }) as Hex;

  const expected = [true, show(address), hash, pair.bytecode, "success"];
  assert.deepEqual(await creationOf(made), expected);

  assert.ok(asked.filter((method) => method === "eth_getCode").length <= 3 * 15 + 2, "three batches for 600 blocks");
  assert.equal(asked.filter((method) => method === "debug_traceTransaction").length, 1);
  await chain.ask("hardhat_mine");
  assert.deepEqual(await creationOf(made), expected);
  assert.equal(asked.filter((method) => method === "debug_traceTransaction").length, 1, "it is remembered");
});

test("a reverted creation does not count, before or after a successful one", async (t) => {
  const { chain, deploy, send, creationOf } = await open(t);
  const [maker, outer] = [await deploy(Maker), await deploy(Outer)];
  const salt = word(5);
  const nonce = Number(await chain.ask("eth_getTransactionCount", chain.account.address, "latest"));
  await chain.ask("evm_setAutomine", false);
  await send(outer, callOf(Outer, "fail", maker, salt), { nonce });
  await send(maker, callOf(Maker, "make", word(6)), { nonce: nonce + 1 });
  const hash = await send(outer, callOf(Outer, "run", maker, salt), { nonce: nonce + 2 });
  const later = await send(maker, callOf(Maker, "make", word(7)), { nonce: nonce + 3 });
  await chain.ask("evm_mine");
  const { blockNumber } = await chain.ask<{ blockNumber: Hex }>("eth_getTransactionReceipt", later);
  const { transactions } = await chain.ask<{ transactions: Hex[] }>("eth_getBlockByNumber", blockNumber, false);
  assert.equal(transactions.length, 4);

  assert.deepEqual(await creationOf(leafOf(maker, salt)), [true, show(maker), hash, Leaf.bytecode, "success"]);
  assert.equal((await creationOf(leafOf(maker, word(7))))[2], later);
});

test("a contract created again after a reorg has its new creation", async (t) => {
  const { chain, deploy, send, creationOf } = await open(t);
  const maker = await deploy(Maker);
  const snapshot = await chain.ask("evm_snapshot");
  const nonce = Number(await chain.ask("eth_getTransactionCount", chain.account.address, "latest"));
  const first = await send(maker, callOf(Maker, "make", word(1)), { nonce });
  const before = await creationOf(leafOf(maker, word(1)));
  await chain.ask("evm_revert", snapshot);
  await chain.send({ nonce, value: 1n });
  const second = await send(maker, callOf(Maker, "make", word(1)), { nonce: nonce + 1, gas: 5_000_000n });

  const after = await creationOf(leafOf(maker, word(1)));

  assert.deepEqual([before[2], after[2], first === second], [first, second, false]);
});

test("contracts of the genesis block have no creator, and no trace is requested", async (t) => {
  const asked: string[] = [];
  const { chain, creationOf } = await open(t, { around: watching(asked) });
  const beaconRoots = "0x000F3df6D732807Ef1319fB7B8bB8522d0Beac02";
  assert.notEqual(await chain.ask("eth_getCode", beaconRoots, "0x0"), "0x");
  await chain.ask("hardhat_mine", "0x20");

  assert.deepEqual(await creationOf(beaconRoots), NOBODY);
  assert.ok(!asked.includes("debug_traceTransaction"));
  const codes = asked.filter((method) => method === "eth_getCode").length;
  await creationOf(beaconRoots);
  // The newest code of an account on a development chain is read again after a second; the search reads many.
  assert.ok(asked.filter((method) => method === "eth_getCode").length <= codes + 1);
  assert.ok(codes > 2);
});

test("without traces or historical state the creator is unknown", async (t) => {
  const lacks: ((call: string) => boolean)[] = [
    (call) => call.includes("debug_traceTransaction"),
    (call) => call.includes("eth_getCode") && !call.includes("blockHash"),
  ];
  for (const refused of lacks) {
    const asked: string[] = [];
    const { chain, deploy, send, creationOf } = await open(t, { around: watching(asked, refused) });
    const maker = await deploy(Maker);
    await send(maker, callOf(Maker, "make", word(1)));
    await chain.ask("hardhat_mine", "0x20");

    assert.deepEqual(await creationOf(leafOf(maker, word(1))), NOBODY);
    const before = asked.filter((method) => method === "debug_traceTransaction").length;
    await creationOf(leafOf(maker, word(1)));
    assert.equal(
      asked.filter((method) => method === "debug_traceTransaction").length,
      before,
      "not asked again at once",
    );
  }
});
