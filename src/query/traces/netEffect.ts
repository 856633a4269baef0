import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes, isZero } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { ChainError } from "../../chain/error.ts";
import { withTimeout } from "../../std/async.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import type { Asset } from "../actions/action.ts";
import type { QueryContext } from "../context.ts";
import type { BalanceChange } from "../node/transactionTraces.ts";
import type { TransferView } from "../tokens/transfers.ts";
import type { TransactionDetails } from "../transactions/transaction.ts";

/** Balance changes of an account by a transaction and its fee; negative if it lost. */
export interface HolderEffect {
  readonly address: Bytes;
  readonly isSender: boolean;
  readonly isMiner: boolean;
  readonly changes: readonly Asset[];
}

/** Milliseconds to wait for the balances before and after. */
const TIMEOUT = 1500;

/** Who gained and lost what; undefined if the node does not tell in time, or transfers are too many to add up. */
export async function readNetEffect(
  { node }: QueryContext,
  { transaction, outcome, transfers }: TransactionDetails,
): Promise<readonly HolderEffect[] | undefined> {
  if (node === undefined || outcome === undefined || transfers === undefined) return undefined;
  if (transfers.count > transfers.transfers.length) return undefined;
  const { hash, miner } = outcome.header;
  const balances = await readBalances(node.transactionTraces.changes(transaction.hash, hash));
  if (balances === undefined) return undefined;
  return addUp(balances, transfers.transfers, { sender: transaction.from, miner });
}

async function readBalances(
  asked: Promise<{ readonly balances: readonly BalanceChange[] }>,
): Promise<readonly BalanceChange[] | undefined> {
  try {
    return (await withTimeout(asked, TIMEOUT, () => undefined))?.balances;
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    return undefined;
  }
}

interface Parties {
  readonly sender: Bytes;
  readonly miner: Bytes;
}

/** The sender first, the miner last, others in the order in which they take part. */
export function addUp(
  balances: readonly BalanceChange[],
  transfers: readonly TransferView[],
  { sender, miner }: Parties,
): readonly HolderEffect[] {
  const holders = new Map<Hex, { readonly address: Bytes; readonly assets: Map<string, Asset> }>();
  const add = (address: Bytes, asset: Asset) => {
    // Tokens come from there and end there; coins can be held by it.
    if (asset.token !== null && isZero(address)) return;
    const holder = holders.get(toHex(address)) ?? { address, assets: new Map() };
    const key = `${asset.token ? toHex(asset.token.address) : ""} ${asset.ids?.join() ?? ""}`;
    const amount = (holder.assets.get(key)?.amount ?? 0n) + asset.amount;
    holder.assets.set(key, { ...asset, amount });
    holders.set(toHex(address), holder);
  };
  add(sender, { token: null, amount: 0n });
  for (const { transfer, token } of transfers) {
    const { from, to } = transfer;
    const moved = assetOf(transfer, token);
    add(from, { ...moved, amount: -moved.amount });
    add(to, moved);
  }
  for (const { address, before, after } of balances) add(address, { token: null, amount: after - before });
  const effects = [...holders.values()].flatMap(({ address, assets }): HolderEffect[] => {
    const changes = [...assets.values()].filter(({ amount }) => amount !== 0n);
    const isMiner = equalBytes(address, miner);
    return changes.length === 0 ? [] : [{ address, isSender: equalBytes(address, sender), isMiner, changes }];
  });
  const rank = ({ isSender, isMiner }: HolderEffect) => (isSender ? 0 : isMiner ? 2 : 1);
  return effects.sort((one, other) => rank(one) - rank(other));
}

function assetOf({ kind, amount, tokenId }: TransferView["transfer"], token: KnownToken): Asset {
  const ids = tokenId && { ids: [uintToBigInt(tokenId)] };
  return { token, amount: kind === "ERC-721" ? 1n : uintToBigInt(amount), ...ids };
}
