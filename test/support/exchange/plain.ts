import type { Hex } from "../../../src/chain/encoding/hex.ts";
import { toHex } from "../../../src/chain/encoding/hex.ts";
import type { ExchangeChain } from "./chain.ts";
import type { ScenePool } from "./scene.ts";

const TOPICS = {
  swap2: "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822",
  mint2: "0x4c209b5fc8ad50758f13e2e1088ba56a560dff690a1c6fef26394f4c03821c4f",
  burn2: "0xdccd412f0b1252819cb1fd330b93224ca42612892bb3f4f789976e6d81936496",
  swap3: "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67",
  mint3: "0x7a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde",
  burn3: "0x0c396cd989a39f4459b5fa1aed6a9a8dcdbc45908acfd67e028cd568da98982c",
} as const;

/** Something that happened in a pool: a swap, or a change of liquidity. */
export interface PlainEvent {
  readonly pool: Hex;
  readonly timestamp: number;
  readonly transaction: Hex;
  /** Amounts swapped of each token; undefined for other events. */
  readonly moved: readonly [bigint, bigint] | undefined;
}

/** All that happened in pools by the receipts of the chain, oldest first. */
export function plainEvents({ node, height }: ExchangeChain, pools: readonly ScenePool[]): PlainEvent[] {
  const versions = new Map(pools.map(({ address, version }) => [address, version]));
  const events: PlainEvent[] = [];
  for (let number = 0; number <= height; number++) {
    const { header, transactions, receipts } = node.context.chain.expectBlock(number);
    for (const [index, { logs }] of receipts.entries()) {
      for (const log of logs) {
        const pool = toHex(log.address);
        if (!versions.has(pool)) continue;
        const topic = toHex(log.topics.subarray(0, 32));
        const found = eventOf(topic, wordsOf(toHex(log.data)));
        if (found === undefined) continue;
        const transaction = toHex(transactions[index]!.hash);
        events.push({ pool, timestamp: header.timestamp, transaction, moved: found.moved });
      }
    }
  }
  return events;
}

function eventOf(topic: string, words: readonly bigint[]): Pick<PlainEvent, "moved"> | undefined {
  const size = (amount: bigint) => (amount < 0n ? -amount : amount);
  const signed = (word: bigint) => BigInt.asIntN(256, word);
  switch (topic) {
    case TOPICS.swap2:
      return { moved: [size(words[0]! - words[2]!), size(words[1]! - words[3]!)] };
    case TOPICS.swap3:
      return { moved: [size(signed(words[0]!)), size(signed(words[1]!))] };
    case TOPICS.burn3:
      // Who collects fees burns nothing first.
      return words[0] === 0n ? undefined : { moved: undefined };
    case TOPICS.mint2:
    case TOPICS.burn2:
    case TOPICS.mint3:
      return { moved: undefined };
    default:
      return undefined;
  }
}

function wordsOf(data: Hex): bigint[] {
  return (data.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`));
}

export interface PlainFigures {
  readonly volume0: bigint;
  readonly volume1: bigint;
  readonly swaps: number;
  readonly transactions: number;
}

export function plainWindow(events: readonly PlainEvent[], pool: Hex, from: number, to: number): PlainFigures {
  const own = events.filter((one) => one.pool === pool && one.timestamp > from && one.timestamp <= to);
  const swaps = own.flatMap(({ moved }) => (moved === undefined ? [] : [moved]));
  return {
    volume0: swaps.reduce((sum, [amount]) => sum + amount, 0n),
    volume1: swaps.reduce((sum, [, amount]) => sum + amount, 0n),
    swaps: swaps.length,
    transactions: new Set(own.map(({ transaction }) => transaction)).size,
  };
}

export function wholeTokens(amount: bigint, decimals: number | null): string {
  const places = decimals ?? 0;
  const digits = amount.toString().padStart(places + 1, "0");
  const rest = digits.slice(digits.length - places).replace(/0+$/, "");
  const whole = digits.slice(0, digits.length - places);
  return places === 0 || rest === "" ? whole : `${whole}.${rest}`;
}

const EVENT_TOPICS = {
  ...TOPICS,
  collect3: "0x70935338e69775456a85ddef226c395fb668b63fa0115f5f20610b388e6ca9c0",
} as const;

export interface PlainLog {
  readonly type: "swap" | "mint" | "burn" | "collect";
  readonly block: number;
  readonly transaction: Hex;
  readonly logIndex: number;
  /** Into the pool. */
  readonly amounts: readonly [bigint, bigint];
}

/** Swaps, and changes of the liquidity of a pool, by the receipts of the chain, oldest first. */
export function plainLogs({ node, height }: ExchangeChain, { address }: ScenePool): PlainLog[] {
  const found: PlainLog[] = [];
  for (let number = 0; number <= height; number++) {
    const { transactions, receipts } = node.context.chain.expectBlock(number);
    let logIndex = -1;
    for (const [index, { logs }] of receipts.entries()) {
      for (const log of logs) {
        logIndex++;
        if (toHex(log.address) !== address) continue;
        const moved = amountsOf(toHex(log.topics.subarray(0, 32)), wordsOf(toHex(log.data)));
        const transaction = toHex(transactions[index]!.hash);
        if (moved !== undefined) found.push({ ...moved, block: number, transaction, logIndex });
      }
    }
  }
  return found;
}

function amountsOf(topic: string, words: readonly bigint[]): Pick<PlainLog, "type" | "amounts"> | undefined {
  const [a = 0n, b = 0n, c = 0n, d = 0n] = words;
  switch (topic) {
    case EVENT_TOPICS.swap2:
      return { type: "swap", amounts: [a - c, b - d] };
    case EVENT_TOPICS.swap3:
      return { type: "swap", amounts: [BigInt.asIntN(256, a), BigInt.asIntN(256, b)] };
    case EVENT_TOPICS.mint2:
      return { type: "mint", amounts: [a, b] };
    case EVENT_TOPICS.mint3:
      return { type: "mint", amounts: [c, d] };
    case EVENT_TOPICS.burn2:
      return { type: "burn", amounts: [-a, -b] };
    case EVENT_TOPICS.burn3:
      return { type: "burn", amounts: [-b, -c] };
    case EVENT_TOPICS.collect3:
      return { type: "collect", amounts: [-b, -c] };
    default:
      return undefined;
  }
}
