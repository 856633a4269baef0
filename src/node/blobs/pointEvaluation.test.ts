import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { Common, Hardfork, Mainnet } from "@ethereumjs/common";
import { createEVM } from "@ethereumjs/evm";
import { createAddressFromString } from "@ethereumjs/util";
import { LINE, ONE } from "../../../test/support/blobs.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { versionedHash } from "../../chain/hashing/versionedHash.ts";
import { pointEvaluation } from "./pointEvaluation.ts";

const word = (value: number) => Buffer.from(value.toString(16).padStart(64, "0"), "hex");

async function call(commitment: Bytes, z: Bytes, y: Bytes, proof: Bytes, hash = versionedHash(commitment)) {
  const common = new Common({ chain: Mainnet, hardfork: Hardfork.Prague, customCrypto: { kzg: pointEvaluation } });
  const evm = await createEVM({ common });
  const { execResult } = await evm.runCall({
    to: createAddressFromString(`0x${"0a".padStart(40, "0")}`),
    data: Buffer.concat([hash, z, y, commitment, proof]),
    gasLimit: 100_000n,
  });
  return execResult;
}

test("the precompile accepts the value of a polynomial at a point", async () => {
  const { exceptionError, executionGasUsed, returnValue } = await call(LINE.commitment, word(9), word(9), LINE.proof);

  assert.equal(exceptionError, undefined);
  assert.equal(executionGasUsed, 50_000n);
  assert.equal(
    toHex(returnValue),
    `0x${"1000".padStart(64, "0")}73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001`,
  );
});

test("the precompile refuses another value, proof or hash, and takes all gas", async () => {
  const tooLarge = Buffer.alloc(32, 0xff);
  const refused = await Promise.all([
    call(LINE.commitment, word(9), word(8), LINE.proof),
    call(LINE.commitment, word(9), word(9), ONE.proof),
    call(LINE.commitment, word(9), word(9), LINE.proof, versionedHash(ONE.commitment)),
    call(LINE.commitment, tooLarge, word(9), LINE.proof),
    call(LINE.commitment, word(9), word(9), new Uint8Array(48).fill(0xff)),
  ]);

  for (const { exceptionError, executionGasUsed } of refused) {
    assert.notEqual(exceptionError, undefined);
    assert.equal(executionGasUsed, 100_000n);
  }
});

test("the EVM has no other use of it", () => {
  assert.throws(() => pointEvaluation.blobToKzgCommitment("0x"), /verified in the KZG thread/);
});

test("the curve is loaded by the first call, and no file of the set-up by any", async () => {
  const source = `
    const { registerHooks } = require("node:module");
    const { parentPort } = require("node:worker_threads");
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    const seen = () => ["micro-eth-signer", "noble/curves", "trusted-setups"].filter((name) => loaded.join().includes(name));
    import(${JSON.stringify(new URL("./pointEvaluation.ts", import.meta.url).href)}).then(({ pointEvaluation }) => {
      const before = seen();
      pointEvaluation.verifyProof("0x", "0x", "0x", "0x");
      parentPort.postMessage({ before, after: seen() });
    });`;

  const [seen] = await once(new Worker(source, { eval: true }), "message");

  assert.deepEqual(seen, { before: [], after: ["micro-eth-signer", "noble/curves"] });
});
