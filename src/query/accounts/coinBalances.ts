import type { Header } from "../../chain/block/header.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import { mustHave } from "../../store/rows/encoding.ts";
import { blockOf, firstPosition } from "../../store/rows/position.ts";
import type { ReadSession } from "../../store/session.ts";
import type { OrdinalList } from "../../store/tables/list.ts";
import type { QueryContext } from "../context.ts";
import type { PageInfo, PageRequest } from "../pages.ts";
import { readListPage } from "../pages.ts";
import { readTraceRange } from "../stageRanges.ts";

/** Transactions, internal transactions and mined blocks merged per address. */
const MAX_MERGED = 50_000;

const MAX_BALANCES = 200;

/** Balance after a block that may have changed it. */
export interface CoinBalance {
  readonly header: Header;
  readonly value: bigint;
  readonly delta: bigint;
}

export interface CoinBalancePage {
  readonly balances: readonly CoinBalance[];
  readonly info: PageInfo;
}

/** Balances after each block in which the address sent, received or mined, newest first. */
export async function listCoinBalances(
  context: QueryContext,
  address: Bytes,
  { pageSize, ...request }: PageRequest,
): Promise<CoinBalancePage> {
  const { info, headers, before } = await context.store.read(async (session) => {
    const [range, changing] = await Promise.all([readTraceRange(session), changingBlocks(session, address)]);
    const newest = range?.tip.number ?? -1;
    const blocks = changing.filter((number) => number <= newest);
    const asked = { ...request, pageSize: Math.min(pageSize, MAX_BALANCES) };
    const { info, positions } = await readListPage(listOf(blocks), range, asked);
    const numbers = positions.map(blockOf);
    const found = await session.blocks.headers(numbers);
    const headers = numbers.map((number) => mustHave(found.get(number), `block ${number}`).header);
    const oldest = numbers.at(-1);
    return { info, headers, before: oldest === undefined ? -1 : (blocks[blocks.indexOf(oldest) - 1] ?? oldest - 1) };
  });
  const heights = headers.map(({ number }) => number);
  const values = await readBalances(context, address, before < 0 ? heights : [...heights, before]);
  const balances = headers.map((header, at) => {
    const value = values[at] ?? 0n;
    return { header, value, delta: value - (values[at + 1] ?? 0n) };
  });
  return { balances, info };
}

/** In ascending order. */
async function changingBlocks({ addresses, traces }: ReadSession, address: Bytes): Promise<number[]> {
  const lists = await Promise.all([
    addresses.transactionsOf(address),
    traces.ofAddress(address),
    addresses.mined(address),
  ]);
  const counts = await Promise.all(lists.map((list) => list.count()));
  if (counts.reduce((sum, count) => sum + count, 0) > MAX_MERGED) {
    throw new ChainError("limit_exceeded", `the address is in over ${MAX_MERGED} transactions and blocks`);
  }
  const positions = await Promise.all(lists.map((list, at) => list.slice(0, counts[at] ?? 0)));
  return [...new Set(positions.flat().map(blockOf))].sort((a, b) => a - b);
}

function listOf(blocks: readonly number[]): OrdinalList {
  return {
    count: async () => blocks.length,
    slice: async (from, to) => blocks.slice(Math.max(from, 0), to).map(firstPosition),
  };
}

async function readBalances({ node }: QueryContext, address: Bytes, heights: readonly number[]): Promise<bigint[]> {
  if (heights.length === 0) return [];
  if (node === undefined) throw new ChainError("unsupported", "there is no node to ask for balances");
  return node.readThrough.balancesAt(address, heights);
}

export const DAYS = 10;

const SECONDS_OF_DAY = 86_400;

export interface DailyBalance {
  readonly day: number;
  readonly value: bigint;
}

/** Balances at the end of the last days, oldest first. */
export async function readDailyBalances(context: QueryContext, address: Bytes): Promise<DailyBalance[]> {
  const days = await context.store.read(async (session) => {
    const [first, tip] = await Promise.all([session.blocks.first(), session.blocks.tip()]);
    if (first === undefined || tip === undefined) return [];
    const today = Math.floor(tip.latest / SECONDS_OF_DAY);
    const ends = Array.from({ length: DAYS }, (_, at) => (today - DAYS + 2 + at) * SECONDS_OF_DAY - 1);
    const nexts = await session.blocks.firstAfterEach(ends, first.header.number, tip.number + 1);
    return ends.flatMap((end, at) => {
      const number = (nexts[at] ?? 0) - 1;
      return number < first.header.number ? [] : [{ day: end + 1 - SECONDS_OF_DAY, number }];
    });
  });
  const values = await readBalances(
    context,
    address,
    days.map(({ number }) => number),
  );
  return days.map(({ day }, at) => ({ day, value: values[at] ?? 0n }));
}
