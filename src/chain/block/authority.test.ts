import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesToUnprefixedHex, eoaCode7702AuthorizationHashedMessageToSign, privateToAddress } from "@ethereumjs/util";
import { signRecoverable } from "tiny-secp256k1";
import { toHex } from "../encoding/hex.ts";
import { uintFromBigInt, uintFromNumber, uintToBigInt } from "../encoding/uint.ts";
import { authorityOf, faultOf } from "./authority.ts";
import type { Authorization } from "./transaction.ts";

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const trimmed = (bytes: Uint8Array) => uintFromBigInt(BigInt(`0x${bytesToUnprefixedHex(bytes)}`));

function signed(key: Uint8Array, chainId: number, nonce: number): Authorization {
  const address = new Uint8Array(20).fill(0xab);
  const message = [uintFromNumber(chainId), address, uintFromNumber(nonce)] as const;
  const { signature, recoveryId } = signRecoverable(eoaCode7702AuthorizationHashedMessageToSign([...message]), key);
  return {
    chainId: message[0],
    address,
    nonce: message[2],
    yParity: uintFromNumber(recoveryId),
    r: trimmed(signature.subarray(0, 32)),
    s: trimmed(signature.subarray(32)),
  };
}

test("the authority of an authorization is who signed it", () => {
  for (let at = 1; at < 40; at++) {
    const key = new Uint8Array(32).fill(at);
    const authorization = signed(key, at % 3 === 0 ? 0 : 677, at * 100);

    assert.equal(toHex(authorityOf(authorization)!), toHex(privateToAddress(key)));
  }
});

test("an impossible signature has no authority", () => {
  const good = signed(new Uint8Array(32).fill(7), 677, 1);
  const flipped = uintFromNumber(good.yParity.length === 0 ? 1 : 0);
  const cases: Partial<Authorization>[] = [
    { yParity: uintFromNumber(27) },
    { yParity: uintFromNumber(256) },
    { r: uintFromNumber(0) },
    { s: uintFromNumber(0) },
    { r: uintFromBigInt(ORDER) },
    { r: uintFromBigInt(2n ** 300n) },
    { s: uintFromBigInt(2n ** 300n) },
    { s: uintFromBigInt(ORDER - uintToBigInt(good.s)), yParity: flipped },
  ];
  for (const change of cases) assert.equal(authorityOf({ ...good, ...change }), undefined);
});

test("an authorization for another chain, of the last nonce, or with an impossible signature cannot take effect", () => {
  const [chain, key] = [uintFromNumber(677), new Uint8Array(32).fill(7)];
  const last = uintFromBigInt(2n ** 64n - 1n);
  const faults = [
    signed(key, 677, 1),
    signed(key, 0, 1),
    signed(key, 968, 1),
    { ...signed(key, 968, 1), nonce: last },
    { ...signed(key, 677, 1), nonce: last },
    { ...signed(key, 677, 1), r: uintFromNumber(0) },
  ].map((authorization) => faultOf(authorization, chain, authorityOf(authorization)));

  const expected = [undefined, undefined, "invalid_chain_id", "invalid_chain_id", "invalid_nonce", "invalid_signature"];
  assert.deepEqual(faults, expected);
  assert.equal(faultOf({ ...signed(key, 677, 1), r: uintFromNumber(0) }, chain, null), undefined);
});
