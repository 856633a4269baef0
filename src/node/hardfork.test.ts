import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import type { TestContext } from "node:test";
import { after, before, describe, test } from "node:test";
import { RLP } from "@ethereumjs/rlp";
import type { TransactionSerializable } from "viem";
import { assemble, word } from "../../test/support/assembler.ts";
import { sidecarOf, wrapSidecar, ZERO } from "../../test/support/blobs.ts";
import { DevelopmentNode } from "../../test/support/developmentNode.ts";
import { temporaryDirectory } from "../../test/support/program.ts";
import { fakeExponential } from "../chain/block/fakeExponential.ts";
import type { Bytes } from "../chain/encoding/bytes.ts";
import type { Hex } from "../chain/encoding/hex.ts";
import { quantity, toHex } from "../chain/encoding/hex.ts";
import { versionedHash } from "../chain/hashing/versionedHash.ts";

const CODE: Hex = `0x${"c0".repeat(20)}`;
const P256VERIFY: Hex = `0x${"100".padStart(40, "0")}`;
const MODEXP: Hex = `0x${"5".padStart(40, "0")}`;

let prague: DevelopmentNode;
let osaka: DevelopmentNode;

before(async () => {
  prague = await DevelopmentNode.open();
  osaka = await DevelopmentNode.open({ hardfork: "osaka" });
});

after(async () => {
  await prague.close();
  await osaka.close();
});

function attributesAfter({ timestamp }: Record<string, Hex>) {
  const zero = `0x${"00".repeat(32)}`;
  const fields = { prevRandao: zero, parentBeaconBlockRoot: zero, suggestedFeeRecipient: CODE, withdrawals: [] };
  return { ...fields, timestamp: quantity(Number(timestamp) + 1) };
}

async function signLarge(node: DevelopmentNode, nonce: number): Promise<Hex> {
  const data = `0x${"00".repeat(1_400_000)}`;
  const fees = { gas: "0x1000000", maxFeePerGas: "0x2540be400", maxPriorityFeePerGas: "0x1" };
  const fields = { from: node.account.address, to: CODE, nonce: quantity(nonce), value: "0x0", data, ...fees };
  return (await node.ask<{ raw: Hex }>("eth_signTransaction", fields)).raw;
}

/** Executes code that leaves one word on the stack. */
function run(node: DevelopmentNode, code: string): Promise<Hex> {
  const returning = assemble(`${code} PUSH1 00 MSTORE PUSH1 20 PUSH1 00 RETURN`);
  return node.ask("eth_call", { to: CODE }, "latest", { [CODE]: { code: returning } });
}

describe("a chain under the rules of Osaka", () => {
  test("verifies signatures of P-256 as Node's own crypto makes them (EIP-7951)", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const { x, y } = publicKey.export({ format: "jwk" });
    const message = Buffer.from("a passkey signs this");
    const hash = Buffer.from(await crypto.subtle.digest("SHA-256", message));
    const signature = sign("sha256", message, { key: privateKey, dsaEncoding: "ieee-p1363" });
    const key = Buffer.concat([Buffer.from(x!, "base64url"), Buffer.from(y!, "base64url")]);
    const call = (node: DevelopmentNode, ...parts: Buffer[]) =>
      node.ask<Hex>("eth_call", { to: P256VERIFY, data: toHex(Buffer.concat(parts)) });

    assert.equal(BigInt(await call(osaka, hash, signature, key)), 1n);
    assert.equal(await call(osaka, Buffer.alloc(32, 1), signature, key), "0x");
    assert.equal(await call(osaka, hash, signature), "0x");
    assert.equal(await call(prague, hash, signature, key), "0x");
  });

  test("counts leading zeros (EIP-7939)", async () => {
    for (const value of [0n, 1n, 2n, 255n, 2n ** 128n, 2n ** 255n, 2n ** 256n - 1n]) {
      const zeros = 256 - (value === 0n ? 0 : value.toString(2).length);
      assert.equal(Number(await run(osaka, `${word(value)} CLZ`)), zeros, String(value));
    }
    await assert.rejects(run(prague, `${word(1)} CLZ`), { message: "invalid opcode: CLZ" });
  });

  test("refuses transactions with more than 2^24 gas (EIP-7825), and no estimate is above", async () => {
    const max = 2n ** 24n;
    await assert.rejects(osaka.send({ gas: max + 1n }), {
      code: -32_000,
      message: "transaction gas limit too high (cap: 16777216, tx: 16777217)",
    });
    for (const node of [osaka, prague]) assert.match(await node.send({ gas: max }), /^0x/);
    assert.match(await prague.send({ gas: max + 1n }), /^0x/);
    const greedy = { [CODE]: { code: assemble("PUSH1 00 PUSH4 ffffffff MSTORE") } };
    await assert.rejects(osaka.ask("eth_estimateGas", { to: CODE }, "latest", greedy), {
      message: "gas required exceeds allowance (16777216)",
    });
  });

  test("charges for MODEXP as EIP-7883 has it, and bounds its lengths (EIP-7823)", async () => {
    const cases = [
      [1, 1, 1],
      [32, 32, 32],
      [64, 32, 64],
      [100, 40, 90],
      [256, 64, 256],
    ] as const;
    for (const [base, exponent, modulus] of cases) {
      const input = powerInput(base, exponent, modulus);
      assert.equal(await gasOfPrecompile(osaka, input), osakaModexpGas(base, exponent, modulus), `${base}`);
      assert.equal(await gasOfPrecompile(prague, input), pragueModexpGas(base, exponent, modulus), `${base}`);
    }
    const call = { to: MODEXP, data: powerInput(1025, 1, 1), gas: "0x1000000" };
    await assert.rejects(osaka.ask("eth_call", call));
    assert.equal(await prague.ask("eth_call", call), "0x00");
  });

  test("keeps blobs in their original format, and their price free of the price of gas", async () => {
    await assert.rejects(sendBlobs(osaka, 1, 1), { message: "rlp: expected input list for []kzg4844.Blob" });
    const hash = await sendBlobs(osaka, 6, 0);
    const { blobGasPrice } = await osaka.ask<{ blobGasPrice: Hex }>("eth_getTransactionReceipt", hash);
    assert.equal(blobGasPrice, "0x1");
    // Under EIP-7918 the excess would not fall while gas is so much more expensive than blobs.
    await osaka.ask("evm_mine");
    await osaka.ask("evm_mine");
    const { excessBlobGas } = await osaka.ask<{ excessBlobGas: Hex }>("eth_getBlockByNumber", "latest", false);
    assert.equal(BigInt(excessBlobGas), 0n);
    assert.equal(BigInt(await osaka.ask<Hex>("eth_blobBaseFee")), fakeExponential(1n, 0n, 3_338_477n));
  });

  test("makes no block of more than 8 MiB (EIP-7934)", async (t) => {
    const raws: Hex[] = [];
    for (const hardfork of ["osaka", "prague"] as const) {
      const node = await DevelopmentNode.open({ hardfork });
      t.after(() => node.close());
      await node.ask("evm_setBlockGasLimit", quantity(200_000_000));
      await node.ask("evm_mine");
      while (raws.length < 6) raws.push(await signLarge(node, raws.length));
      const head = await node.ask<Record<string, Hex>>("eth_getBlockByNumber", "latest", false);
      const built = node.ask("testing_buildBlockV1", head.hash, attributesAfter(head), raws);

      if (hardfork === "prague") await built;
      else await assert.rejects(built, { message: "the block would be larger than 8388608 bytes" });
    }
  });

  test("is reported by eth_config and anvil_nodeInfo", async () => {
    type Config = { current: { precompiles: Record<string, Hex>; blobSchedule: object } };
    const [was, is] = [await prague.ask<Config>("eth_config"), await osaka.ask<Config>("eth_config")];

    assert.deepEqual(is.current.precompiles, { ...was.current.precompiles, P256VERIFY });
    assert.deepEqual(is.current.blobSchedule, was.current.blobSchedule);
    assert.equal((await osaka.ask<{ hardFork: string }>("anvil_nodeInfo")).hardFork, "osaka");
    assert.equal((await prague.ask<{ hardFork: string }>("anvil_nodeInfo")).hardFork, "prague");
  });
});

test("a chain keeps the fork it began with, and no other is taken for it", async (t: TestContext) => {
  const directory = temporaryDirectory(t);
  const first = await DevelopmentNode.open({ directory, hardfork: "osaka" });
  await first.send();
  await first.close();

  const message = `the chain in ${directory} has the rules of osaka, not of prague; start it with --hardfork osaka, or begin again with --reset`;
  await assert.rejects(DevelopmentNode.open({ directory, hardfork: "prague" }), { code: "wrong_chain", message });
  const again = await DevelopmentNode.open({ directory });
  assert.equal(Number(await run(again, `${word(1)} CLZ`)), 255);
  await again.close();
});

async function sendBlobs(node: DevelopmentNode, count: number, version: 0 | 1): Promise<Hex> {
  const sidecar = sidecarOf(new Array(count).fill(ZERO), version);
  const blobVersionedHashes = sidecar.commitments.map((commitment) => toHex(versionedHash(commitment)));
  const nonce = Number(await node.ask("eth_getTransactionCount", node.account.address, "latest"));
  const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n, maxFeePerBlobGas: 10n };
  const fields = { type: "eip4844", chainId: 968, nonce, gas: 21_000n, to: CODE, blobVersionedHashes, sidecars: false };
  const signed = await node.account.signTransaction({ ...fields, ...fees } as unknown as TransactionSerializable);
  const raw = wrapSidecar(RLP.decode(Buffer.from(signed.slice(4), "hex")) as Bytes[], sidecar);
  return await node.ask("eth_sendRawTransaction", toHex(raw));
}

/** MODEXP input: base and modulus all ones, exponent with only its highest bit set. */
function powerInput(base: number, exponent: number, modulus: number): Hex {
  const lengths = [base, exponent, modulus].map((length) => length.toString(16).padStart(64, "0"));
  return `0x${lengths.join("")}${"ff".repeat(base)}80${"00".repeat(exponent - 1)}${"ff".repeat(modulus)}`;
}

/** Gas of the precompile, without that of the call. */
async function gasOfPrecompile(node: DevelopmentNode, input: Hex): Promise<bigint> {
  const spent = async (to: Hex) => {
    const measured = `CALLDATASIZE PUSH1 00 PUSH1 00 CALLDATACOPY GAS PUSH1 00 PUSH1 00 CALLDATASIZE PUSH1 00 ${word(to)} PUSH4 00f00000 STATICCALL POP GAS SWAP1 SUB`;
    const code = assemble(`${measured} PUSH1 00 MSTORE PUSH1 20 PUSH1 00 RETURN`);
    return BigInt(await node.ask<Hex>("eth_call", { to: CODE, data: input }, "latest", { [CODE]: { code } }));
  };
  // The identity costs 15 plus 3 per word, and its call as much as any precompile's.
  const words = BigInt(Math.ceil((input.length - 2) / 64));
  return (await spent(MODEXP)) - (await spent(`0x${"4".padStart(40, "0")}`)) + 15n + 3n * words;
}

const larger = (a: bigint, b: bigint) => (a > b ? a : b);

/** MODEXP iteration count of a fork. */
function iterations(length: number, multiplier: bigint): bigint {
  const highest = BigInt(Math.min(length, 32) * 8 - 1);
  return length <= 32 ? highest : multiplier * BigInt(length - 32) + highest;
}

function osakaModexpGas(base: number, exponent: number, modulus: number): bigint {
  const words = BigInt(Math.ceil(Math.max(base, modulus) / 8)) ** 2n;
  const complexity = Math.max(base, modulus) <= 32 ? 16n : 2n * words;
  return larger(500n, complexity * larger(iterations(exponent, 16n), 1n));
}

function pragueModexpGas(base: number, exponent: number, modulus: number): bigint {
  const complexity = BigInt(Math.ceil(Math.max(base, modulus) / 8)) ** 2n;
  return larger(200n, (complexity * larger(iterations(exponent, 8n), 1n)) / 3n);
}
