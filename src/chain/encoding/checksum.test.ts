import assert from "node:assert/strict";
import { test } from "node:test";
import { getAddress } from "viem";
import { fc } from "../../../test/support/fastCheck.ts";
import { checksumAddress } from "./checksum.ts";
import { fromHex, toHex } from "./hex.ts";

test("addresses have the mixed case of EIP-55's own examples", () => {
  const examples = [
    "0x52908400098527886E0F7030069857D2E4169EE7",
    "0xde709f2102306220921060314715629080e2fb77",
    "0x27b1fdb04752bbc536007a920d24acb045561c26",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
    "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
    "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
  ];
  for (const address of [...examples, ...examples]) assert.equal(checksumAddress(fromHex(address)), address);
});

test("random addresses are written as viem writes them", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), (address) => {
      assert.equal(checksumAddress(address), getAddress(toHex(address)));
    }),
  );
});
