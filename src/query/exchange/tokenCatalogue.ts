import type { Bytes } from "../../chain/encoding/bytes.ts";
import { sortInTurns, Turn } from "../../std/async.ts";
import { blockOf } from "../../store/rows/position.ts";
import type { ReadSession } from "../../store/session.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import type { ExchangeView } from "./exchangeView.ts";
import type { ListedToken } from "./listedPools.ts";
import type { ExchangeFilter } from "./valuedPools.ts";

export interface ExchangeToken {
  readonly id: number;
  readonly address: Bytes;
  readonly symbol: string | null;
  readonly name: string | null;
  readonly decimals: number;
  /** Block time of its first pool, else of its deployment. */
  readonly firstSeen: number | undefined;
  /** Block time of the last change to its pools, else of its last observation. */
  readonly lastUpdated: number | undefined;
}

/** ERC-20 tokens of a state, newest first. Identity of lists and items is stable while unchanged. */
export interface TokenCatalogue extends Readonly<Record<ExchangeFilter, readonly ExchangeToken[]>> {
  readonly lineage: object;
  readonly block: number;
  readonly entries: ReadonlyMap<number, CatalogueEntry>;
}

interface CatalogueEntry extends PoolUse {
  /** Undefined for a contract without metadata. */
  readonly token: ExchangeToken | undefined;
}

/** -1 if no pool has the token. */
interface PoolUse {
  readonly since: number;
  readonly updated: number;
  /** Whether a pool of a configured or known exchange has it. */
  readonly isKnown: boolean;
  readonly listed: ListedToken | undefined;
}

const UNUSED: PoolUse = { since: -1, updated: -1, isKnown: false, listed: undefined };

const ID_BATCH_SIZE = 2000;
const BATCH_SIZE = 200;

/** Reads only new, observed and traded tokens. */
export async function moveCatalogue(
  session: ReadSession,
  view: ExchangeView,
  last: TokenCatalogue | undefined,
): Promise<TokenCatalogue> {
  const block = view.now.block;
  const before = last?.lineage === view.lineage ? last : undefined;
  const asked = new Set(before === undefined ? [] : await session.tokens.observed(before.block, block));
  const uses = await usesOf(view);
  const ids = await readIds(session, view, uses);
  const entries = new Map<number, CatalogueEntry>();
  const missing: number[] = [];
  const turn = new Turn();
  for (const id of ids) {
    const [known, use] = [before?.entries.get(id), uses.get(id) ?? UNUSED];
    if (known !== undefined && !asked.has(id) && isSameUse(known, use)) entries.set(id, known);
    else missing.push(id);
    await turn.yieldToEventLoop();
  }
  for (let at = 0; at < missing.length; at += BATCH_SIZE) {
    for (const [id, entry] of await readEntries(session, missing.slice(at, at + BATCH_SIZE), uses))
      entries.set(id, entry);
    await turn.yieldToEventLoop();
  }
  return { lineage: view.lineage, block, entries, ...(await listsOf(ids, entries)) };
}

function isSameUse(one: PoolUse, other: PoolUse): boolean {
  return one.since === other.since && one.updated === other.updated && one.isKnown === other.isKnown;
}

async function usesOf({ listing, now, balances }: ExchangeView): Promise<Map<number, PoolUse>> {
  const uses = new Map<number, PoolUse>();
  const turn = new Turn();
  for (const { id, token0, token1, since, isNamed } of listing.pools) {
    const updated = now.states.get(id)?.block ?? since;
    for (const listed of [token0, token1]) {
      const token = balances.ids.get(listed.hex);
      if (token === undefined) continue;
      const use = uses.get(token) ?? { since: listed.since, updated: -1, isKnown: false, listed };
      uses.set(token, { ...use, updated: Math.max(use.updated, updated), isKnown: use.isKnown || isNamed });
    }
    await turn.yieldToEventLoop();
  }
  return uses;
}

/** Newest first: tokens with transfers, wrapped coins and pool tokens, without pool shares. */
async function readIds(
  session: ReadSession,
  { listing, balances }: ExchangeView,
  uses: ReadonlyMap<number, PoolUse>,
): Promise<number[]> {
  const ids = new Set<number>();
  const turn = new Turn();
  for (let last = -1; ; ) {
    const some = await session.tokens.some(last, ID_BATCH_SIZE);
    for (const { id, kind } of some) if (kind === "ERC-20") ids.add(id);
    if (some.length < ID_BATCH_SIZE) break;
    last = some.at(-1)!.id;
    await turn.yieldToEventLoop();
  }
  for (const id of await session.tokens.coins()) ids.add(id);
  for (const [id, { listed }] of uses) if (listed?.reported !== undefined) ids.add(id);
  for (const { hex } of listing.pools) ids.delete(balances.ids.get(hex) ?? -1);
  return sortInTurns([...ids], (one, other) => other - one);
}

async function readEntries(
  session: ReadSession,
  ids: readonly number[],
  uses: ReadonlyMap<number, PoolUse>,
): Promise<[number, CatalogueEntry][]> {
  const known = await session.tokens.byId(ids);
  const created = await session.addresses.creations(ids.filter((id) => !uses.has(id)));
  const blocksOf = (id: number) => {
    const { since, updated } = uses.get(id) ?? UNUSED;
    const position = created.get(id);
    const first = since >= 0 ? since : position === undefined ? undefined : blockOf(position);
    return { first, last: updated >= 0 ? updated : known.get(id)?.seen?.block };
  };
  const blocks = ids.flatMap((id) => Object.values(blocksOf(id)).flatMap((block) => block ?? []));
  const headers = await session.blocks.headers(new Set(blocks));
  const timeOf = (block: number | undefined) =>
    block === undefined ? undefined : headers.get(block)?.header.timestamp;
  return ids.map((id) => {
    const use = uses.get(id) ?? UNUSED;
    const { first, last } = blocksOf(id);
    const entry = catalogueToken(id, known.get(id), use.listed);
    return [id, { ...use, token: entry && { ...entry, firstSeen: timeOf(first), lastUpdated: timeOf(last) } }];
  });
}

/** Undefined if it was observed and has no metadata. */
function catalogueToken(id: number, token: KnownToken | undefined, listed: ListedToken | undefined) {
  const { seen } = token ?? {};
  const address = token?.address ?? listed?.address;
  if (address === undefined || isSilent(token)) return undefined;
  const { reported } = listed ?? {};
  return {
    id,
    address,
    symbol: seen?.symbol.text ?? reported?.symbol ?? null,
    name: seen?.name.text ?? reported?.name ?? null,
    decimals: seen?.decimals ?? reported?.decimals ?? 0,
  };
}

function isSilent(token: KnownToken | undefined): boolean {
  const { seen } = token ?? {};
  if (seen === undefined || seen.failures > 0) return false;
  return [seen.name.text, seen.symbol.text, seen.decimals, seen.totalSupply].every((value) => value === null);
}

async function listsOf(
  ids: readonly number[],
  entries: ReadonlyMap<number, CatalogueEntry>,
): Promise<Pick<TokenCatalogue, ExchangeFilter>> {
  const lists = { all: [] as ExchangeToken[], known: [] as ExchangeToken[] };
  const turn = new Turn();
  for (const id of ids) {
    const { token, isKnown } = entries.get(id)!;
    if (token === undefined) continue;
    lists.all.push(token);
    if (isKnown) lists.known.push(token);
    await turn.yieldToEventLoop();
  }
  return lists;
}
