import type { Block } from "../../src/chain/block/block.ts";
import type { Log, Receipt } from "../../src/chain/block/receipt.ts";
import type { Transaction } from "../../src/chain/block/transaction.ts";
import type { Bytes } from "../../src/chain/encoding/bytes.ts";
import { EMPTY } from "../../src/chain/encoding/bytes.ts";
import { fromHex } from "../../src/chain/encoding/hex.ts";
import { uintFromNumber } from "../../src/chain/encoding/uint.ts";
import { Random } from "../../test/support/random.ts";
import { sealBlock } from "../../test/support/sealBlock.ts";
import { poolLog } from "../../test/support/simulatedPools.ts";

const TRANSFER = fromHex("0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");

/** Composition of a chain with exchanges. */
export interface ExchangeShape {
  readonly pools: number;
  readonly blocks: number;
  /** Swaps of each block, most of them in few pools. */
  readonly swaps: number;
  readonly seed: number;
}

interface Pool {
  readonly address: Bytes;
  readonly tokens: readonly [Bytes, Bytes];
  readonly isV3: boolean;
}

/** Blocks with pools of a stable, the coin or any token, which are created at first and traded with then. */
export class ExchangeBlocks {
  readonly factory: Bytes;
  readonly stable: Bytes;
  readonly coin: Bytes;
  readonly #random: Random;
  readonly #shape: ExchangeShape;
  readonly #pools: readonly Pool[];
  readonly #users: readonly Bytes[];
  #parent: Bytes = new Uint8Array(32);

  constructor(shape: ExchangeShape) {
    const random = new Random(shape.seed);
    this.#random = random;
    this.#shape = shape;
    [this.factory, this.stable, this.coin] = [random.bytes(20), random.bytes(20), random.bytes(20)];
    this.#users = Array.from({ length: 2000 }, () => random.bytes(20));
    this.#pools = Array.from({ length: shape.pools }, (_, at) => {
      const other = at === 0 ? this.coin : random.bytes(20);
      const tokens = [random.chance(0.5) || at === 0 ? this.stable : this.coin, other] as const;
      return { address: random.bytes(20), tokens, isV3: at % 2 === 1 };
    });
  }

  *blocks(): Generator<Block> {
    const creations = Array.from({ length: Math.ceil(this.#pools.length / 500) }, (_, at) =>
      this.#pools.slice(at * 500, at * 500 + 500).map((pool) => this.#open(pool)),
    );
    for (const [number, logs] of creations.entries()) yield this.#seal(number, logs);
    for (let at = 0; at < this.#shape.blocks; at++) {
      const swaps = Array.from({ length: this.#shape.swaps }, () => this.#swap(this.#random.pickSkewed(this.#pools)));
      yield this.#seal(creations.length + at, swaps);
    }
  }

  #open({ address, tokens, isV3 }: Pool): Log[] {
    const user = this.#users[0]!;
    const amounts = [this.#amount(), this.#amount()] as const;
    const moved = tokens.map((token, at) => transfer(token, user, address, amounts[at]!));
    if (!isV3) {
      return [
        poolLog("pairCreated", this.factory, [...tokens], [address, 1]),
        ...moved,
        poolLog("sync", address, [], [...amounts]),
      ];
    }
    return [
      poolLog("poolCreated", this.factory, [...tokens, 3000], [60, address]),
      poolLog("initialize", address, [], [2n ** 96n, 0]),
      ...moved,
      poolLog("mintV3", address, [user, -60_000, 60_000], [user, this.#amount(), ...amounts]),
    ];
  }

  #swap({ address, tokens, isV3 }: Pool): Log[] {
    const user = this.#random.pickSkewed(this.#users);
    const [paid, got] = [this.#amount() / 1000n, this.#amount() / 1000n];
    const moved = [transfer(tokens[0], user, address, paid), transfer(tokens[1], address, user, got)];
    if (isV3) {
      const price = 2n ** 96n + this.#amount();
      return [...moved, poolLog("swapV3", address, [user, user], [paid, -got, price, this.#amount(), 1])];
    }
    const sync = poolLog("sync", address, [], [this.#amount(), this.#amount()]);
    return [...moved, sync, poolLog("swapV2", address, [user, user], [paid, 0, 0, got])];
  }

  #amount(): bigint {
    return BigInt(this.#random.between(10 ** 8, 10 ** 9)) * 10n ** 14n + BigInt(this.#random.int(1e9));
  }

  #seal(number: number, logsOf: readonly Log[][]): Block {
    let logIndex = 0;
    const transactions = logsOf.map(() => this.#transaction());
    const receipts = logsOf.map(
      (logs, at): Receipt => ({
        type: 0,
        from: transactions[at]!.from,
        to: transactions[at]!.to,
        status: 1,
        cumulativeGasUsed: (at + 1) * 100_000,
        gasUsed: 100_000,
        effectiveGasPrice: uintFromNumber(1),
        contractAddress: null,
        logsBloom: new Uint8Array(256),
        logs: logs.map((log) => ({ ...log, logIndex: logIndex++ })),
      }),
    );
    const content = {
      number,
      parentHash: this.#parent,
      miner: this.#users[0]!,
      timestamp: 1_700_000_000 + number * 60,
    };
    const header = sealBlock(
      { ...content, baseFee: 1, excessBlobGas: 0, transactions, receipts, withdrawals: [] },
      this.#random,
    );
    this.#parent = header.hash;
    return { header, transactions, receipts };
  }

  #transaction(): Transaction {
    const random = this.#random;
    return {
      type: 0,
      hash: random.bytes(32),
      from: random.pickSkewed(this.#users),
      to: this.factory,
      nonce: uintFromNumber(random.int(1e6)),
      gas: uintFromNumber(200_000),
      value: EMPTY,
      input: random.bytes(4),
      gasPrice: uintFromNumber(1),
      chainId: uintFromNumber(677),
      v: uintFromNumber(677 * 2 + 35),
      r: random.bytes(32),
      s: random.bytes(32),
    };
  }
}

function transfer(token: Bytes, from: Bytes, to: Bytes, amount: bigint): Log {
  const topics = new Uint8Array(96);
  topics.set(TRANSFER);
  topics.set(from, 44);
  topics.set(to, 76);
  return { address: token, topics, data: fromHex(`0x${amount.toString(16).padStart(64, "0")}`), logIndex: 0 };
}
