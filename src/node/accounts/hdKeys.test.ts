import assert from "node:assert/strict";
import { test } from "node:test";
import { english, generateMnemonic, mnemonicToAccount } from "viem/accounts";
import { toHex } from "../../chain/encoding/hex.ts";
import { deriveAccounts, TEST_MNEMONIC } from "./accounts.ts";

test("the accounts of a mnemonic are those that wallets derive", () => {
  const mnemonics = [TEST_MNEMONIC, ...Array.from({ length: 5 }, (_, at) => generateMnemonic(english, 128 + 32 * at))];
  for (const mnemonic of mnemonics) {
    const accounts = deriveAccounts(mnemonic, 3);

    for (const [addressIndex, { address, privateKey }] of accounts.entries()) {
      const known = mnemonicToAccount(mnemonic, { addressIndex });
      assert.equal(address, known.address.toLowerCase(), mnemonic);
      assert.equal(toHex(privateKey), toHex(known.getHdKey().privateKey!), mnemonic);
    }
  }
});
