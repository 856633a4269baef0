import type { Bytes, Hash } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import type { ReadSession } from "../../store/session.ts";
import { countKnownAddresses, readKnownAddresses, readTouched } from "../../store/stages/native/knownAddresses.ts";
import type { AddressCounts } from "../../store/stages/native/nativeTargets.ts";
import { readTargets, sumCounts } from "../../store/stages/native/nativeTargets.ts";
import type { NativeTip } from "../../store/stages/native/nativeTip.ts";
import { readPolledAccounts } from "../../store/stages/native/polledAccounts.ts";

/** Accounts to query after a block. */
export interface AskedBlock {
  readonly number: number;
  readonly hash: Hash;
  readonly addresses: readonly Bytes[];
}

/** Next action: initialize, advance by some blocks, backfill addresses from before the start, or refresh. */
export type BalancePlan =
  | { readonly kind: "begin"; readonly number: number; readonly targets: AddressCounts }
  | { readonly kind: "blocks"; readonly blocks: readonly AskedBlock[] }
  | { readonly kind: "fill"; readonly block: AskedBlock; readonly backfilled: number }
  | { readonly kind: "again"; readonly block: AskedBlock; readonly backfilled: number; readonly next: number };

/** Limits per commit. */
export const BALANCE_BATCH = { blocks: 16, accounts: 2000 };

export const ASKED_AGAIN = 100;

/** Undefined if the stage has caught up with traces, or traces are not at the tip yet. */
export async function readBalancePlan(
  session: ReadSession,
  again: number | undefined,
): Promise<BalancePlan | undefined> {
  const [tip, traces, native] = [await session.blocks.tip(), await session.traces.tip(), await session.native.tip()];
  if (tip === undefined || traces === undefined) return undefined;
  if (native === undefined) {
    return traces.number === tip.number
      ? { kind: "begin", number: tip.number, targets: await countKnownAddresses(session) }
      : undefined;
  }
  if (native.number < traces.number) return planBlocks(session, native.number + 1, traces.number);
  const targets = await readTargets(session);
  if (native.backfilled < sumCounts(targets)) return planFill(session, native, targets);
  return again === undefined || native.number !== tip.number ? undefined : planAgain(session, native, again);
}

async function planBlocks(session: ReadSession, from: number, to: number): Promise<BalancePlan> {
  const polled = await readPolledAccounts(session);
  const blocks: AskedBlock[] = [];
  let accounts = 0;
  for (const { number, header } of await session.blocks.range(from, Math.min(BALANCE_BATCH.blocks, to - from + 1))) {
    const addresses = withPolled(await readTouched(session, number), polled);
    accounts += addresses.length;
    if (blocks.length > 0 && accounts > BALANCE_BATCH.accounts) break;
    blocks.push({ number, hash: header.hash, addresses });
  }
  return { kind: "blocks", blocks };
}

function withPolled(touched: readonly Bytes[], polled: readonly Hex[]): Bytes[] {
  const named = new Set(touched.map(toHex));
  return [...touched, ...polled.filter((address) => !named.has(address)).map(fromHex)];
}

async function planFill(
  session: ReadSession,
  { number, backfilled }: NativeTip,
  targets: AddressCounts,
): Promise<BalancePlan> {
  const addresses = await readKnownAddresses(session, targets, backfilled, BALANCE_BATCH.accounts);
  const upTo = Math.min(backfilled + BALANCE_BATCH.accounts, sumCounts(targets));
  return { kind: "fill", block: await askedAt(session, number, addresses), backfilled: upTo };
}

async function planAgain(session: ReadSession, { number, backfilled }: NativeTip, from: number): Promise<BalancePlan> {
  const addresses = await readKnownAddresses(session, await countKnownAddresses(session), from, ASKED_AGAIN);
  const next = addresses.length < ASKED_AGAIN ? 0 : from + ASKED_AGAIN;
  return { kind: "again", block: await askedAt(session, number, addresses), backfilled, next };
}

async function askedAt({ blocks }: ReadSession, number: number, addresses: readonly Bytes[]): Promise<AskedBlock> {
  const { hash } = (await blocks.tipAt(number))!;
  return { number, hash, addresses };
}
