import assert from "node:assert/strict";
import { getAddress } from "viem";
import type { Hex } from "../../../src/chain/encoding/hex.ts";
import { quantity } from "../../../src/chain/encoding/hex.ts";
import type { Json } from "../api.ts";
import type { PlainPool } from "../plainPools.ts";
import { principal } from "../plainSingletons.ts";
import { POOL_TOPICS } from "../simulatedPools.ts";
import type { ExchangeChain } from "./chain.ts";
import type { IndexedExchange } from "./indexed.ts";
import { wholeTokens } from "./plain.ts";

/** A pool whose events programs list. */
export interface ListedPool {
  /** Its address, or its id at the manager. */
  readonly id: Hex;
  readonly emitter: Hex;
  readonly kind: "pair" | "ticks" | "algebra" | "singleton";
  readonly decimals: readonly [number, number];
}

/** As it is answered. */
export interface AdapterEvent extends Readonly<Record<string, unknown>> {
  readonly block: { readonly blockNumber: number; readonly blockTimestamp: number };
  readonly eventType: string;
  readonly txnIndex: number;
  readonly eventIndex: number;
  readonly pairId: string;
  readonly reserves?: { readonly asset0: string; readonly asset1: string };
}

type Amounts = readonly [bigint, bigint];

interface Receipt {
  readonly from: Hex;
  readonly transactionHash: Hex;
  readonly logs: readonly { readonly address: Hex; readonly topics: readonly Hex[]; readonly data: Hex }[];
}

const NAMES = new Map(Object.entries(POOL_TOPICS).map(([name, topic]) => [topic as string, name]));
const signed = (word: bigint) => BigInt.asIntN(256, word);
const minus = ([amount0, amount1]: Amounts): Amounts => [-amount0, -amount1];

type Move = { readonly type?: string; readonly amounts?: Amounts; readonly synced?: Amounts };

/** What a log of a pool says that moved, positive into the pool. */
function moveOf(name: string, { kind }: ListedPool, words: readonly bigint[], state: State): Move | undefined {
  const [a = 0n, b = 0n, c = 0n, d = 0n, e = 0n] = words;
  if (kind === "pair") {
    if (name === "sync" || name === "syncSolidly") return { synced: [a, b] };
    if (name === "swapV2" || name === "swapSolidly") return { type: "swap", amounts: [a - c, b - d] };
    if (name === "mintV2") return { type: "join", amounts: [a, b] };
    return /^burn/.test(name) ? { type: "exit", amounts: [-a, -b] } : undefined;
  }
  if (kind === "singleton") {
    if (/^initialize(V4|Infinity)$/.test(name)) state.price = { sqrtPrice: d, tick: BigInt.asIntN(24, e) };
    if (name === "modifyLiquidity") {
      const ticks = [BigInt.asIntN(24, a), BigInt.asIntN(24, b)] as const;
      const by = signed(c);
      return { type: by > 0n ? "join" : "exit", amounts: principal(ticks, by, state.price as PlainPool) };
    }
    if (!/^swap(V4|Infinity)$/.test(name)) return undefined;
    state.price = { sqrtPrice: c, tick: BigInt.asIntN(24, e) };
    return { type: "swap", amounts: minus([BigInt.asIntN(128, a), BigInt.asIntN(128, b)]) };
  }
  if (/^swap(V3|Pancake|Algebra)$/.test(name)) return { type: "swap", amounts: [signed(a), signed(b)] };
  if (name === "mintV3") return { type: "join", amounts: [c, d] };
  if (name === "collect") return { type: "exit", amounts: [-b, -c] };
  if (name === "collectProtocol") return { amounts: [-a, -b] };
  return name === "flash" ? { amounts: [c, d] } : undefined;
}

interface State {
  held: Amounts;
  price: Pick<PlainPool, "sqrtPrice" | "tick">;
}

/** All events of pools by the receipts that the node gives, as the published descriptions have them. */
async function plainAdapterEvents(chain: ExchangeChain, pools: readonly ListedPool[]): Promise<AdapterEvent[]> {
  const states = new Map(pools.map(({ id }) => [id, { held: [0n, 0n], price: { sqrtPrice: 0n, tick: 0n } } as State]));
  const events: AdapterEvent[] = [];
  for (let number = 0; number <= chain.height; number++) {
    const { timestamp, hash } = await chain.development.ask<Record<string, Hex>>(
      "eth_getBlockByNumber",
      quantity(number),
      false,
    );
    const receipts = await chain.development.ask<Receipt[]>("eth_getBlockReceipts", hash);
    let logIndex = -1;
    for (const [txnIndex, { from, logs, transactionHash }] of receipts.entries()) {
      for (const { address, topics, data } of logs) {
        logIndex++;
        const pool = pools.find(({ id, emitter }) => emitter === address && (id === emitter || id === topics[1]));
        const name = NAMES.get(topics[0] ?? "");
        if (pool === undefined || name === undefined) continue;
        const state = states.get(pool.id)!;
        const words = (data.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`));
        const move = moveOf(name, pool, words, state);
        if (move === undefined) continue;
        const [by0, by1] = move.amounts ?? [0n, 0n];
        if (pool.kind !== "pair") state.held = [state.held[0] + by0, state.held[1] + by1];
        state.held = move.synced ?? state.held;
        const fields = fieldsOf(move, pool);
        if (fields === undefined) continue;
        events.push({
          block: { blockNumber: number, blockTimestamp: Number(timestamp) },
          eventType: move.type!,
          txnId: transactionHash,
          txnIndex,
          eventIndex: logIndex,
          maker: getAddress(from),
          pairId: pool.id === pool.emitter ? getAddress(pool.id) : pool.id,
          ...fields,
          ...(["pair", "ticks"].includes(pool.kind) && {
            reserves: { asset0: whole(state.held[0], pool, 0), asset1: whole(state.held[1], pool, 1) },
          }),
        });
      }
    }
  }
  return events;
}

const whole = (amount: bigint, { decimals }: ListedPool, side: 0 | 1) =>
  wholeTokens(amount < 0n ? -amount : amount, decimals[side]);

function fieldsOf({ type, amounts: [by0, by1] = [0n, 0n] }: Move, pool: ListedPool): Json | undefined {
  const [amount0, amount1] = [whole(by0, pool, 0), whole(by1, pool, 1)];
  if (type === "join" || type === "exit") return by0 === 0n && by1 === 0n ? undefined : { amount0, amount1 };
  if (type === undefined || by0 === 0n || by1 === 0n || by0 > 0n === by1 > 0n) return undefined;
  const sides = by0 > 0n ? { asset0In: amount0, asset1Out: amount1 } : { asset1In: amount1, asset0Out: amount0 };
  return { ...sides, priceNative: quotient(by1 < 0n ? -by1 : by1, by0 < 0n ? -by0 : by0, pool.decimals) };
}

/** To 50 places, half to even. */
function quotient(paid: bigint, bought: bigint, [decimals0, decimals1]: ListedPool["decimals"]): string {
  const [top, bottom] = [paid * 10n ** BigInt(decimals0 + 50), bought * 10n ** BigInt(decimals1)];
  const twice = 2n * (top % bottom);
  const low = top / bottom;
  return wholeTokens(twice > bottom || (twice === bottom && low % 2n === 1n) ? low + 1n : low, 50);
}

/** Compares what both adapters list with the receipts, whole and in parts, and with the published descriptions. */
export async function expectAdapterEvents(
  indexed: Pick<IndexedExchange, "get">,
  chain: ExchangeChain,
  pools: readonly ListedPool[],
  label: string,
): Promise<AdapterEvent[]> {
  const expected = await plainAdapterEvents(chain, pools);
  const read = async (format: string, from: number, to: number) => {
    const { status, body } = await indexed.get(`/${format}/events?fromBlock=${from}&toBlock=${to}`);
    assert.equal(status, 200, `${label}: ${JSON.stringify(body)}`);
    return body.events as AdapterEvent[];
  };
  const found = await read("dexscreener", 0, chain.height);
  assert.deepEqual(found, expected, label);
  const parts: AdapterEvent[] = [];
  for (let from = 0, size = 1; from <= chain.height; from += size, size = (size * 3) % 7) {
    parts.push(...(await read("dexscreener", from, Math.min(from + size - 1, chain.height))));
  }
  assert.deepEqual(parts, expected, `${label}, in parts`);
  const withReserves = await read("geckoterminal", 0, chain.height);
  assert.deepEqual(
    withReserves,
    expected.filter(({ reserves }) => reserves !== undefined),
    label,
  );
  for (const event of found) expectPublishedForm(event, label);
  for (const { reserves } of withReserves) assert.ok(reserves, label);
  const keys = found.map(({ block, txnIndex, eventIndex }) => [block.blockNumber, txnIndex, eventIndex].join());
  assert.equal(new Set(keys).size, keys.length, `${label}: each event has a place of its own`);
  return found;
}

const PLACE = ["block", "eventIndex", "eventType", "maker", "pairId", "txnId", "txnIndex"];
const DECIMAL = /^(?!0(\.0*)?$)\d+(\.\d{1,50})?$/;

/** What the published descriptions require of an event, and what they allow. */
function expectPublishedForm({ reserves, ...event }: AdapterEvent, label: string): void {
  const { block, eventType, txnId, txnIndex, eventIndex, maker, pairId } = event;
  assert.deepEqual([typeof block.blockNumber, typeof block.blockTimestamp], ["number", "number"], label);
  assert.deepEqual([typeof txnIndex, typeof eventIndex], ["number", "number"], label);
  assert.deepEqual([typeof txnId, typeof maker, typeof pairId], ["string", "string", "string"], label);
  const own = Object.keys(event).filter((name) => !PLACE.includes(name));
  if (eventType === "swap") {
    const forms = ["asset0In,asset1Out,priceNative", "asset0Out,asset1In,priceNative"];
    assert.ok(forms.includes(own.sort().join()), `${label}: ${own}`);
    for (const name of own) assert.match(String(event[name]), DECIMAL, `${label}: ${name}`);
  } else {
    assert.ok(eventType === "join" || eventType === "exit", label);
    assert.deepEqual(own.sort(), ["amount0", "amount1"], label);
  }
  if (reserves !== undefined) assert.deepEqual(Object.keys(reserves), ["asset0", "asset1"], label);
}
