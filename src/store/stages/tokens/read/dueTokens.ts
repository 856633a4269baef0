import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import type { Reader } from "../../../engine/database.ts";
import { AddressResolver } from "../../../read/addressResolver.ts";
import { BlockReads } from "../../../read/blocks.ts";
import type { AddressId } from "../../../rows/ids.ts";
import type { DepositLedger } from "../tables/depositLedger.ts";
import { depositCodec, stateOf } from "../tables/depositLedger.ts";
import type { TokenObservation } from "../tables/observation.ts";
import { readObservations } from "../tables/observation.ts";
import type { TokenState } from "../tables/tokenState.ts";
import { tokenState } from "../tables/tokenState.ts";
import { readTokenTip } from "../tables/tokenTip.ts";
import type { Holding } from "./holderSample.ts";
import { sampleDepositors, sampleHolders } from "./holderSample.ts";

/** A token to observe, and holders to compare. */
export interface DueToken {
  readonly token: AddressId;
  readonly address: Bytes;
  readonly state: TokenState;
  /** Without transfers: possibly a wrapped coin. */
  readonly isWrapper: boolean;
  readonly before: TokenObservation | undefined;
  readonly holdings: readonly Holding[];
}

/** Tokens to observe, and the block of their ledgers. */
export interface DueTokens {
  readonly at: { readonly number: number; readonly hash: Bytes };
  readonly tokens: readonly DueToken[];
}

const DUE = `SELECT d.token, t.value, w.value FROM token_due d LEFT JOIN token t ON t.id = d.token LEFT JOIN wrapper w ON w.id = d.token
  WHERE d.block <= ? ORDER BY d.block, d.token LIMIT ?`;

export async function readDueTokens(db: Reader, limit: number): Promise<DueTokens | undefined> {
  const tip = await readTokenTip(db);
  const block = tip && (await new BlockReads(db).tipAt(tip.number));
  if (block === undefined) return undefined;
  const [states, wrappers] = [new Map<number, TokenState>(), new Map<number, DepositLedger>()];
  for (const [id, state, wrapper] of await db.all<[number, Bytes | null, Bytes | null]>(DUE, block.number, limit)) {
    if (state !== null) states.set(id, tokenState.read(state));
    else if (wrapper !== null) wrappers.set(id, depositCodec.read(wrapper));
  }
  for (const [id, wrapper] of wrappers) states.set(id, stateOf(wrapper));
  const before = await readObservations(db, [...states.keys()]);
  const samples = await readSamples(db, states, wrappers, before);
  const resolver = new AddressResolver(db);
  const tokens = [...states].map(([token, state]) => ({
    token,
    address: resolver.address(token),
    state,
    isWrapper: wrappers.has(token),
    before: before.get(token),
    holdings: samples.get(token) ?? [],
  }));
  await resolver.load();
  return { at: { number: block.number, hash: block.hash }, tokens };
}

/** An index that started late has incomplete balances. */
async function readSamples(
  db: Reader,
  states: ReadonlyMap<number, TokenState>,
  wrappers: ReadonlyMap<number, DepositLedger>,
  before: ReadonlyMap<number, TokenObservation>,
): Promise<Map<number, Holding[]>> {
  const first = await new BlockReads(db).first();
  if (first?.header.number !== 0) return new Map();
  const compared = [...states].filter(([, state]) => hasBalances(state)).map(([token]) => token);
  const ofTokens = sampleHolders(db, new Map(compared.map((token) => [token, before.get(token)?.differing ?? []])));
  return new Map([...(await ofTokens), ...(await sampleDepositors(db, wrappers))]);
}

/** Whether balances are comparable: a mix of amounts and items is not. */
function hasBalances({ kinds }: TokenState): boolean {
  return kinds.length === 1 && kinds[0] !== "ERC-1155";
}
