import { authorityOf, faultOf } from "../../chain/block/authority.ts";
import type { Header } from "../../chain/block/header.ts";
import type { Authorization } from "../../chain/block/transaction.ts";
import type { AddressBytes, Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { Uint } from "../../chain/encoding/uint.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { ChainError } from "../../chain/error.ts";
import type { ListedTransaction } from "../../store/rows/transactionBody.ts";
import type { QueryContext } from "../context.ts";
import type { AuthorityState } from "../node/authorityStates.ts";
import type { WholeTransactionView } from "./transactionView.ts";

/** `invalid_code`: the authority has code other than a delegation. */
type AuthorizationStatus = "ok" | "invalid_chain_id" | "invalid_nonce" | "invalid_signature" | "invalid_code";

export interface AuthorizationOutcome {
  /** Undefined if the signature is invalid, null if not recovered. */
  readonly authority: AddressBytes | undefined | null;
  /** Undefined if the state of the authority is unknown. */
  readonly status: AuthorizationStatus | undefined;
}

/** Recovery is expensive, and a transaction may hold thousands of signatures. */
export const MAX_AUTHORITIES = 100;

/** Earlier transactions of the block scanned if the node does not trace. */
export const MAX_EARLIER = 1000;

/** In order. */
export async function readAuthorizations(
  context: QueryContext,
  { transaction, outcome }: WholeTransactionView,
): Promise<readonly AuthorizationOutcome[]> {
  const { authorizationList = [], chainId: chain } = transaction;
  const signed = recoverAuthorities(authorizationList);
  const signers = new Map(signed.flatMap(({ authority }) => (authority ? [[toHex(authority), authority]] : [])));
  const states = outcome && signers.size > 0 ? await findStates(context, transaction, outcome, signers) : undefined;
  return applyAuthorizations(signed, chain, states).outcomes;
}

interface SignedAuthorization {
  readonly entry: Authorization;
  readonly authority: AddressBytes | undefined | null;
}

const recoverAuthorities = (entries: readonly Authorization[]): SignedAuthorization[] =>
  entries.map((entry, at) => ({ entry, authority: at < MAX_AUTHORITIES ? authorityOf(entry) : null }));

type States = ReadonlyMap<Hex, AuthorityState>;

/** EIP-7702 in sequence: a valid one changes the nonce for the next. */
function applyAuthorizations(
  signed: readonly SignedAuthorization[],
  chain: Uint | undefined,
  before: States = NO_STATES,
): { outcomes: AuthorizationOutcome[]; after: States } {
  const states = new Map(before);
  const outcomes = signed.map(({ entry, authority }): AuthorizationOutcome => {
    const fault = faultOf(entry, chain, authority);
    const key = authority && toHex(authority);
    const state = key ? states.get(key) : undefined;
    if (fault !== undefined || !key || state === undefined) return { authority, status: fault };
    if (!state.canDelegate) return { authority, status: "invalid_code" };
    if (state.nonce !== uintToBigInt(entry.nonce)) return { authority, status: "invalid_nonce" };
    states.set(key, { ...state, delegates: true, nonce: state.nonce + 1n });
    return { authority, status: "ok" };
  });
  return { outcomes, after: states };
}

interface Sent {
  readonly hash: Bytes;
  readonly from: Bytes;
}

interface BlockPosition {
  readonly header: Header;
  readonly index: number;
}

/** The sender's nonce is already incremented. */
async function findStates(
  context: QueryContext,
  { hash, from }: Sent,
  place: BlockPosition,
  signers: ReadonlyMap<Hex, AddressBytes>,
): Promise<States | undefined> {
  const { node } = context;
  if (node === undefined) return undefined;
  const states = new Map<Hex, AuthorityState>();
  try {
    const traced = await node.authorityStates.before(hash, place.header.hash);
    for (const key of signers.keys()) {
      const state = traced.get(key);
      if (state !== undefined) states.set(key, state);
    }
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
  }
  const missing = new Map([...signers].filter(([key]) => !states.has(key)));
  for (const [key, state] of await replayStates(context, place, missing)) states.set(key, state);
  return countSent(states, from);
}

/**
 * State after the parent block plus nonces used earlier in this block. Delegated accounts may also have created
 * contracts, so they are unknown.
 */
async function replayStates(
  context: QueryContext,
  { header, index }: BlockPosition,
  signers: ReadonlyMap<Hex, AddressBytes>,
): Promise<States> {
  if (signers.size === 0 || index > MAX_EARLIER) return NO_STATES;
  const earlier = index === 0 ? [] : await readEarlier(context, header, index);
  const at = { number: header.number - 1, hash: header.parentHash };
  const found = earlier && (await context.node?.authorityStates.after([...signers.values()], at));
  if (earlier === undefined || found === undefined) return NO_STATES;
  let states: States = found;
  for (const { from, chainId, authorizationList } of earlier) {
    const sent = countSent(states, from);
    states = applyAuthorizations(recoverAuthorities(authorizationList ?? []), chainId, sent).after;
  }
  return earlier.length === 0 ? states : new Map([...states].filter(([, { delegates }]) => !delegates));
}

const NO_STATES: States = new Map();

function countSent(states: States, from: Bytes): States {
  const sender = states.get(toHex(from));
  return sender === undefined ? states : new Map(states).set(toHex(from), { ...sender, nonce: sender.nonce + 1n });
}

/** Undefined if the block is not indexed. */
function readEarlier(
  { store }: QueryContext,
  { number, hash }: Header,
  index: number,
): Promise<ListedTransaction[] | undefined> {
  return store.read(async ({ blocks, transactions }) => {
    const indexed = await blocks.tipAt(number);
    if (indexed === undefined || !equalBytes(indexed.hash, hash)) return undefined;
    const earlier = await transactions.at(await transactions.positionsInBlock(number, 0, index));
    const found: ListedTransaction[] = [];
    for (const mined of earlier) {
      const isCut = mined.transaction.authorizationList === null;
      found.push((isCut ? await transactions.full(mined) : mined).transaction);
    }
    return found;
  });
}
