import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";
import { quantity, toHex } from "../../../chain/encoding/hex.ts";
import { RPC, RpcError } from "../../../jsonrpc/rpcError.ts";
import { isObject } from "../../../std/values.ts";
import { invalidParams, readAddress, readData, readQuantity, readStorageKey, readText } from "../../params/params.ts";
import { Pace, READ_TIME } from "../../state/pace.ts";
import type { StateWalk, WalkedAccount } from "../../state/stateWalk.ts";

export interface DumpedAccount {
  readonly address: Bytes;
  readonly nonce: bigint;
  readonly balance: bigint;
  readonly code: Bytes;
  readonly storage: readonly (readonly [key: Bytes, value: Bytes])[];
}

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** JSON bytes. */
export const MAX_STATE_BYTES = 16 << 20;

/** anvil's format: compressed JSON without blocks and transactions. */
export async function encodeDump(walk: StateWalk): Promise<Bytes> {
  const pace = new Pace(READ_TIME);
  const accounts: string[] = [];
  let length = 0;
  for (const account of walk.accounts()) {
    const text = `"${toHex(account.address)}":${await writeAccount(walk, account, pace)}`;
    length += text.length;
    if (length > MAX_STATE_BYTES) throw TOO_LARGE;
    accounts.push(text);
    await pace.check();
  }
  const rest = '"block":null,"best_block_number":null,"blocks":[],"transactions":[],"historical_states":null';
  return await compress(`{"accounts":{${accounts.join(",")}},${rest}}`);
}

const TOO_LARGE = new RpcError(RPC.responseTooLarge, `the state has over ${MAX_STATE_BYTES} bytes of JSON`);

async function writeAccount(walk: StateWalk, account: WalkedAccount, pace: Pace): Promise<string> {
  const slots: string[] = [];
  let length = 0;
  for (const [key, value] of walk.slots(account)) {
    const text = `"${word(key)}":"${word(value)}"`;
    length += text.length;
    if (length > MAX_STATE_BYTES) throw TOO_LARGE;
    slots.push(text);
    await pace.check();
  }
  const { nonce, balance, code } = account;
  return `{"nonce":${nonce},"balance":"${quantity(balance)}","code":"${toHex(code)}","storage":{${slots.join(",")}}}`;
}

function word(bytes: Bytes): Hex {
  return `0x${Buffer.from(bytes).toString("hex").padStart(64, "0")}`;
}

/** Lazily; accepts uncompressed dumps too. */
export async function decodeDump(bytes: Bytes): Promise<Iterable<DumpedAccount>> {
  const state = parse(await textOf(bytes));
  if (!isObject(state) || !isObject(state.accounts)) throw invalidParams("invalid state: it has no accounts");
  return Iterator.from(Object.entries(state.accounts)).map(([address, account]) => readAccount(address, account));
}

async function textOf(bytes: Bytes): Promise<string> {
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (!isCompressed) return Buffer.from(bytes).toString();
  try {
    return (await decompress(bytes, { maxOutputLength: MAX_STATE_BYTES })).toString();
  } catch {
    throw invalidParams(`invalid state: it cannot be decompressed to at most ${MAX_STATE_BYTES} bytes`);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidParams("invalid state: it is not JSON");
  }
}

const PATH = { argument: 0 };

function readAccount(address: string, account: unknown): DumpedAccount {
  if (!isObject(account)) throw invalidParams(`invalid state: the account ${address} is no object`);
  const { nonce, balance, code, storage } = account;
  if (!isObject(storage)) throw invalidParams(`invalid state: the account ${address} has no storage`);
  return {
    address: readAddress(address, PATH),
    nonce: readNonce(nonce),
    balance: readQuantity(balance, PATH, "*hexutil.Big"),
    code: readData(code, PATH),
    storage: Object.entries(storage).map(([key, value]) => [readWord(key), readWord(value)] as const),
  };
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
