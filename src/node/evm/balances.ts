import { EVMError } from "@ethereumjs/evm";
import { Account } from "@ethereumjs/util";
import { MAX_UINT256 } from "../../chain/encoding/uint.ts";
import type { WorldState } from "../state/worldState.ts";
import type { Journal } from "./journal.ts";
import type { Word } from "./word.ts";
import { bigintOf } from "./word.ts";

interface Ledger {
  readonly state: WorldState;
  readonly journal: Journal;
}

/** Returns the error if the balance is insufficient. */
export function takeFrom(ledger: Ledger, address: string, value: Word): EVMError | undefined {
  ledger.journal.touch(address);
  if (value === 0) return undefined;
  const balance = ledger.state.accountAt(address)?.balance ?? 0n;
  if (balance < value) return new EVMError(EVMError.errorMessages.INSUFFICIENT_BALANCE);
  setBalance(ledger, address, balance - bigintOf(value));
  return undefined;
}

/** Creates the account if needed. Returns the error on overflow. */
export function addTo(ledger: Ledger, address: string, value: Word): EVMError | undefined {
  ledger.journal.touch(address);
  if (value === 0) return undefined;
  const balance = (ledger.state.accountAt(address)?.balance ?? 0n) + bigintOf(value);
  if (balance > MAX_UINT256) return new EVMError(EVMError.errorMessages.VALUE_OVERFLOW);
  setBalance(ledger, address, balance);
  return undefined;
}

export function setBalance({ state }: Ledger, address: string, balance: bigint): void {
  const { nonce, storageRoot, codeHash } = state.accountAt(address) ?? new Account();
  state.setAccountAt(address, new Account(nonce, balance, storageRoot, codeHash));
}

export function setNonce({ state }: Ledger, address: string, nonce: bigint): void {
  const { balance, storageRoot, codeHash } = state.accountAt(address) ?? new Account();
  state.setAccountAt(address, new Account(nonce, balance, storageRoot, codeHash));
}
