import assert from "node:assert/strict";
import { test } from "node:test";
import { getContractAddress, keccak256, recoverTransactionAddress, serializeTransaction } from "viem";
import { deploying } from "../../test/support/assembler.ts";
import { DevelopmentNode, EMITTER, emission, word } from "../../test/support/developmentNode.ts";
import { temporaryDirectory } from "../../test/support/program.ts";
import type { Hex } from "../chain/encoding/hex.ts";
import { developmentGenesis } from "./developmentGenesis.ts";

const DEPLOYER = "0x4e59b44847b379578588920ca78fbf26c0b4956c";
const ANSWER: Hex = "0x602a5f5260205ff3";

test("the CREATE2 deployer is there from the first block on and deploys to the address it is known for", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const salt = word(7);
  const to = getContractAddress({ opcode: "CREATE2", from: DEPLOYER, salt, bytecode: EMITTER });

  await node.send({ to: DEPLOYER, data: `${salt}${EMITTER.slice(2)}` });
  const hash = await node.send({ to, data: emission(1, 2) });

  const receipt = await node.ask<{ logs: unknown[] }>("eth_getTransactionReceipt", hash);
  assert.equal(receipt.logs.length, 1);
  assert.equal(
    keccak256(await node.ask<Hex>("eth_getCode", DEPLOYER, "0x0")),
    "0x2fa86add0aed31f33a762c9d88e807c475bd51d0f52bd0955754b2608f7e4989",
  );
});

test("a keyless transaction without a chain id deploys a contract", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const fields = { type: "legacy", nonce: 0, gas: 200_000n, gasPrice: 10n ** 11n, data: deploying(ANSWER) } as const;
  const r: Hex = `0x${"22".repeat(32)}`;
  const raw = serializeTransaction(fields, { r, s: r, v: 27n });
  const sender = await recoverTransactionAddress({ serializedTransaction: raw });
  await node.ask("anvil_setBalance", sender, "0xde0b6b3a7640000");

  const hash = await node.ask<Hex>("eth_sendRawTransaction", raw);

  const receipt = await node.ask<{ contractAddress: Hex }>("eth_getTransactionReceipt", hash);
  assert.equal(receipt.contractAddress, getContractAddress({ from: sender, nonce: 0n }).toLowerCase());
  assert.equal(await node.ask("eth_call", { to: receipt.contractAddress }), word(42));
  const shown = await node.ask<Record<string, unknown>>("eth_getTransactionByHash", hash);
  assert.deepEqual([shown.v, shown.chainId, shown.from], ["0x1b", undefined, sender.toLowerCase()]);
  await assert.rejects(node.ask("eth_sendRawTransaction", raw), /nonce too low/);
});

test("a chain that began without the deployer is opened as it is", async (t) => {
  const directory = temporaryDirectory(t);
  const { alloc, ...rest } = developmentGenesis({ chainId: 968, gasLimit: 30_000_000, timestamp: 1, funded: [] });
  const without = Object.fromEntries(Object.entries(alloc).filter(([address]) => address !== DEPLOYER));
  const before = await DevelopmentNode.open({ directory, genesis: { ...rest, alloc: without } });
  const genesis = await before.ask<{ hash: Hex }>("eth_getBlockByNumber", "0x0", false);
  await before.close();

  const node = await DevelopmentNode.open({ directory });
  t.after(() => node.close());

  assert.deepEqual(await node.ask("eth_getBlockByNumber", "0x0", false), genesis);
  assert.equal(await node.ask("eth_getCode", DEPLOYER, "latest"), "0x");
  await node.ask("evm_mine");
});
