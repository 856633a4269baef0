import { createdAddress, transactionHash } from "../../src/chain/block/block.ts";
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
import { sealBlock } from "../../test/support/sealBlock.ts";
import { presentWire } from "../../test/support/wireForm.ts";

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

export const SHAPES: Readonly<Record<string, Distribution>> = {
  realistic: REALISTIC,
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

/** Blocks of a busy chain, valid in every hash and root, as the JSON texts a node would send. */
export class SyntheticBlocks {
  readonly #random: Random;
  readonly #shape: Distribution;
  readonly #addresses: Bytes[];
  readonly #tokens: Bytes[];
  readonly #events: Bytes[];
  #parent: Bytes = new Uint8Array(32);
  #number = 0;

  constructor(seed: number, shape: Distribution) {
    this.#random = new Random(seed);
    this.#shape = shape;
    this.#addresses = Array.from({ length: shape.addresses }, () => this.#random.bytes(20));
    this.#tokens = Array.from({ length: shape.tokens }, () => this.#random.bytes(20));
    this.#events = Array.from({ length: 60 }, (_, i) => keccak256(Buffer.from(`Event${i}(address,address,uint256)`)));
  }

  next(): { number: number; hash: string; transactions: readonly string[]; block: string; receipts: string } {
    const number = this.#number++;
    const count = number === 0 ? 0 : this.#shape.transactions;
    const transactions = Array.from({ length: count }, () => this.#transaction());
    const header = sealBlock(
      {
        number,
        parentHash: this.#parent,
        miner: this.#addresses[0]!,
        timestamp: 1_700_000_000 + number * 2,
        baseFee: GWEI,
        excessBlobGas: 0,
        transactions,
        receipts: this.#receipts(transactions),
        withdrawals: Array.from({ length: 16 }, (_, i) => ({
          index: number * 16 + i,
          validatorIndex: this.#random.int(500_000),
          address: this.#party(),
          amount: uintFromNumber(this.#random.int(2 ** 31)),
        })),
      },
      this.#random,
    );
    this.#parent = header.hash;
    const wire = presentWire({ header, transactions, receipts: this.#lastReceipts });
    return {
      number,
      hash: wire.block.hash,
      transactions: transactions.map(({ hash }) => toHex(hash)),
      block: JSON.stringify(wire.block),
      receipts: JSON.stringify(wire.receipts),
    };
  }

  #lastReceipts: Receipt[] = [];

  /** Rank r comes with weight 1/r. */
  #zipf<T>(list: readonly T[]): T {
    return list[Math.min(list.length - 1, Math.floor(list.length ** this.#random.fraction()) - 1)]!;
  }

  #party(): Bytes {
    if (!this.#random.chance(this.#shape.fresh)) return this.#zipf(this.#addresses);
    const address = this.#random.bytes(20);
    this.#addresses.push(address);
    return address;
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
    tx.hash = transactionHash(tx);
    return tx;
  }

  #recipient(): Bytes | null {
    if (this.#random.chance(0.01)) return null;
    return this.#random.chance(0.7) ? this.#zipf(this.#tokens) : this.#party();
  }

  #transferCall(): Bytes {
    const data = new Uint8Array(68);
    data.set(TRANSFER_CALL);
    data.set(this.#party(), 16);
    data.set(this.#amount(8), 60);
    return data;
  }

  #words(prefix: number, count: number): Bytes {
    const data = new Uint8Array(prefix + count * 32);
    data.set(this.#random.bytes(prefix));
    for (let at = prefix; at < data.length; at += 32) {
      if (this.#random.chance(0.4)) data.set(this.#zipf(this.#addresses), at + 12);
      else data.set(this.#amount(8), at + 24);
    }
    return data;
  }

  #receipts(transactions: readonly Transaction[]): Receipt[] {
    let cumulativeGasUsed = 0;
    let logIndex = 0;
    this.#lastReceipts = transactions.map((tx) => {
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
        logsBloom: logsBloom(logs),
        logs,
      };
    });
    return this.#lastReceipts;
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
    for (let at = 32; at < topics.length; at += 32) topics.set(this.#party(), at + 12);
    const data = isTransfer ? 1 : this.#random.between(1, 4);
    return { address: this.#zipf(this.#tokens), topics, data: this.#words(0, data), logIndex };
  }

  #batch(items: number, logIndex: number): Log {
    const topics = new Uint8Array(128);
    topics.set(TRANSFER_BATCH);
    for (let at = 64; at < topics.length; at += 32) topics.set(this.#party(), at + 12);
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
