import assert from "node:assert/strict";
import { test } from "node:test";
import { DevelopmentNode } from "../../../test/support/developmentNode.ts";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import { PUBLIC_METHODS, TRUSTED_METHODS } from "./registry.ts";

const CASES = Number(process.env.ORIEL_CASES ?? 25);
const SEED = firstSeed();

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

let deep: unknown = "0x0";
for (let depth = 0; depth < 5000; depth++) deep = depth % 2 === 0 ? [deep] : { state: deep };

const HASH = `0x${"ab".repeat(32)}`;
const ADDRESS = `0x${"cd".repeat(20)}`;

/** Values of unexpected types. */
const HOSTILE: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e300,
  "",
  "0x",
  "0x0",
  "0x00",
  "0xg",
  "0X1",
  "latest",
  "pending",
  "earliest",
  "\u0000",
  "💥",
  "0x10000000000000000",
  `0x${"f".repeat(64)}`,
  `0x${"f".repeat(65)}`,
  HASH,
  ADDRESS,
  [],
  {},
  [[]],
  [null],
  { to: ADDRESS },
  { to: ADDRESS, data: "0x1" },
  { from: ADDRESS, gas: "0xffffffffffffffff" },
  { blockHash: HASH },
  { blockNumber: "0x0", blockHash: HASH },
  { fromBlock: "0x5", toBlock: "0x1" },
  { topics: [[[HASH]]] },
  { address: [ADDRESS, 1] },
  { [ADDRESS]: ["0x0"] },
  { [ADDRESS]: { balance: "-1" } },
  { __proto__: null, constructor: 1 },
  { tracer: "callTracer" },
  { tracer: "no such" },
  { timeout: "1e9h" },
  `0x${"c0".repeat(100_000)}`,
  "a".repeat(100_000),
  deep,
];

test(`whatever a method is given, it answers a result or a standard error (seed ${SEED})`, async () => {
  const random = new Random(SEED);
  const errors: unknown[] = [];
  const node = await DevelopmentNode.open({ mines: false, onError: (error) => errors.push(error) });
  const names = Object.keys({ ...PUBLIC_METHODS, ...TRUSTED_METHODS }).filter((name) => !name.endsWith("_mine"));

  for (const method of names) {
    for (let round = 0; round < CASES; round++) {
      const params = Array.from({ length: random.int(5) }, () => random.pick(HOSTILE));
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      const { result, error } = JSON.parse((await node.node.handle(body, true))!) as Answer;
      const reported = `${method} ${body.slice(0, 300)}: ${JSON.stringify(error)} ${String((errors[0] as Error)?.stack)}`;
      assert.ok(result !== undefined || error !== undefined, reported);
      assert.ok(error === undefined || error.code !== -32_603, reported);
    }
  }

  assert.equal(await node.ask("eth_chainId"), "0x3c8");
  await node.ask("hardhat_reset");
  await node.send();
  await node.close();
});

test(`a transaction with some of its bytes changed is refused in geth's words or taken as it is (seed ${SEED})`, async () => {
  const random = new Random(SEED);
  const node = await DevelopmentNode.open({ mines: false, onError: (error) => assert.fail(String(error)) });
  const types = ["legacy", "eip2930", "eip1559"].map((type) => ({
    ...{ type, chainId: 968, nonce: 0, gas: 90_000n, to: ADDRESS, data: "0x010203", value: 5n },
    ...(type === "eip1559" ? { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n } : { gasPrice: 10n ** 10n }),
    ...(type !== "legacy" && { accessList: [{ address: ADDRESS, storageKeys: [HASH] }] }),
  }));

  for (let round = 0; round < CASES * 40; round++) {
    const signed = await node.account.signTransaction(random.pick(types) as never);
    const bytes = Buffer.from(signed.slice(2), "hex");
    for (let change = random.between(1, 3); change > 0; change--) bytes[random.int(bytes.length)] = random.int(256);
    const raw = random.chance(0.3) ? bytes.subarray(0, random.int(bytes.length)) : bytes;
    try {
      await node.ask("eth_sendRawTransaction", `0x${raw.toString("hex")}`);
      await node.ask("hardhat_reset");
    } catch (error) {
      const { code, message } = error as { code: number; message: string };
      assert.equal(code, -32_000, `0x${raw.toString("hex")}: ${message}`);
      assert.match(
        message,
        /^(rlp: |invalid |typed |transaction |only |insufficient |intrinsic |exceeds |max |nonce )/,
      );
    }
  }
  await node.close();
});
