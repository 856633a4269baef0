import { HDKey } from "@scure/bip32";
import { mnemonicToSeedSync } from "@scure/bip39";
import { pointFromScalar } from "tiny-secp256k1";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { keccak256 } from "../../chain/hashing/keccak.ts";
import { defined } from "../../std/defined.ts";

/** The words that every development chain knows. Whoever sends real money there loses it. */
export const TEST_MNEMONIC = "test test test test test test test test test test test junk";

/** An account whose key the node holds. */
export interface DevelopmentAccount {
  readonly address: Hex;
  readonly privateKey: Bytes;
}

/** The first accounts of a mnemonic, on the path that wallets use for Ethereum. */
export function deriveAccounts(mnemonic: string, count: number): DevelopmentAccount[] {
  const root = HDKey.fromMasterSeed(mnemonicToSeedSync(mnemonic)).derive("m/44'/60'/0'/0");
  return Array.from({ length: count }, (_, index) => {
    const privateKey = defined(root.deriveChild(index).privateKey);
    return { address: toHex(addressOf(privateKey)), privateKey };
  });
}

export function addressOf(privateKey: Bytes): Bytes {
  return keccak256(defined(pointFromScalar(privateKey, false)).subarray(1)).slice(12);
}
