import { transactionHash } from "../../src/chain/block/block.ts";
import type { Withdrawal } from "../../src/chain/block/header.ts";
import type { Log } from "../../src/chain/block/receipt.ts";
import type { AccessListEntry, Authorization, Transaction } from "../../src/chain/block/transaction.ts";
import { writeTransaction } from "../../src/chain/block/transaction.ts";
import type { Bytes } from "../../src/chain/encoding/bytes.ts";
import { EMPTY } from "../../src/chain/encoding/bytes.ts";
import type { Extra } from "../../src/chain/encoding/extra.ts";
import { MAX_EXTRA_BYTES } from "../../src/chain/encoding/extra.ts";
import { fromHex, toHex, uintToHex } from "../../src/chain/encoding/hex.ts";
import { RlpWriter } from "../../src/chain/encoding/rlp.ts";
import type { Uint } from "../../src/chain/encoding/uint.ts";
import { uintFromNumber } from "../../src/chain/encoding/uint.ts";
import type { Draft } from "../../src/chain/encoding/wire.ts";
import { keccak256 } from "../../src/chain/hashing/keccak.ts";
import { lengthen, longLogs } from "./longTraffic.ts";
import type { Random } from "./random.ts";
import { PoolTraffic } from "./simulatedPools.ts";

type Range = readonly [min: number, max: number];

export interface TrafficOptions {
  /** Transactions in a block. */
  readonly transactions: Range;
  /** Seconds from a block to the next. */
  readonly blockTime: Range;
  /** Logs of a transaction that emits any. */
  readonly logs: Range;
  /** Withdrawals in a block. */
  readonly withdrawals: Range;
  readonly addresses: number;
  /** The share of addresses never seen before. */
  readonly fresh: number;
  /** The first block whose receipts carry a status; earlier ones carry a state root and only legacy transactions. */
  readonly byzantium: number;
  readonly miners: number;
  /** Blobs that transactions name again and again; with none, each transaction names its own. */
  readonly sharedBlobs: number;
  /** Number of additional honest ERC-20 tokens: transfers never exceed mints. */
  readonly honestTokens: number;
  /** Number of additional contracts with deposits: pools, vaults, and wrapped coins that are transferred later. */
  readonly wrappers: number;
  readonly pools: number;
  /** Pools also do what those of Algebra do. */
  readonly algebra: boolean;
  /** Whether some of them are of Solidly. */
  readonly solidly: boolean;
  /** Whether some swaps of pairs pay as little as the contract takes. */
  readonly exactSwaps: boolean;
  /** Whether some pools without an address are of Infinity. */
  readonly infinity: boolean;
  /** Adds deposits of type 0x7e, as OP chains have. */
  readonly deposits: boolean;
  /** The share of transactions that have something very long: input, lists, extra fields, or logs. */
  readonly long: number;
  /** Adds fields no node of Ethereum sends to some transactions, receipts, logs and blocks; also one too large to keep. */
  readonly extraFields: boolean | "oversized";
}

export const USUAL_TRAFFIC: TrafficOptions = {
  transactions: [0, 8],
  blockTime: [1, 12],
  logs: [1, 5],
  withdrawals: [0, 4],
  addresses: 30,
  fresh: 0.15,
  byzantium: 0,
  miners: 4,
  sharedBlobs: 0,
  honestTokens: 0,
  wrappers: 0,
  pools: 0,
  algebra: false,
  solidly: false,
  exactSwaps: false,
  infinity: false,
  deposits: false,
  long: 0,
  extraFields: false,
};

export const DEPOSIT = 0x7e;
export const GWEI = 1_000_000_000;

const TRANSFER = fromHex("0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");
const APPROVAL = fromHex("0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925");

const TRANSFER_SINGLE = fromHex("0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62");
const TRANSFER_BATCH = fromHex("0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb");
const DEPOSIT_EVENT = fromHex("0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c");
const WITHDRAWAL = fromHex("0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65");

export const TREASURY: Bytes = new Uint8Array(20).fill(0x77);

/** Invents what people send: transactions, the logs they leave and withdrawals. */
export class Traffic {
  readonly options: TrafficOptions;
  readonly #random: Random;
  readonly #chainId: number;
  readonly #addresses: Bytes[];
  readonly #contracts: Bytes[];
  readonly #events: Bytes[];
  readonly honestTokens: readonly Bytes[];
  readonly wrappers: readonly Bytes[];
  readonly #pools: PoolTraffic | undefined;

  constructor(random: Random, chainId: number, options: TrafficOptions) {
    this.options = options;
    this.#random = random;
    this.#chainId = chainId;
    this.#addresses = Array.from({ length: options.addresses }, () => random.bytes(20));
    this.#contracts = Array.from({ length: Math.ceil(options.addresses / 3) }, () => random.bytes(20));
    this.#events = Array.from({ length: 6 }, () => random.bytes(32));
    this.honestTokens = Array.from({ length: options.honestTokens }, () => random.bytes(20));
    this.wrappers = Array.from({ length: options.wrappers }, () => random.bytes(20));
    if (options.pools > 0) this.#pools = new PoolTraffic(random, options, this.#addresses, this.honestTokens);
  }

  sender(): Bytes {
    return this.#random.chance(this.options.fresh / 2) ? this.#random.bytes(20) : this.#known();
  }

  miner(): Bytes {
    return this.#addresses[this.#random.int(this.options.miners)]!;
  }

  /** A transaction that can pay `baseFee`, in a block that may hold types up to 4 or legacy ones alone. */
  transaction(from: Bytes, nonce: number, baseFee: number, legacyOnly: boolean): Transaction {
    const random = this.#random;
    const type = legacyOnly ? 0 : this.#type();
    const mayCreate = type < 3 || type === DEPOSIT;
    const to = mayCreate && random.chance(0.08) ? null : this.#recipient();
    const tx: Draft<Transaction> = {
      type,
      hash: EMPTY,
      from,
      to,
      nonce: uintFromNumber(nonce),
      gas: uintFromNumber(21_000 + random.int(random.chance(0.05) ? 1_000_000 : 180_000)),
      value: random.chance(0.4) ? EMPTY : this.#uint(random.between(1, 9)),
      input: this.#input(to),
      v: EMPTY,
      r: this.#signaturePart(),
      s: this.#signaturePart(),
    };
    this.#addFees(tx, baseFee);
    this.#addLists(tx);
    if (this.options.extraFields && random.chance(0.3)) tx.extra = this.extra({ l1Fee: uintToHex(this.#uint(5)) });
    if (this.#isLong()) lengthen(tx, random, () => this.#authorization());
    if (type === DEPOSIT) asDeposit(tx, random);
    tx.hash = type === DEPOSIT ? depositHash(tx) : transactionHash(tx);
    return tx;
  }

  logs(creator: Bytes | null): Draft<Log>[] {
    const random = this.#random;
    if (random.chance(0.3)) return [];
    const [min, max] = this.options.logs;
    if (this.#isLong()) return longLogs(random, () => this.#log(creator));
    const count = random.chance(0.02) ? max * 6 : random.between(min, max);
    const logs = Array.from({ length: count }, () => this.#log(creator));
    if (this.wrappers.length > 0) logs.push(...this.#wrapperLogs());
    if (this.#pools !== undefined) logs.push(...this.#pools.logs());
    return this.honestTokens.length === 0 ? logs : [...logs, ...this.#honestLogs()];
  }

  /** Deposits and withdrawals, and now and then what shows that their contract is a token, or that it mints otherwise. */
  #wrapperLogs(): Draft<Log>[] {
    const random = this.#random;
    const [nobody, address] = [new Uint8Array(32), random.pick(this.wrappers)];
    const [holder, other] = [asWord(this.#known()), asWord(this.#known())];
    const amount = asWord(uintFromNumber(random.between(0, 3)));
    const log = (topics: Bytes[], data = amount): Draft<Log> => ({ address, topics: join(topics), data, logIndex: 0 });
    const wrap = log([random.pick([DEPOSIT_EVENT, DEPOSIT_EVENT, WITHDRAWAL]), holder]);
    const roll = random.int(40);
    if (roll < 2) return random.shuffle([wrap, log([TRANSFER, holder, other])]);
    if (roll < 3) return random.shuffle([wrap, log([APPROVAL, holder, other]), log([TRANSFER, nobody, holder])]);
    if (roll === 12) return random.shuffle([log([WITHDRAWAL, holder]), wrap, log([TRANSFER, holder, nobody])]);
    if (roll < 4) return [wrap, log([TRANSFER, nobody, holder], asWord(uintFromNumber(7)))];
    if (roll < 5) return random.shuffle([wrap, log([TRANSFER, holder, other, this.#smallWord()], EMPTY)]);
    if (roll < 6) return [log([TRANSFER_SINGLE, holder, nobody, other], join([this.#smallWord(), amount]))];
    return roll < 12 ? [wrap, wrap] : [wrap];
  }

  #honestLogs(): Draft<Log>[] {
    const random = this.#random;
    const token = random.pick(this.honestTokens);
    const log = (from: Bytes, to: Bytes, amount: number): Draft<Log> => ({
      address: token,
      topics: join([TRANSFER, asWord(from), asWord(to)]),
      data: asWord(uintFromNumber(amount)),
      logIndex: 0,
    });
    const minted = random.between(1_000, 1_000_000);
    const nobody = new Uint8Array(20);
    const holder = this.#pools !== undefined && random.chance(0.5) ? this.#pools.pool() : this.#known();
    if (random.chance(0.3)) return [log(nobody, holder, minted)];
    return [log(nobody, TREASURY, minted), log(TREASURY, holder, random.between(100, minted))];
  }

  extra(fields: Extra): Extra {
    return this.options.extraFields === "oversized" ? { ...fields, padding: "x".repeat(MAX_EXTRA_BYTES) } : fields;
  }

  withdrawals(firstIndex: number): Withdrawal[] {
    const random = this.#random;
    return Array.from({ length: random.between(...this.options.withdrawals) }, (_, i) => ({
      index: firstIndex + i,
      validatorIndex: random.int(1_000_000),
      address: this.#recipient(),
      amount: this.#uint(random.between(1, 5)),
    }));
  }

  #isLong(): boolean {
    return this.options.long > 0 && this.#random.chance(this.options.long);
  }

  #type(): number {
    if (this.options.deposits && this.#random.chance(0.15)) return DEPOSIT;
    const roll = this.#random.int(20);
    if (roll < 5) return 0;
    if (roll < 7) return 1;
    if (roll < 17) return 2;
    return roll < 19 ? 3 : 4;
  }

  #addFees(tx: Draft<Transaction>, baseFee: number): void {
    const random = this.#random;
    const parity = random.int(2);
    const tip = random.int(3 * GWEI);
    const isProtected = tx.type > 0 || random.chance(0.8);
    if (isProtected) tx.chainId = uintFromNumber(this.#chainId);
    if (tx.type > 0) tx.v = uintFromNumber(parity);
    else tx.v = uintFromNumber(isProtected ? this.#chainId * 2 + 35 + parity : 27 + parity);
    if (tx.type < 2) {
      tx.gasPrice = uintFromNumber(baseFee + tip);
      return;
    }
    tx.maxFeePerGas = uintFromNumber(baseFee + random.int(2 * baseFee + tip));
    tx.maxPriorityFeePerGas = uintFromNumber(Math.min(tip, baseFee));
  }

  #addLists(tx: Draft<Transaction>): void {
    const random = this.#random;
    if (tx.type > 0 && tx.type <= 4) tx.accessList = random.chance(0.5) ? [] : this.#accessList();
    if (tx.type === 3) {
      tx.maxFeePerBlobGas = uintFromNumber(random.between(1, 1000) * GWEI);
      tx.blobVersionedHashes = Array.from({ length: random.between(1, 3) }, () => {
        const hash = random.bytes(32);
        if (this.options.sharedBlobs > 0) hash.fill(hash[0]! % this.options.sharedBlobs);
        hash[0] = 1;
        return hash;
      });
    }
    if (tx.type === 4) {
      tx.authorizationList = Array.from({ length: random.between(1, 3) }, () => this.#authorization());
    }
  }

  #accessList(): AccessListEntry[] {
    return Array.from({ length: this.#random.between(1, 2) }, () => ({
      address: this.#random.pick(this.#contracts),
      storageKeys: Array.from({ length: this.#random.int(3) }, () => this.#random.bytes(32)),
    }));
  }

  #authorization(): Authorization {
    return {
      chainId: uintFromNumber(this.#random.pick([0, 1, this.#chainId, this.#chainId])),
      address: this.#random.pick(this.#contracts),
      nonce: this.#authorizedNonce(),
      yParity: uintFromNumber(this.#random.int(2)),
      r: this.#signaturePart(),
      s: this.#signaturePart(),
    };
  }

  /** One in ten is the last there is, which no account may have. */
  #authorizedNonce(): Bytes {
    const nonce = this.#random.int(330);
    return nonce < 300 ? uintFromNumber(nonce) : new Uint8Array(8).fill(255);
  }

  #log(creator: Bytes | null): Draft<Log> {
    const random = this.#random;
    const address = creator !== null && random.chance(0.5) ? creator : random.pickSkewed(this.#contracts);
    const log: Draft<Log> = { address, ...this.#event(), logIndex: 0 };
    if (this.options.extraFields && random.chance(0.1)) log.extra = this.extra({ index: "0x1" });
    return log;
  }

  #event(): { topics: Bytes; data: Bytes } {
    const random = this.#random;
    const roll = random.int(14);
    const parties = [asWord(this.#recipient()), asWord(this.#recipient())];
    if (roll >= 10) return this.#tokenEvent(roll, parties);
    if (roll < 4) return { topics: join([TRANSFER, ...parties]), data: asWord(this.#uint(random.between(1, 9))) };
    if (roll < 5) return { topics: join([TRANSFER, ...parties, this.#smallWord()]), data: EMPTY };
    if (roll < 6) return { topics: join([APPROVAL, ...parties]), data: random.bytes(32) };
    const topics = Array.from({ length: random.int(5) }, (_, at) => (at === 0 ? this.#signature() : this.#topic()));
    return { topics: join(topics), data: this.#data() };
  }

  /** Mints, burns and the events of the other token standards, with amounts no honest token has. */
  #tokenEvent(roll: number, parties: Bytes[]): { topics: Bytes; data: Bytes } {
    const random = this.#random;
    const amount = () => (random.chance(0.2) ? new Uint8Array(32).fill(255) : asWord(this.#uint(random.between(1, 9))));
    if (random.chance(0.6)) parties[random.int(2)] = new Uint8Array(32);
    if (roll === 10) return { topics: join([TRANSFER, ...parties]), data: amount() };
    if (roll === 11) return { topics: join([random.pick([DEPOSIT_EVENT, WITHDRAWAL]), parties[0]!]), data: amount() };
    const operated = [asWord(this.#recipient()), ...parties];
    if (roll === 12) return { topics: join([TRANSFER_SINGLE, ...operated]), data: join([this.#smallWord(), amount()]) };
    const count = random.int(4);
    const [ids, amounts] = [0, 1].map((of) =>
      Array.from({ length: count }, () => (of === 0 ? this.#smallWord() : amount())),
    );
    const length = asWord(uintFromNumber(count));
    const offsets = [asWord(uintFromNumber(64)), asWord(uintFromNumber(96 + count * 32))];
    return {
      topics: join([TRANSFER_BATCH, ...operated]),
      data: join([...offsets, length, ...ids!, length, ...amounts!]),
    };
  }

  #signature(): Bytes {
    return this.#random.chance(0.1) ? this.#random.bytes(32) : this.#random.pickSkewed(this.#events);
  }

  #topic(): Bytes {
    const roll = this.#random.int(3);
    if (roll === 0) return asWord(this.#recipient());
    return roll === 1 ? this.#smallWord() : this.#random.bytes(32);
  }

  #data(): Bytes {
    const random = this.#random;
    if (random.chance(0.02)) return random.bytes(random.between(1000, 5000));
    return random.bytes(random.pick([0, 32, 32, 64, 64, 96, random.int(100)]));
  }

  #input(to: Bytes | null): Bytes {
    const random = this.#random;
    if (to === null) return random.bytes(random.between(20, 400));
    return random.bytes(random.pick([0, 0, 4, 36, 68, random.int(200)]));
  }

  #recipient(): Bytes {
    const random = this.#random;
    if (random.chance(this.options.fresh)) return random.bytes(20);
    return random.chance(0.5) ? this.#known() : random.pickSkewed(this.#contracts);
  }

  #known(): Bytes {
    return this.#random.pickSkewed(this.#addresses);
  }

  #smallWord(): Bytes {
    return asWord(uintFromNumber(this.#random.int(1000)));
  }

  /** Below half the order of the curve, so that other libraries take it for a signature. */
  #signaturePart(): Uint {
    const part = this.#uint(this.#random.chance(0.03) ? 31 : 32);
    part[0] = (part[0]! & 0x3f) + 1;
    return part;
  }

  #uint(length: number): Uint {
    const bytes = this.#random.bytes(length);
    if (bytes[0] === 0) bytes[0] = 1;
    return bytes;
  }
}

/** A deposit has no signature and no price; its hash comes from a source the chain below names. */
function asDeposit(tx: Draft<Transaction>, random: Random): void {
  delete tx.chainId;
  delete tx.maxFeePerGas;
  delete tx.maxPriorityFeePerGas;
  tx.gasPrice = EMPTY;
  tx.v = EMPTY;
  tx.r = EMPTY;
  tx.s = EMPTY;
  tx.extra = { ...tx.extra, sourceHash: toHex(random.bytes(32)), mint: uintToHex(tx.value) };
}

export function writeAnyTransaction(tx: Transaction, writer: RlpWriter): void {
  if (tx.type !== DEPOSIT) {
    writeTransaction(tx, writer);
    return;
  }
  const start = writer.length;
  writer.string(tx.input);
  writer.number(0);
  writer.uint(tx.gas);
  writer.uint(tx.value);
  writer.uint(tx.value);
  writer.string(tx.to ?? EMPTY);
  writer.string(tx.from);
  writer.string(fromHex(String(tx.extra?.sourceHash)));
  writer.closeList(start);
  writer.byte(DEPOSIT);
}

const scratch = new RlpWriter();

function depositHash(tx: Transaction): Bytes {
  scratch.reset();
  writeAnyTransaction(tx, scratch);
  return keccak256(scratch.written);
}

function asWord(bytes: Bytes): Bytes {
  const word = new Uint8Array(32);
  word.set(bytes, 32 - bytes.length);
  return word;
}

function join(words: readonly Bytes[]): Bytes {
  const joined = new Uint8Array(words.length * 32);
  words.forEach((word, at) => {
    joined.set(word, at * 32);
  });
  return joined;
}
