import type { SubgraphEvent } from "../../query/subgraph/subgraphEvents.ts";
import type { SubgraphPool, SubgraphToken } from "../../query/subgraph/subgraphMarket.ts";
import type { Prepare } from "./lists.ts";

/** Fields that are in memory. */
const KNOWN = ["id", "pair", "pool", "token0", "token1", "timestamp"];

export const preparePools: Prepare<SubgraphPool> = async ({ tokens, times, supplies, state }, pools, selected) => {
  const reads: Promise<void>[] = [];
  if ([...selected].some((name) => !KNOWN.includes(name))) {
    reads.push(tokens.loadAll(pools.flatMap(({ pool }) => [pool.token0, pool.token1])));
  }
  if (selected.has("createdAtTimestamp")) reads.push(times.loadAll(pools.map(({ pool }) => pool.since)));
  if (state.kind === "v2" && selected.has("totalSupply")) reads.push(supplies.loadAll(pools));
  await Promise.all(reads);
};

export const prepareTokens: Prepare<SubgraphToken> = async ({ tokens }, found) =>
  tokens.loadAll(found.map(({ token }) => token));

/** Fields that the other logs of a transaction tell. */
const OF_TRANSACTIONS = ["swaps", "mints", "burns", "collects", "gasUsed", "gasPrice"];
const OF_V2 = ["id", "liquidity", "to"];

export const prepareEvents: Prepare<SubgraphEvent> = async (context, events, selected) => {
  const { state, transactions } = context;
  const needed = state.kind === "v2" ? [...OF_TRANSACTIONS, ...OF_V2] : OF_TRANSACTIONS;
  const isNeeded = needed.some((name) => selected.has(name));
  await Promise.all([
    preparePools(context, [...new Set(events.map(({ pool }) => pool))], selected),
    isNeeded && transactions.loadAll(events.map(({ position }) => position)),
  ]);
};
