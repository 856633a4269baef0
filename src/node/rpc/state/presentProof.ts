import type { MerkleStateManager } from "@ethereumjs/statemanager";
import { getMerkleStateProof } from "@ethereumjs/statemanager";
import type { Address } from "@ethereumjs/util";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { quantity, toHex } from "../../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import type { Wire } from "../../../chain/encoding/wire.ts";

export interface AskedSlot {
  readonly key: Bytes;
  /** How many bytes of the key the caller gave: a whole word is answered as such, anything shorter as a quantity. */
  readonly given: number;
}

const ZERO_HASH = `0x${"0".repeat(64)}`;

/** The proof of an account and of some of its slots (EIP-1186), with geth's zero hashes for one that does not exist. */
export async function presentProof(
  state: MerkleStateManager,
  address: Address,
  slots: readonly AskedSlot[],
): Promise<Wire> {
  const keys = slots.map(({ key }) => key);
  const proof = await getMerkleStateProof(state, address, keys);
  const account = await state.getAccount(address);
  return {
    address: toHex(address.bytes),
    accountProof: proof.accountProof,
    balance: proof.balance,
    codeHash: account === undefined ? ZERO_HASH : proof.codeHash,
    nonce: proof.nonce,
    storageHash: account === undefined ? ZERO_HASH : proof.storageHash,
    storageProof: slots.map(({ key, given }, index) => ({
      key: given === 32 ? toHex(key) : quantity(uintToBigInt(key)),
      value: quantity(BigInt(proof.storageProof[index]?.value ?? "0x0")),
      proof: proof.storageProof[index]?.proof ?? [],
    })),
  };
}
