import type { MerkleStateManager } from "@ethereumjs/statemanager";
import { getMerkleStateProof } from "@ethereumjs/statemanager";
import type { Address } from "@ethereumjs/util";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { quantity, toHex } from "../../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import type { Wire } from "../../../chain/encoding/wire.ts";
import { Pace, READ_TIME } from "../../state/pace.ts";

interface AskedSlot {
  readonly key: Bytes;
  /** A full word is echoed as data, a shorter key as a quantity. */
  readonly given: number;
}

const ZERO_HASH = `0x${"0".repeat(64)}`;

/** Slots proven between yields. */
const BATCH_SIZE = 8;

/** EIP-1186, with geth's zero hashes for a missing account. */
export async function presentProof(
  state: MerkleStateManager,
  address: Address,
  slots: readonly AskedSlot[],
): Promise<Wire> {
  const proof = await getMerkleStateProof(state, address);
  const account = await state.getAccount(address);
  return {
    address: toHex(address.bytes),
    accountProof: proof.accountProof,
    balance: proof.balance,
    codeHash: account === undefined ? ZERO_HASH : proof.codeHash,
    nonce: proof.nonce,
    storageHash: account === undefined ? ZERO_HASH : proof.storageHash,
    storageProof: await presentSlots(state, address, slots),
  };
}

async function presentSlots(state: MerkleStateManager, address: Address, slots: readonly AskedSlot[]): Promise<Wire[]> {
  const pace = new Pace(READ_TIME);
  const presented: Wire[] = [];
  for (let at = 0; at < slots.length; at += BATCH_SIZE) {
    const part = slots.slice(at, at + BATCH_SIZE);
    const keys = part.map(({ key }) => key);
    const { storageProof } = await getMerkleStateProof(state, address, keys);
    for (const [index, slot] of part.entries()) presented.push(presentSlot(slot, storageProof[index]));
    await pace.check();
  }
  return presented;
}

function presentSlot({ key, given }: AskedSlot, proved: { value: string; proof: string[] } | undefined): Wire {
  return {
    key: given === 32 ? toHex(key) : quantity(uintToBigInt(key)),
    value: quantity(BigInt(proved?.value ?? "0x0")),
    proof: proved?.proof ?? [],
  };
}
