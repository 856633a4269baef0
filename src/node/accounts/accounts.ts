import { pointFromScalar } from "tiny-secp256k1";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { keccak256 } from "../../chain/hashing/keccak.ts";
import { defined } from "../../std/values.ts";
import { deriveChild, HARDENED, masterKeyOf } from "./hdKeys.ts";

/** The well-known development mnemonic. Its keys are public. */
export const TEST_MNEMONIC = "test test test test test test test test test test test junk";

/** BIP-44 path of Ethereum accounts: m/44'/60'/0'/0. */
const PATH = [HARDENED + 44, HARDENED + 60, HARDENED, 0];

export interface DevelopmentAccount {
  readonly address: Hex;
  readonly privateKey: Bytes;
}

export function deriveAccounts(mnemonic: string, count: number): DevelopmentAccount[] {
  const parent = PATH.reduce(deriveChild, masterKeyOf(mnemonic));
  return Array.from({ length: count }, (_, index) => {
    const { privateKey } = deriveChild(parent, index);
    return { address: toHex(addressOf(privateKey)), privateKey };
  });
}

export function addressOf(privateKey: Bytes): Bytes {
  return keccak256(defined(pointFromScalar(privateKey, false)).subarray(1)).slice(12);
}
