import type { Store } from "../../src/store/store.ts";
import type { SearchableList } from "../../src/store/tables/list.ts";
import { AddressSpace } from "./addressSpace.ts";
import { percentile } from "./measure.ts";
import { tokensOf } from "./syntheticBlocks.ts";

/** Median microseconds of a page. */
export interface OwnerPages {
  /** Transactions of the huge owner. */
  readonly entries: number;
  readonly small: number;
  readonly first: number;
  readonly middle: number;
  readonly last: number;
}

const PAGE = 50;
const REPEATS = 200;
const SMALL = { least: 2 * PAGE, most: 20 * PAGE };

/** Pages of the busiest address of a store fed with synthetic blocks, and of addresses with few transactions. */
export async function measureOwnerPages(store: Store, seed: number): Promise<OwnerPages> {
  const [huge] = tokensOf(seed);
  const entries = await store.read(async (session) => (await session.addresses.transactionsOf(huge!)).count());
  const time = async (address: Uint8Array, from: (count: number) => number) => {
    const start = performance.now();
    await store.read(async (session) => {
      const list: SearchableList = await session.addresses.transactionsOf(address);
      const first = from(await list.count());
      await session.transactions.at(await list.slice(first, first + PAGE));
    });
    return (performance.now() - start) * 1000;
  };
  const median = async (addresses: readonly Uint8Array[], from: (count: number, at: number) => number) => {
    const times: number[] = [];
    for (let at = 0; at < REPEATS; at++) {
      times.push(await time(addresses[at % addresses.length]!, (count) => from(count, at)));
    }
    return percentile(times, 0.5);
  };
  const small = await smallOwners(store, seed);
  const newest = (count: number) => count - PAGE;
  await median(small, newest);
  const turns = Math.max(1, Math.floor(entries / PAGE / 3));
  return {
    entries,
    small: await median(small, newest),
    first: await median([huge!], (count, at) => count - PAGE * (1 + (at % turns))),
    middle: await median([huge!], (count, at) => Math.floor(count / 3) + PAGE * (at % turns)),
    last: await median([huge!], (_, at) => PAGE * (at % turns)),
  };
}

async function smallOwners(store: Store, seed: number): Promise<Uint8Array[]> {
  const addresses = new AddressSpace(seed, 0);
  const found: Uint8Array[] = [];
  for (let rank = 1; found.length < REPEATS && rank < 1e6; rank += 1 + Math.floor(rank / 50)) {
    const address = addresses.at(rank);
    const { transactions } = await store.latest.addresses.countsOf(address);
    if (transactions >= SMALL.least && transactions <= SMALL.most) found.push(address);
  }
  if (found.length === 0) throw new Error("no owner has few transactions");
  return found;
}
