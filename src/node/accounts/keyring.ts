import { signTyped } from "micro-eth-signer";
import { signRecoverable } from "tiny-secp256k1";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { keccak256 } from "../../chain/hashing/keccak.ts";
import { RPC, RpcError } from "../../jsonrpc/rpcError.ts";
import { messageOf } from "../../std/values.ts";
import type { DevelopmentAccount } from "./accounts.ts";
import { readTypedData } from "./typedData.ts";

/** Accounts the node signs for, and impersonated ones. */
export class Keyring {
  readonly accounts: readonly DevelopmentAccount[];
  readonly #keys: ReadonlyMap<string, Bytes>;
  readonly #impersonated = new Set<string>();
  #impersonatesAll = false;

  constructor(accounts: readonly DevelopmentAccount[]) {
    this.accounts = accounts;
    this.#keys = new Map(accounts.map(({ address, privateKey }) => [address, privateKey]));
  }

  /** Undefined for an impersonated account. Throws for an unknown one. */
  keyOf(address: Bytes): Bytes | undefined {
    const key = this.#keys.get(toHex(address));
    const isKnown = key !== undefined || this.#impersonatesAll || this.#impersonated.has(toHex(address));
    if (!isKnown) throw new RpcError(RPC.server, "unknown account");
    return key;
  }

  impersonate(address: Bytes): void {
    this.#impersonated.add(toHex(address));
  }

  stopImpersonating(address: Bytes): void {
    this.#impersonated.delete(toHex(address));
  }

  impersonateAll(isOn: boolean): void {
    this.#impersonatesAll = isOn;
  }

  /** EIP-191, so that a signed message can never be a transaction. */
  signMessage(address: Bytes, message: Bytes): Hex {
    const prefix = Buffer.from(`\u0019Ethereum Signed Message:\n${message.length}`);
    return signature(keccak256(Buffer.concat([prefix, message])), this.#expectKey(address));
  }

  signTypedData(address: Bytes, data: unknown): Hex {
    const key = this.#expectKey(address);
    const typed = readTypedData(data);
    try {
      return signTyped(typed as unknown as Parameters<typeof signTyped>[0], key, false) as Hex;
    } catch (error) {
      throw new RpcError(RPC.invalidParams, `invalid typed data: ${messageOf(error)}`);
    }
  }

  #expectKey(address: Bytes): Bytes {
    const key = this.#keys.get(toHex(address));
    if (key === undefined) throw new RpcError(RPC.server, "unknown account");
    return key;
  }
}

function signature(hash: Bytes, key: Bytes): Hex {
  const { signature: rs, recoveryId } = signRecoverable(hash, key);
  return toHex(Buffer.concat([rs, Buffer.from([27 + recoveryId])]));
}
