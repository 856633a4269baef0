import type { Log, Receipt } from "../../chain/block/receipt.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { OmittedTransfers } from "../../chain/token/tokenTransfer.ts";

/** Transfers per block processed by the tokens stage. */
export const MAX_TRANSFERS = 2 ** 17;

interface Omission extends OmittedTransfers {
  isOmitted(log: Log): boolean;
}

interface Counted {
  readonly token: Bytes;
  transfers: number;
  logs: number;
}

/**
 * Selects transfers to drop from a block that has too many: by token, those with most transfers per log first. Floods
 * are only cheap in batches, so ordinary tokens with one transfer per log are dropped last; ties drop the busiest.
 * `count` returns the transfers of a log.
 */
export function omissionOf(
  receipts: readonly Pick<Receipt, "logs">[],
  count: (log: Log) => number,
  max = MAX_TRANSFERS,
): Omission | undefined {
  if (maxTransfers(receipts) <= max) return undefined;
  const tokens = countByToken(receipts, count);
  let left = tokens.reduce((sum, { transfers }) => sum + transfers, 0);
  const omitted: Counted[] = [];
  for (const token of tokens.toSorted(byDensity)) {
    if (left <= max) break;
    omitted.push(token);
    left -= token.transfers;
  }
  if (omitted.length === 0) return undefined;
  const keys = new Set(omitted.map(({ token }) => toHex(token)));
  return {
    tokens: omitted.length,
    transfers: omitted.reduce((sum, { transfers }) => sum + transfers, 0),
    busiest: omitted.reduce((max, token) => (token.transfers > max.transfers ? token : max)).token,
    isOmitted: ({ address }) => keys.has(toHex(address)),
  };
}

function byDensity(a: Counted, b: Counted): number {
  return b.transfers / b.logs - a.transfers / a.logs || b.transfers - a.transfers;
}

/** Upper bound: a batch that uses ids as amounts has one word per transfer. */
function maxTransfers(receipts: readonly Pick<Receipt, "logs">[]): number {
  let max = 0;
  for (const { logs } of receipts) for (const { data } of logs) max += 1 + (data.length >>> 5);
  return max;
}

/** In order of first appearance. */
function countByToken(receipts: readonly Pick<Receipt, "logs">[], count: (log: Log) => number): Counted[] {
  const tokens = new Map<string, Counted>();
  for (const { logs } of receipts) {
    for (const log of logs) {
      const transfers = count(log);
      if (transfers === 0) continue;
      const key = toHex(log.address);
      const known = tokens.get(key);
      if (known === undefined) tokens.set(key, { token: log.address, transfers, logs: 1 });
      else {
        known.transfers += transfers;
        known.logs++;
      }
    }
  }
  return [...tokens.values()];
}
