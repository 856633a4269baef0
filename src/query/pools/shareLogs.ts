import type { AddressBytes, Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes, isZero } from "../../chain/encoding/bytes.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { addressAt, readAmounts } from "../../chain/exchange/exchangeFields.ts";
import { exchangeEventOf } from "../../chain/exchange/exchangeLog.ts";
import { readErc20 } from "../../chain/token/events/erc20.ts";
import type { MinedLog } from "../../store/read/logs.ts";
import type { Amounts } from "../../store/stages/exchange/position.ts";

/** Of logs of a pool whose shares are its own token, in chain order: what those shares were minted for, or burnt. */
export interface ShareLogs {
  /** By the index of the Transfer that brought the shares. */
  readonly minted: ReadonlyMap<string, Amounts>;
  /** By the index of the Transfer that took them to the pool: their part of what was burnt. */
  readonly burnt: ReadonlyMap<string, Amounts>;
}

export const logKey = (block: number, logIndex: number): string => `${block} ${logIndex}`;

/** Shares that came to the pool in a transaction and wait to be burnt there. */
interface Waiting {
  readonly key: string;
  readonly amount: bigint;
}

export function readShareLogs(pool: AddressBytes, logs: readonly MinedLog[]): ShareLogs {
  const minted = new Map<string, Amounts>();
  const burnt = new Map<string, Amounts>();
  let transaction: Bytes | undefined;
  let [mint, waiting, gone]: [string | undefined, Waiting[], bigint] = [undefined, [], 0n];
  const forget = () => {
    [mint, waiting, gone] = [undefined, [], 0n];
  };
  for (const { data, ...mined } of logs) {
    if (data === null) continue;
    if (transaction === undefined || !equalBytes(transaction, mined.transactionHash)) forget();
    transaction = mined.transactionHash;
    const { header, logIndex } = mined;
    const event = exchangeEventOf({ ...mined, data });
    if (event === "mintV2") {
      if (mint !== undefined) minted.set(mint, readAmounts({ ...mined, data }));
      mint = undefined;
    } else if (event === "burnV2" || event === "burnSolidly") {
      const amounts = readAmounts({ ...mined, data });
      const part = (amount: bigint) => amounts.map((all) => (all * amount) / gone) as [bigint, bigint];
      if (gone > 0n) for (const { key, amount } of waiting) burnt.set(key, part(amount));
      forget();
    } else {
      const transfer = readErc20({ ...mined, data });
      if (transfer === undefined) continue;
      const { from, to } = transfer;
      const [key, amount] = [logKey(header.number, logIndex), uintToBigInt(transfer.amount)];
      // The protocol's share of a pair is minted first: the last is for who adds liquidity.
      if (isZero(from)) mint = key;
      else if (equalBytes(from, pool) && isZero(to)) gone = amount;
      else if (equalBytes(to, pool)) waiting.push({ key, amount });
    }
  }
  return { minted, burnt };
}

/** What a log of fees says that someone claimed. */
export function readClaim({ data, ...mined }: MinedLog, user: AddressBytes): Amounts | undefined {
  if (data === null || exchangeEventOf({ ...mined, data }) !== "claim") return undefined;
  return equalBytes(addressAt(mined.topics, 1), user) ? readAmounts({ ...mined, data }) : undefined;
}
