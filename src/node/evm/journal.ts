import type { Common } from "@ethereumjs/common";
import type { Account } from "@ethereumjs/util";
import { Address } from "@ethereumjs/util";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { WorldState } from "../state/worldState.ts";

interface Mark {
  readonly warm: number;
  readonly touched: number;
}

/** Touched even if reverted, for mainnet's historical deletion (EIP-161). */
const RIPEMD160 = "0000000000000000000000000000000000000003";

/**
 * Warm addresses and slots (EIP-2929), and touched accounts to delete if empty (EIP-161). Replaces the library's
 * asynchronous journal; keys are hex without 0x.
 */
export class Journal {
  readonly #state: WorldState;
  readonly #common: Common;
  readonly #always = new Set<string>();
  readonly #warm = new Set<string>();
  readonly #touched = new Set<string>();
  #warmed: string[] = [];
  #touches: string[] = [];
  #marks: Mark[] = [];

  constructor(state: WorldState, common: Common) {
    this.#state = state;
    this.#common = common;
  }

  isWarm(name: string): boolean {
    return this.#warm.has(name) || this.#always.has(name);
  }

  /** Returns whether it was cold. A slot's name is its address and key. */
  warm(name: string): boolean {
    if (this.isWarm(name)) return false;
    this.#warm.add(name);
    this.#warmed.push(name);
    return true;
  }

  touch(name: string): void {
    if (this.#touched.has(name)) return;
    this.#touched.add(name);
    this.#touches.push(name);
  }

  open(): void {
    this.#marks.push({ warm: this.#warmed.length, touched: this.#touches.length });
    this.#state.openCheckpoint();
  }

  keep(): void {
    this.#marks.pop();
    this.#state.keepCheckpoint();
  }

  takeBack(): void {
    const { warm, touched } = this.#marks.pop() ?? { warm: 0, touched: 0 };
    for (const name of this.#warmed.splice(warm)) this.#warm.delete(name);
    for (const name of this.#touches.splice(touched)) if (name !== RIPEMD160) this.#touched.delete(name);
    this.#state.takeBackCheckpoint();
  }

  async checkpoint(): Promise<void> {
    this.open();
  }

  async commit(): Promise<void> {
    this.keep();
  }

  async revert(): Promise<void> {
    this.takeBack();
  }

  async putAccount(address: Address, account: Account | undefined): Promise<void> {
    this.touch(nameOf(address.bytes));
    await this.#state.putAccount(address, account);
  }

  async deleteAccount(address: Address): Promise<void> {
    this.touch(nameOf(address.bytes));
    await this.#state.deleteAccount(address);
  }

  cleanJournal(): void {
    this.#always.clear();
    this.#warm.clear();
    this.#touched.clear();
    this.#warmed = [];
    this.#touches = [];
    this.#marks = [];
  }

  async cleanup(): Promise<void> {
    if (this.#common.gteHardfork("spuriousDragon")) {
      for (const name of this.#touched) {
        const account = this.#state.accountAt(name);
        if (account === undefined || account.isEmpty()) {
          await this.#state.deleteAccount(new Address(Buffer.from(name, "hex")));
        }
      }
    }
    this.cleanJournal();
  }

  addAlwaysWarmAddress(address: string): void {
    this.#always.add(digitsOf(address));
  }

  addAlwaysWarmSlot(address: string, slot: string): void {
    this.addAlwaysWarmAddress(address);
    this.#always.add(digitsOf(address) + digitsOf(slot));
  }

  isWarmedAddress(address: Bytes): boolean {
    return this.isWarm(nameOf(address));
  }

  addWarmedAddress(address: Bytes): void {
    this.warm(nameOf(address));
  }

  isWarmedStorage(address: Bytes, slot: Bytes): boolean {
    return this.isWarm(nameOf(address) + nameOf(slot));
  }

  addWarmedStorage(address: Bytes, slot: Bytes): void {
    this.warm(nameOf(address));
    this.warm(nameOf(address) + nameOf(slot));
  }
}

function digitsOf(text: string): string {
  return text.startsWith("0x") ? text.slice(2) : text;
}

function nameOf(bytes: Bytes): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex");
}
