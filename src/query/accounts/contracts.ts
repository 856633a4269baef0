import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import type { QueryContext, Sources } from "../context.ts";
import type { IndexedRange } from "../indexedRange.ts";
import { readIndexedRange } from "../indexedRange.ts";

/** `empty`: without code, never deployed or destroyed. */
export type ContractFilter = "unverified" | "empty";

export const MAX_FILTERED = 100_000;

/** Contracts whose code is fetched to find empty ones. */
export const MAX_CODES_SEARCHED = 1000;

const BATCH_SIZE = 100;
const FILTER_BATCH_SIZE = 1000;

interface Window {
  readonly skip: number;
  readonly limit: number;
}

/** Contracts deployed by transactions, oldest first. */
export async function listContracts(
  context: QueryContext,
  filter: ContractFilter | undefined,
  window: Window,
  maxSearched = MAX_CODES_SEARCHED,
): Promise<readonly Bytes[]> {
  if (filter === "empty") return searchEmpty(context, window, maxSearched);
  const verified = context.sources?.verifiedContracts;
  if (filter === "unverified" && verified !== undefined && verified.size > 0) {
    return searchUnverified(context, verified, window);
  }
  return (await readDeployed(context, window)).contracts;
}

interface Deployed {
  readonly contracts: readonly Bytes[];
  readonly range: IndexedRange | undefined;
}

function readDeployed({ store }: QueryContext, { skip, limit }: Window): Promise<Deployed> {
  return store.read(async (session) => {
    const range = await readIndexedRange(session);
    if (range === undefined) return { range, contracts: [] };
    return { range, contracts: await session.contracts.deployed(range.first, range.tip, skip, skip + limit) };
  });
}

async function searchUnverified(
  context: QueryContext,
  verified: Sources["verifiedContracts"],
  { skip, limit }: Window,
): Promise<readonly Bytes[]> {
  const found: Bytes[] = [];
  let passed = 0;
  for (let at = 0; found.length < limit; at += FILTER_BATCH_SIZE) {
    const { contracts } = await readDeployed(context, { skip: at, limit: FILTER_BATCH_SIZE });
    if (contracts.length === 0) break;
    if (at >= MAX_FILTERED) throw tooMany(MAX_FILTERED);
    const unverified = contracts.filter((address) => !verified.has(address));
    found.push(...unverified.slice(Math.max(skip - passed, 0)));
    passed += unverified.length;
  }
  return found.slice(0, limit);
}

const tooMany = (max: number) => new ChainError("limit_exceeded", `over ${max} contracts would have to be searched`);

async function searchEmpty(context: QueryContext, { skip, limit }: Window, max: number): Promise<readonly Bytes[]> {
  const found: Bytes[] = [];
  for (let at = 0; found.length < skip + limit; at += BATCH_SIZE) {
    const { contracts, range } = await readDeployed(context, { skip: at, limit: BATCH_SIZE });
    if (range === undefined || contracts.length === 0) break;
    if (at >= max) throw tooMany(max);
    found.push(...(await withoutCode(context, contracts, range)));
  }
  return found.slice(skip, skip + limit);
}

async function withoutCode(
  { node }: QueryContext,
  contracts: readonly Bytes[],
  { tip }: IndexedRange,
): Promise<Bytes[]> {
  const codes = await node?.state.codes(contracts, tip);
  return contracts.filter((address) => {
    const code = codes?.get(toHex(address));
    if (code === undefined) throw new ChainError("upstream_unavailable", "the node does not say the code of contracts");
    return code.length === 0;
  });
}
