import { createdAddress } from "../../src/chain/block/block.ts";
import type { Header } from "../../src/chain/block/header.ts";
import type { Receipt } from "../../src/chain/block/receipt.ts";
import type { Transaction } from "../../src/chain/block/transaction.ts";
import type { Bytes } from "../../src/chain/encoding/bytes.ts";
import { quantity, toHex } from "../../src/chain/encoding/hex.ts";
import { uintFromNumber, uintToNumber } from "../../src/chain/encoding/uint.ts";
import type { Draft } from "../../src/chain/encoding/wire.ts";
import { logsBloom } from "../../src/chain/hashing/bloom.ts";
import { atBaseFee, BLOB_GAS, blobGasPrice, highestPrice, nextBaseFee, nextExcessBlobGas } from "./gasPrices.ts";
import { Random } from "./random.ts";
import type { BlockContent } from "./sealBlock.ts";
import { sealBlock } from "./sealBlock.ts";
import type { TrafficOptions } from "./simulatedTraffic.ts";
import { DEPOSIT, GWEI, Traffic, USUAL_TRAFFIC } from "./simulatedTraffic.ts";
import type { WireBlock, WireReceipt, WireTransaction } from "./wireForm.ts";
import { presentPending, presentWire } from "./wireForm.ts";

export interface SimulatedChainOptions {
  readonly seed: number;
  readonly chainId?: number;
  readonly traffic?: Partial<TrafficOptions>;
}

/** A block as a node would send it, and what is needed to go on from it or to take it back. */
export interface SimulatedBlock {
  readonly number: number;
  readonly hash: string;
  readonly block: WireBlock;
  readonly receipts: WireReceipt[];
  readonly header: Header;
  readonly transactions: readonly Transaction[];
  readonly nextWithdrawal: number;
}

/**
 * A chain that grows, forks, shrinks and starts over on command, with valid hashes, roots and blooms. Blocks are kept as
 * the JSON of a node, so that consumers decode them.
 */
export class SimulatedChain {
  readonly seed: number;
  readonly chainId: number;
  readonly #random: Random;
  readonly #traffic: Traffic;
  #blocks: SimulatedBlock[] = [];
  /** Every block ever mined since the last reset, abandoned ones too: nodes go on serving those by hash. */
  #byHash = new Map<string, SimulatedBlock>();
  #mined = new Map<string, WireTransaction>();
  #nonces = new Map<string, number>();
  #pending: Transaction[] = [];

  constructor({ seed, chainId = 677, traffic = {} }: SimulatedChainOptions) {
    this.seed = seed;
    this.chainId = chainId;
    this.#random = new Random(seed);
    this.#traffic = new Traffic(this.#random, chainId, { ...USUAL_TRAFFIC, ...traffic });
    this.#append(this.#genesis());
  }

  get honestTokens(): string[] {
    return this.#traffic.honestTokens.map(toHex);
  }

  get head(): SimulatedBlock {
    return this.#blocks.at(-1)!;
  }

  get length(): number {
    return this.#blocks.length;
  }

  at(number: number): SimulatedBlock | undefined {
    return this.#blocks[number];
  }

  wireBlock(number: number): WireBlock | undefined {
    return this.#blocks[number]?.block;
  }

  wireReceipts(number: number): WireReceipt[] | undefined {
    return this.#blocks[number]?.receipts;
  }

  blockByHash(hash: string): SimulatedBlock | undefined {
    return this.#byHash.get(hash.toLowerCase());
  }

  /** A transaction of the canonical chain, or one that waits and has no block yet. */
  transactionByHash(hash: string): WireTransaction | undefined {
    const wanted = hash.toLowerCase();
    const mined = this.#mined.get(wanted);
    if (mined !== undefined) return mined;
    const waiting = this.#pending.find((tx) => toHex(tx.hash) === wanted);
    return waiting && presentPending(waiting);
  }

  /** Sends a transaction that one of the next blocks may take; answers its hash. */
  submit(): string {
    const from = this.#traffic.sender();
    const fee = uintToNumber(this.head.header.baseFeePerGas!);
    const tx = this.#traffic.transaction(from, this.#nonce(from), fee * 2, this.#isLegacy(this.length));
    this.#pending.push(tx);
    return toHex(tx.hash);
  }

  mine(count = 1): void {
    for (let i = 0; i < count; i++) this.#append(this.#nextBlock());
  }

  /** Abandons the last `depth` blocks and mines `length` others, with some of the abandoned transactions in them. */
  fork(depth: number, length: number): void {
    const dropped = this.#drop(this.length - depth);
    const transactions = dropped.flatMap((block) => block.transactions);
    this.#pending.push(...transactions.filter(() => this.#random.chance(0.7)));
    this.mine(length);
  }

  /** The chain ends at `number`, as when a development chain is reverted; what came after is gone. */
  truncate(number: number): void {
    for (const block of this.#drop(number + 1)) this.#byHash.delete(block.hash);
  }

  /** Another genesis, and nothing of what was. */
  reset(): void {
    this.#blocks = [];
    this.#byHash = new Map();
    this.#mined = new Map();
    this.#nonces = new Map();
    this.#pending = [];
    this.#append(this.#genesis());
  }

  #append(block: SimulatedBlock): void {
    this.#blocks.push(block);
    this.#byHash.set(block.hash, block);
    for (const tx of block.block.transactions) this.#mined.set(tx.hash, tx);
  }

  #drop(from: number): SimulatedBlock[] {
    if (from < 1 || from > this.length) throw new RangeError(`cannot drop blocks from ${from} of ${this.length}`);
    const dropped = this.#blocks.splice(from);
    for (const block of dropped.toReversed()) {
      for (const tx of block.transactions.toReversed()) {
        this.#mined.delete(toHex(tx.hash));
        this.#nonces.set(toHex(tx.from), uintToNumber(tx.nonce));
      }
    }
    return dropped;
  }

  #genesis(): SimulatedBlock {
    const content = {
      number: 0,
      parentHash: new Uint8Array(32),
      miner: new Uint8Array(20),
      timestamp: 1_700_000_000,
      baseFee: GWEI,
      excessBlobGas: 0,
      transactions: [],
      receipts: [],
      withdrawals: [],
    };
    return this.#seal(content, 0);
  }

  #nextBlock(): SimulatedBlock {
    const { header, nextWithdrawal } = this.head;
    const number = header.number + 1;
    const baseFee = nextBaseFee(header);
    const excessBlobGas = nextExcessBlobGas(header);
    const transactions = this.#select(number, baseFee);
    const withdrawals = this.#traffic.withdrawals(nextWithdrawal);
    const content = {
      number,
      parentHash: header.hash,
      miner: this.#traffic.miner(),
      timestamp: header.timestamp + this.#random.between(...this.#traffic.options.blockTime),
      baseFee,
      excessBlobGas,
      transactions,
      receipts: this.#execute(transactions, number, blobGasPrice(excessBlobGas)),
      withdrawals,
    };
    return this.#seal(content, nextWithdrawal + withdrawals.length);
  }

  /** Some of the waiting transactions, in any order their nonces allow, among new ones. */
  #select(number: number, baseFee: number): Transaction[] {
    const isLegacy = this.#isLegacy(number);
    const waiting = this.#willing(baseFee, isLegacy);
    const count = Math.max(waiting.length, this.#random.between(...this.#traffic.options.transactions));
    const selected: Transaction[] = [];
    for (let i = 0; i < count; i++) {
      const returning = this.#random.chance(waiting.length / count)
        ? waiting.find((tx) => this.#isNext(tx))
        : undefined;
      const tx = returning ?? this.#newTransaction(baseFee, isLegacy);
      this.#nonces.set(toHex(tx.from), uintToNumber(tx.nonce) + 1);
      selected.push(atBaseFee(tx, baseFee));
    }
    // What another transaction with the same nonce replaced will never be mined.
    this.#pending = this.#pending.filter((tx) => uintToNumber(tx.nonce) >= this.#nonce(tx.from));
    return selected;
  }

  #willing(baseFee: number, isLegacy: boolean): Transaction[] {
    const canPay = (tx: Transaction) => highestPrice(tx) >= baseFee && !(isLegacy && tx.type > 0);
    return this.#random.shuffle(this.#pending.filter((tx) => canPay(tx) && this.#random.chance(0.6)));
  }

  #newTransaction(baseFee: number, isLegacy: boolean): Transaction {
    const from = this.#traffic.sender();
    return this.#traffic.transaction(from, this.#nonce(from), baseFee, isLegacy);
  }

  #isNext(tx: Transaction): boolean {
    return uintToNumber(tx.nonce) === this.#nonce(tx.from);
  }

  #nonce(address: Bytes): number {
    return this.#nonces.get(toHex(address)) ?? 0;
  }

  #isLegacy(number: number): boolean {
    return number < this.#traffic.options.byzantium;
  }

  #execute(transactions: readonly Transaction[], number: number, blobPrice: number): Receipt[] {
    let cumulativeGasUsed = 0;
    let logIndex = 0;
    return transactions.map((tx) => {
      const receipt = this.#outcome(tx, this.#isLegacy(number));
      cumulativeGasUsed += receipt.gasUsed;
      receipt.cumulativeGasUsed = cumulativeGasUsed;
      if (tx.type === 3) {
        receipt.blobGasUsed = BLOB_GAS * tx.blobVersionedHashes!.length;
        receipt.blobGasPrice = uintFromNumber(blobPrice);
      }
      receipt.logs = receipt.logs.map((log) => ({ ...log, logIndex: logIndex++ }));
      return receipt;
    });
  }

  #outcome(tx: Transaction, isLegacy: boolean): Draft<Receipt> {
    const random = this.#random;
    const isFailed = random.chance(0.08);
    // geth names the address of a creation that failed, too.
    const contractAddress = tx.to === null ? createdAddress(tx) : null;
    const logs = isFailed ? [] : this.#traffic.logs(contractAddress);
    const gas = uintToNumber(tx.gas);
    const receipt: Draft<Receipt> = {
      type: tx.type,
      from: tx.from,
      to: tx.to,
      cumulativeGasUsed: 0,
      gasUsed: isFailed && random.chance(0.5) ? gas : 21_000 + random.int(gas - 20_999),
      effectiveGasPrice: tx.gasPrice!,
      contractAddress,
      logsBloom: logsBloom(logs),
      logs,
    };
    if (isLegacy) receipt.root = random.bytes(32);
    else receipt.status = isFailed ? 0 : 1;
    if (tx.type === DEPOSIT) receipt.extra = { depositNonce: quantity(uintToNumber(tx.nonce)) };
    else if (tx.extra?.l1Fee !== undefined) receipt.extra = { l1Fee: tx.extra.l1Fee };
    return receipt;
  }

  #seal(content: BlockContent, nextWithdrawal: number): SimulatedBlock {
    const header = sealBlock(content, this.#random);
    if (this.#traffic.options.extraFields)
      header.extra = this.#traffic.extra({ milliTimestamp: quantity(content.timestamp * 1000) });
    const wired = presentWire({ header, transactions: content.transactions, receipts: content.receipts });
    return {
      ...wired,
      number: header.number,
      hash: wired.block.hash,
      header,
      transactions: content.transactions,
      nextWithdrawal,
    };
  }
}
