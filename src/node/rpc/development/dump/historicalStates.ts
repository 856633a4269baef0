import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import { equalBytes } from "../../../../chain/encoding/bytes.ts";
import { fromHex, quantity, toHex } from "../../../../chain/encoding/hex.ts";
import { isAddress } from "../../../../chain/encoding/parse.ts";
import { keccak256 } from "../../../../chain/hashing/keccak.ts";
import { LruCache } from "../../../../std/maps.ts";
import { isObject } from "../../../../std/values.ts";
import type { Chain } from "../../../chain.ts";
import { invalidParams, readHash } from "../../../params/params.ts";
import type { Pace } from "../../../state/pace.ts";
import type { StateWalk, WalkedAccount } from "../../../state/stateWalk.ts";
import type { DumpedAccount } from "./accounts.ts";
import { readFunds, readStorage, writeSlots } from "./accounts.ts";
import { presentBytecode, readBytecode } from "./bytecode.ts";
import type { JsonText } from "./jsonText.ts";

/** Contracts whose JSON is cached between states. */
const MAX_CODES = 100;

/** Writes the state after each block below a head, by block hash. Unknown states are omitted. */
export async function writeHistoricalStates(text: JsonText, chain: Chain, head: number, pace: Pace): Promise<void> {
  const codes = new LruCache<string, string>(MAX_CODES);
  text.add("[");
  let isFirst = true;
  for (let number = 0; number < head; number++) {
    const block = chain.block(number);
    if (block === undefined || !chain.hasStateAfter(block)) continue;
    text.separate(isFirst);
    isFirst = false;
    text.add(`["${toHex(block.header.hash)}",`);
    await writeState(text, chain.walkAfter(block), codes, pace);
    text.add("]");
  }
  text.add("]");
}

async function writeState(text: JsonText, walk: StateWalk, codes: LruCache<string, string>, pace: Pace): Promise<void> {
  text.add('{"accounts":{');
  const accounts: WalkedAccount[] = [];
  for (const account of walk.accounts()) {
    text.separate(accounts.push(account) === 1);
    text.add(`"${toHex(account.address)}":${presentAccount(account, codes)}`);
    await pace.check();
  }
  text.add('},"storage":{');
  for (const [index, account] of accounts.entries()) {
    text.separate(index === 0);
    text.add(`"${toHex(account.address)}":`);
    await writeSlots(text, walk, account, pace);
    await pace.check();
  }
  text.add('},"block_hashes":{}}');
}

function presentAccount({ balance, nonce, code }: WalkedAccount, codes: LruCache<string, string>): string {
  const hash = toHex(keccak256(code));
  let bytecode = codes.get(hash);
  if (bytecode === undefined) {
    bytecode = JSON.stringify(presentBytecode(code));
    codes.set(hash, bytecode);
  }
  return `{"balance":"${quantity(balance)}","nonce":${nonce},"code_hash":"${hash}","code":${bytecode}}`;
}

/** The accounts of each historical state, by block hash. */
export function readHistoricalStates(states: unknown): ReadonlyMap<string, Iterable<DumpedAccount>> {
  if (states === null || states === undefined) return new Map();
  if (!Array.isArray(states)) throw invalidParams("invalid state: historical_states is no list");
  return new Map(states.map(readState));
}

function readState(pair: unknown): [string, Iterable<DumpedAccount>] {
  const [hash, state] = Array.isArray(pair) ? pair : [];
  const name = toHex(readHash(hash, { argument: 0 }));
  if (!isObject(state) || !isObject(state.accounts) || !isObject(state.storage)) {
    throw invalidParams(`invalid state: that of block ${name} has no accounts or no storage`);
  }
  const { accounts, storage } = state;
  return [name, Iterator.from(Object.entries(accounts)).map(([address, it]) => readAccount(address, it, storage))];
}

function readAccount(address: string, account: unknown, storage: Record<string, unknown>): DumpedAccount {
  if (!isAddress(address) || !isObject(account)) {
    throw invalidParams(`invalid state: the account ${address.slice(0, 100)} of a historical state`);
  }
  const code = readBytecode(account.code);
  const codeHash: Bytes = readHash(account.code_hash, { argument: 0 });
  if (!equalBytes(keccak256(code), codeHash)) {
    throw invalidParams(`invalid state: the code of ${address} has another hash than ${toHex(codeHash)}`);
  }
  const { nonce, balance } = readFunds(account.nonce, account.balance);
  return { address: fromHex(address), nonce, balance, code, storage: readStorage(address, storage[address] ?? {}) };
}
