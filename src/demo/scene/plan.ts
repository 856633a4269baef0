import type { Encodable } from "../../chain/abi/encode.ts";
import { encodeCall, encodeValues } from "../../chain/abi/encodeCall.ts";
import { createdAddress } from "../../chain/block/block.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { uintFromNumber } from "../../chain/encoding/uint.ts";
import { keccak256 } from "../../chain/hashing/keccak.ts";
import { defined } from "../../std/values.ts";
import type { Actor } from "../actors.ts";
import type { Intent } from "../intent.ts";

/** An intent with a known nonce. */
export interface PlannedIntent extends Intent {
  readonly nonce: number;
}

/** Plans transactions block by block and predicts the resulting addresses. */
export class Plan {
  readonly blocks: PlannedIntent[][] = [[]];
  readonly #nonces = new Map<string, number>();

  deploy(from: Actor, code: Hex, types: readonly string[], ...values: readonly Encodable[]): Hex {
    const data: Hex = `${code}${encodeValues(types, ...values).slice(2)}`;
    const nonce = this.#push({ from, data, gas: gasToCreate(data) });
    this.endBlock();
    return toHex(createdAddress({ from: fromHex(from.address), nonce: uintFromNumber(nonce) }));
  }

  call(from: Actor, to: Hex, gas: number, signature: string, ...values: readonly Encodable[]): void {
    this.pay(from, to, gas, 0n, encodeCall(signature, ...values));
  }

  pay(from: Actor, to: Hex, gas: number, value: bigint, data: Hex): void {
    this.#push({ from, to, gas, value, data });
  }

  endBlock(): void {
    if (defined(this.blocks.at(-1)).length > 0) this.blocks.push([]);
  }

  nonceOf(actor: Actor): number {
    return this.#nonces.get(actor.address) ?? 0;
  }

  #push(intent: Intent): number {
    const nonce = this.nonceOf(intent.from);
    defined(this.blocks.at(-1)).push({ ...intent, nonce });
    this.#nonces.set(intent.from.address, nonce + 1);
    return nonce;
  }
}

/** Creation, calldata, code deposit, and an allowance for the constructor. */
function gasToCreate(data: Hex): number {
  return 400_000 + ((data.length - 2) / 2) * 230;
}

/** CREATE2 address (EIP-1014). */
export function saltedAddress(creator: Hex, salt: Hex, codeHash: Hex): Hex {
  const parts: Hex = `0xff${creator.slice(2)}${salt.slice(2)}${codeHash.slice(2)}`;
  return toHex(keccak256(fromHex(parts)).subarray(12));
}
