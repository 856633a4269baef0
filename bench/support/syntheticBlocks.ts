import type { Block } from "../../src/chain/block/block.ts";
import { createdAddress, transactionHash } from "../../src/chain/block/block.ts";
import type { Header, Withdrawal } from "../../src/chain/block/header.ts";
import type { Log, Receipt } from "../../src/chain/block/receipt.ts";
import type { Transaction } from "../../src/chain/block/transaction.ts";
import type { Bytes } from "../../src/chain/encoding/bytes.ts";
import { EMPTY } from "../../src/chain/encoding/bytes.ts";
import { fromHex, toHex } from "../../src/chain/encoding/hex.ts";
import { uintFromNumber } from "../../src/chain/encoding/uint.ts";
import type { Draft } from "../../src/chain/encoding/wire.ts";
import { logsBloom } from "../../src/chain/hashing/bloom.ts";
import { keccak256 } from "../../src/chain/hashing/keccak.ts";
import { Random } from "../../test/support/random.ts";
import type { BlockContent } from "../../test/support/sealBlock.ts";
import { sealBlock } from "../../test/support/sealBlock.ts";
import { presentWire } from "../../test/support/wireForm.ts";
import { AddressSpace } from "./addressSpace.ts";

export interface Distribution {
  readonly transactions: number;
  /** Logs of each transaction, on average. */
  readonly logs: number;
  /** The share of events that are ERC-20 transfers. */
  readonly transfers: number;
  /** Addresses that come again, by Zipf's law. */
  readonly addresses: number;
  /** The share of parties never seen before. */
  readonly fresh: number;
  readonly tokens: number;
  /** The share of transactions that are transfers of one and the same token. */
  readonly busiest?: number;
  /** Logs with neither topics nor data, the cheapest there are. */
  readonly isBare?: boolean;
  /** Items that each log moves, as a batch of an ERC-1155. */
  readonly items?: number;
}

export const REALISTIC: Distribution = {
  transactions: 200,
  logs: 4,
  transfers: 0.55,
  addresses: 200_000,
  fresh: 0.2,
  tokens: 2_000,
};

/** One token that pretends to send to 15,000 new addresses in every block. */
export const ADVERSARIAL: Distribution = {
  transactions: 30,
  logs: 500,
  transfers: 1,
  addresses: 100,
  fresh: 1,
  tokens: 1,
};

/** One token that nearly everybody uses. */
export const BUSY: Distribution = { ...REALISTIC, busiest: 0.9 };

/** As many logs as 30 million gas can pay for, in one transaction. */
export const BARE_LOGS: Distribution = { ...ADVERSARIAL, transactions: 1, logs: 79_000, isBare: true };

/** As many transfers of tokens to new addresses as a block of 200 million gas holds. */
export const TRANSFERS: Distribution = { ...ADVERSARIAL, logs: 3_667 };

/** One ERC-1155 that moves 120,000 new items in a block. */
export const BATCHES: Distribution = { ...ADVERSARIAL, transactions: 1, logs: 12, items: 10_000 };

/** Like most chains: few transactions in a block. */
export const SMALL: Distribution = { ...REALISTIC, transactions: 20 };

/** Many logs that are no transfers. */
export const LOGS: Distribution = { ...REALISTIC, transactions: 100, logs: 10, transfers: 0.05 };

/** Little but transfers of tokens. */
export const TOKENS: Distribution = { ...REALISTIC, transactions: 200, logs: 5, transfers: 1 };

export const SHAPES: Readonly<Record<string, Distribution>> = {
  realistic: REALISTIC,
  small: SMALL,
  logs: LOGS,
  tokens: TOKENS,
  adversarial: ADVERSARIAL,
  busy: BUSY,
  bareLogs: BARE_LOGS,
  moreBareLogs: { ...BARE_LOGS, logs: 2 * BARE_LOGS.logs },
  transfers: TRANSFERS,
  batches: BATCHES,
  tooManyBatches: { ...BATCHES, transactions: 10 },
};

/** `transfer(address,uint256)` */
const TRANSFER_CALL = fromHex("0xa9059cbb");
const TRANSFER = fromHex("0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");
const TRANSFER_BATCH = keccak256(Buffer.from("TransferBatch(address,address,address,uint256[],uint256[])"));
const GWEI = 1e9;

/** The contracts that logs come from, the busiest first. */
export function tokensOf(seed: number, { tokens }: Pick<Distribution, "tokens"> = REALISTIC): Bytes[] {
  const random = new Random(seed).fork("tokens");
  return Array.from({ length: tokens }, () => random.bytes(20));
}

/** Zeros, which is the bloom of no logs. */
const NO_BLOOM = new Uint8Array(256);

/**
 * Blocks of a busy chain. Sealed ones are valid in every hash and root. Others have random ones, which costs a tenth, for
 * what does not check them.
 */
export class SyntheticBlocks {
  readonly #random: Random;
  readonly #shape: Distribution;
  readonly #isSealed: boolean;
  readonly #addresses: AddressSpace;
  readonly #tokens: Bytes[];
  readonly #events: Bytes[];
  #parent: Bytes = new Uint8Array(32);
  #number = 0;

  constructor(seed: number, shape: Distribution, isSealed = true) {
    this.#random = new Random(seed);
    this.#shape = shape;
    this.#isSealed = isSealed;
    this.#addresses = new AddressSpace(seed, shape.addresses);
    this.#tokens = tokensOf(seed, shape);
    this.#events = Array.from({ length: 60 }, (_, i) => keccak256(Buffer.from(`Event${i}(address,address,uint256)`)));
  }

  /** As the JSON texts that a node would send. */
  next(): { number: number; hash: string; transactions: readonly string[]; block: string; receipts: string } {
    const made = this.nextBlock();
    const wire = presentWire(made);
    return {
      number: made.header.number,
      hash: wire.block.hash,
      transactions: made.transactions.map(({ hash }) => toHex(hash)),
      block: JSON.stringify(wire.block),
      receipts: JSON.stringify(wire.receipts),
    };
  }

  nextBlock(): Block {
    const number = this.#number++;
    const count = number === 0 ? 0 : this.#shape.transactions;
    const transactions = Array.from({ length: count }, () => this.#transaction());
    const receipts = this.#receipts(transactions);
    const content = {
      number,
      parentHash: this.#parent,
      miner: this.#addresses.at(0),
      timestamp: 1_700_000_000 + number * 2,
      baseFee: GWEI,
      excessBlobGas: 0,
      transactions,
      receipts,
      withdrawals: Array.from({ length: 16 }, (_, i) => this.#withdrawal(number * 16 + i)),
    };
    const header = this.#isSealed ? sealBlock(content, this.#random) : this.#unsealed(content);
    this.#parent = header.hash;
    return { header, transactions, receipts };
  }

  #unsealed(content: BlockContent): Header {
    const empty = sealBlock({ ...content, transactions: [], receipts: [] }, this.#random);
    return { ...empty, gasUsed: content.receipts.at(-1)?.cumulativeGasUsed ?? 0, hash: this.#random.bytes(32) };
  }

  #withdrawal(index: number): Withdrawal {
    return {
      index,
      validatorIndex: this.#random.int(500_000),
      address: this.#party(),
      amount: uintFromNumber(this.#random.int(2 ** 31)),
    };
  }

  /** Rank r comes with weight 1/r. */
  #rank(count: number): number {
    return Math.min(count - 1, Math.floor(count ** this.#random.fraction()) - 1);
  }

  #zipf<T>(list: readonly T[]): T {
    return list[this.#rank(list.length)]!;
  }

  #partyRank(): number {
    return this.#random.chance(this.#shape.fresh) ? this.#addresses.add() : this.#rank(this.#addresses.count);
  }

  #party(): Bytes {
    return this.#addresses.at(this.#partyRank());
  }

  #writeParty(target: Bytes, at: number): void {
    this.#addresses.write(this.#partyRank(), target, at);
  }

  #amount(bytes: number): Bytes {
    const amount = this.#random.bytes(bytes);
    amount[0]! |= 1;
    return amount;
  }

  #transaction(): Transaction {
    const random = this.#random;
    const type = random.pick([0, 0, 2, 2, 2, 2, 2, 2, 2, 1]);
    const isBusiest = this.#shape.busiest !== undefined && random.chance(this.#shape.busiest);
    const calls = isBusiest ? 1 : random.pick([0, 1, 1, 1, 4, 8]);
    const price = uintFromNumber(GWEI + random.int(GWEI));
    const tx: Draft<Transaction> = {
      type,
      hash: new Uint8Array(32),
      from: this.#party(),
      to: isBusiest ? this.#tokens[0]! : this.#recipient(),
      nonce: uintFromNumber(random.int(100_000)),
      gas: uintFromNumber(21_000 + random.int(400_000)),
      value: calls === 0 ? this.#amount(8) : new Uint8Array(0),
      input: isBusiest ? this.#transferCall() : this.#words(calls === 0 ? 0 : 4, calls * 2),
      gasPrice: price,
      chainId: uintFromNumber(677),
      v: type === 0 ? uintFromNumber(677 * 2 + 35 + random.int(2)) : uintFromNumber(random.int(2)),
      r: this.#amount(32),
      s: this.#amount(32),
    };
    if (type > 0) tx.accessList = [];
    if (type === 2) {
      tx.maxPriorityFeePerGas = uintFromNumber(random.int(GWEI));
      tx.maxFeePerGas = uintFromNumber(3 * GWEI);
      tx.gasPrice = uintFromNumber(GWEI + Number(`0x${Buffer.from(tx.maxPriorityFeePerGas).toString("hex") || "0"}`));
    }
    tx.hash = this.#isSealed ? transactionHash(tx) : random.bytes(32);
    return tx;
  }

  #recipient(): Bytes | null {
    if (this.#random.chance(0.01)) return null;
    return this.#random.chance(0.7) ? this.#zipf(this.#tokens) : this.#party();
  }

  #transferCall(): Bytes {
    const data = new Uint8Array(68);
    data.set(TRANSFER_CALL);
    this.#writeParty(data, 16);
    this.#writeAmount(data, 60);
    return data;
  }

  /** Of 8 bytes. */
  #writeAmount(target: Bytes, at: number): void {
    this.#random.fill(target, at, at + 8);
    target[at]! |= 1;
  }

  #words(prefix: number, count: number): Bytes {
    const data = new Uint8Array(prefix + count * 32);
    this.#random.fill(data, 0, prefix);
    for (let at = prefix; at < data.length; at += 32) {
      if (this.#random.chance(0.4)) this.#addresses.write(this.#rank(this.#addresses.count), data, at + 12);
      else this.#writeAmount(data, at + 24);
    }
    return data;
  }

  #receipts(transactions: readonly Transaction[]): Receipt[] {
    let cumulativeGasUsed = 0;
    let logIndex = 0;
    return transactions.map((tx) => {
      const gasUsed = 21_000 + this.#random.int(100_000);
      cumulativeGasUsed += gasUsed;
      const logs = Array.from({ length: this.#logCount() }, () => this.#log(logIndex++));
      return {
        type: tx.type,
        from: tx.from,
        to: tx.to,
        status: 1,
        cumulativeGasUsed,
        gasUsed,
        effectiveGasPrice: tx.gasPrice!,
        contractAddress: tx.to === null ? createdAddress(tx) : null,
        logsBloom: this.#isSealed ? logsBloom(logs) : NO_BLOOM,
        logs,
      };
    });
  }

  #logCount(): number {
    const { logs } = this.#shape;
    return logs > 10 ? logs : this.#random.between(0, logs * 2);
  }

  #log(logIndex: number): Log {
    if (this.#shape.isBare) return { address: this.#tokens[0]!, topics: EMPTY, data: EMPTY, logIndex };
    if (this.#shape.items !== undefined) return this.#batch(this.#shape.items, logIndex);
    const isTransfer = this.#random.chance(this.#shape.transfers);
    const topics = new Uint8Array(isTransfer || this.#random.chance(0.6) ? 96 : 64);
    topics.set(isTransfer ? TRANSFER : this.#zipf(this.#events));
    for (let at = 32; at < topics.length; at += 32) this.#writeParty(topics, at + 12);
    const data = isTransfer ? 1 : this.#random.between(1, 4);
    return { address: this.#zipf(this.#tokens), topics, data: this.#words(0, data), logIndex };
  }

  #batch(items: number, logIndex: number): Log {
    const topics = new Uint8Array(128);
    topics.set(TRANSFER_BATCH);
    for (let at = 64; at < topics.length; at += 32) this.#writeParty(topics, at + 12);
    const data = Buffer.alloc((4 + 2 * items) * 32);
    data.writeUInt32BE(64, 28);
    data.writeUInt32BE((3 + items) * 32, 60);
    for (const at of [2, 3 + items]) data.writeUInt32BE(items, at * 32 + 28);
    for (let i = 0; i < items; i++) {
      data.set(this.#random.bytes(8), (3 + i) * 32 + 24);
      data.writeUInt32BE(1, (4 + items + i) * 32 + 28);
    }
    return { address: this.#tokens[0]!, topics, data: new Uint8Array(data), logIndex };
  }
}
