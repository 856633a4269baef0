import type { Block } from "../../src/chain/block/block.ts";
import type { Header } from "../../src/chain/block/header.ts";
import type { Log } from "../../src/chain/block/receipt.ts";
import type { Transaction } from "../../src/chain/block/transaction.ts";
import type { Bytes } from "../../src/chain/encoding/bytes.ts";
import { EMPTY } from "../../src/chain/encoding/bytes.ts";
import { fromHex } from "../../src/chain/encoding/hex.ts";
import { uintFromNumber } from "../../src/chain/encoding/uint.ts";
import { Random } from "../../test/support/random.ts";

/** The long part of a transaction, and the senders of such ones. */
export const KINDS = ["log", "logs", "input", "lists", "extra", "limits", "empty"] as const;
type Kind = (typeof KINDS)[number];

const addressOf = (byte: number): Bytes => new Uint8Array(20).fill(byte);
export const senderOf = (kind: Kind): Bytes => addressOf(0x10 + KINDS.indexOf(kind));

/** Emits the long logs, one short log of each transaction, and a transfer in each. */
export const EMITTERS = { long: addressOf(0x31), once: addressOf(0x32), token: addressOf(0x33) };

export interface LongChainSize {
  /** Of those with long logs; there are 1,000 of the others. */
  readonly transactions: number;
  /** Of logs in each of those. */
  readonly megabytes: number;
  /** Logs of the one that has the most. */
  readonly logs: number;
}

const IN_BLOCK = 20;
const OTHERS = 1000;
const TRANSFER = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const word = (address: Bytes) => `${"00".repeat(12)}${Buffer.from(address).toString("hex")}`;
const TRANSFERRED = fromHex(`0x${TRANSFER}${word(addressOf(0x41))}${word(addressOf(0x42))}`);
/** `transfer(address,uint256)` to somebody. */
const CALL = fromHex(`0xa9059cbb${word(addressOf(0x42))}${"11".repeat(32)}`);
/** `aggregate3((address,bool,bytes)[])` is among the well-known, and its input may be of any length. */
const AGGREGATE = fromHex("0x82ad56cb");

/** Blocks of a chain on which everything is as long as it can be. */
export function* longBlocks(size: LongChainSize, genesis: Header): Generator<Block> {
  const random = new Random(1);
  const counts: Record<Kind, number> = {
    log: size.transactions / 2,
    logs: size.transactions / 2,
    input: OTHERS,
    lists: OTHERS,
    extra: OTHERS,
    limits: OTHERS,
    empty: 1,
  };
  let parent = genesis;
  yield { header: genesis, transactions: [], receipts: [] };
  for (const kind of KINDS) {
    for (let left = counts[kind]; left > 0; left -= IN_BLOCK) {
      const header = { ...parent, number: parent.number + 1, hash: random.bytes(32), parentHash: parent.hash };
      yield makeBlock(header, kind, Math.min(left, IN_BLOCK), size, random);
      parent = header;
    }
  }
}

function makeBlock(header: Header, kind: Kind, count: number, size: LongChainSize, random: Random): Block {
  const transactions = Array.from({ length: count }, () => makeTransaction(kind, random));
  const receipts = transactions.map(({ type, from, to }) => ({
    type,
    from,
    to,
    status: 1 as const,
    gasUsed: 21_000,
    cumulativeGasUsed: 21_000,
    effectiveGasPrice: uintFromNumber(7),
    contractAddress: null,
    logsBloom: new Uint8Array(256),
    logs: makeLogs(kind, size),
  }));
  return { header, transactions, receipts };
}

function makeTransaction(kind: Kind, random: Random): Transaction {
  const type = kind === "lists" || kind === "limits" ? 4 : 2;
  const price = uintFromNumber(1_000_000_000);
  const authorizations = { lists: 500, limits: 6 }[kind as string] ?? 0;
  const authorization = () => ({
    chainId: uintFromNumber(677),
    address: random.bytes(20),
    nonce: uintFromNumber(1),
    yParity: EMPTY,
    r: random.bytes(32),
    s: random.bytes(32),
  });
  const access = () => ({ address: random.bytes(20), storageKeys: [random.bytes(32), random.bytes(32)] });
  const note = { extra: 100_000, limits: 1000 }[kind as string];
  return {
    type,
    hash: random.bytes(32),
    from: senderOf(kind),
    to: EMITTERS.token,
    nonce: uintFromNumber(1),
    gas: uintFromNumber(30_000_000),
    value: EMPTY,
    input: inputOf(kind),
    gasPrice: price,
    maxFeePerGas: price,
    maxPriorityFeePerGas: price,
    chainId: uintFromNumber(677),
    v: EMPTY,
    r: random.bytes(32),
    s: random.bytes(32),
    accessList: kind === "lists" ? Array.from({ length: 300 }, access) : [],
    ...(type === 4 && { authorizationList: Array.from({ length: authorizations }, authorization) }),
    ...(note !== undefined && { extra: { note: "n".repeat(note) } }),
  };
}

function inputOf(kind: Kind): Bytes {
  if (kind === "input") return Buffer.concat([CALL, new Uint8Array(128 << 10)]);
  return kind === "limits" ? longestList() : CALL;
}

/** A call of 996 bytes that decodes, with many small values in it. */
function longestList(): Bytes {
  const wordOf = (value: number) => Buffer.from(value.toString(16).padStart(64, "0"), "hex");
  const count = 5;
  const offsets = Array.from({ length: count }, (_, at) => wordOf(32 * count + 160 * at));
  const call = [wordOf(0x33), wordOf(1), wordOf(96), wordOf(32), new Uint8Array(32).fill(7)];
  return Buffer.concat([AGGREGATE, wordOf(32), wordOf(count), ...offsets, ...Array(count).fill(call).flat()]);
}

function makeLogs(kind: Kind, { megabytes, logs }: LongChainSize): Log[] {
  const log = (address: Bytes, length: number, logIndex = 0): Log => ({
    address,
    topics: EMPTY,
    data: new Uint8Array(length).fill(0xab),
    logIndex,
  });
  const transfer = { address: EMITTERS.token, topics: TRANSFERRED, data: new Uint8Array(32).fill(1), logIndex: 0 };
  const few = [transfer, log(EMITTERS.once, 32)];
  const bytes = megabytes * 1_000_000;
  if (kind === "log") return [log(EMITTERS.long, bytes), ...few];
  if (kind === "logs") return [...Array.from({ length: 1000 }, () => log(EMITTERS.long, bytes / 1000)), ...few];
  if (kind === "empty") return Array.from({ length: logs }, () => log(EMITTERS.once, 0));
  return few;
}
