import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import type { Hex } from "../../../../chain/encoding/hex.ts";
import { quantity, toHex } from "../../../../chain/encoding/hex.ts";
import { isObject } from "../../../../std/values.ts";
import {
  invalidParams,
  readAddress,
  readData,
  readQuantity,
  readStorageKey,
  readText,
} from "../../../params/params.ts";
import type { Pace } from "../../../state/pace.ts";
import type { StateWalk, WalkedAccount } from "../../../state/stateWalk.ts";
import type { JsonText } from "./jsonText.ts";

/** An account as a dump has it. */
export interface DumpedAccount {
  readonly address: Bytes;
  readonly nonce: bigint;
  readonly balance: bigint;
  readonly code: Bytes;
  readonly storage: readonly (readonly [key: Bytes, value: Bytes])[];
}

/** Writes all accounts of a state, with code and storage. */
export async function writeAccounts(text: JsonText, walk: StateWalk, pace: Pace): Promise<void> {
  text.add("{");
  let isFirst = true;
  for (const account of walk.accounts()) {
    const { nonce, balance, code } = account;
    text.separate(isFirst);
    isFirst = false;
    text.add(`"${toHex(account.address)}":{"nonce":${nonce},"balance":"${quantity(balance)}","code":"${toHex(code)}"`);
    text.add(',"storage":');
    await writeSlots(text, walk, account, pace);
    text.add("}");
    await pace.check();
  }
  text.add("}");
}

export async function writeSlots(text: JsonText, walk: StateWalk, account: WalkedAccount, pace: Pace): Promise<void> {
  text.add("{");
  let isFirst = true;
  for (const [key, value] of walk.slots(account)) {
    text.separate(isFirst);
    isFirst = false;
    text.add(`"${word(key)}":"${word(value)}"`);
    await pace.check();
  }
  text.add("}");
}

function word(bytes: Bytes): Hex {
  return `0x${Buffer.from(bytes).toString("hex").padStart(64, "0")}`;
}

const PATH = { argument: 0 };

/** The accounts of a dump, one after the other. */
export function readAccounts(accounts: object): Iterable<DumpedAccount> {
  return Iterator.from(Object.entries(accounts)).map(([address, account]) => readAccount(address, account));
}

function readAccount(address: string, account: unknown): DumpedAccount {
  if (!isObject(account)) throw invalidParams(`invalid state: the account ${address} is no object`);
  const { nonce, balance, code, storage } = account;
  return {
    address: readAddress(address, PATH),
    ...readFunds(nonce, balance),
    code: readData(code, PATH),
    storage: readStorage(address, storage),
  };
}

export function readFunds(nonce: unknown, balance: unknown): Pick<DumpedAccount, "nonce" | "balance"> {
  return { nonce: readNonce(nonce), balance: readQuantity(balance, PATH, "*hexutil.Big") };
}

export function readStorage(address: string, storage: unknown): DumpedAccount["storage"] {
  if (!isObject(storage)) throw invalidParams(`invalid state: the account ${address} has no storage`);
  return Object.entries(storage).map(([key, value]) => [readWord(key), readWord(value)] as const);
}

/** Anvil writes a number. */
function readNonce(nonce: unknown): bigint {
  if (typeof nonce !== "number") return readQuantity(nonce, PATH);
  if (!Number.isSafeInteger(nonce) || nonce < 0) throw invalidParams(`invalid state: the nonce ${nonce}`);
  return BigInt(nonce);
}

function readWord(text: unknown): Bytes {
  return readStorageKey(readText(text, PATH)).key;
}
