import type { Log } from "../../block/receipt.ts";
import type { Bytes } from "../../encoding/bytes.ts";
import { isZero } from "../../encoding/bytes.ts";
import type { TokenTransfer } from "../tokenTransfer.ts";
import type { LogLocation } from "./event.ts";
import { addressTopic, areAddresses, isLogOf, logEvent } from "./event.ts";

const DEPOSIT = logEvent("Deposit(address,uint256)", 2);
const WITHDRAWAL = logEvent("Withdrawal(address,uint256)", 2);

const ZERO_ADDRESS: Bytes = new Uint8Array(20);

/** WETH9's Deposit and Withdrawal: mint and burn without a Transfer. Other contracts emit the same events. */
export function decodeWeth(log: Log, { logIndex, transactionIndex }: LogLocation): TokenTransfer | undefined {
  const isDeposit = isLogOf(DEPOSIT, log);
  if (!isDeposit && !isLogOf(WITHDRAWAL, log)) return undefined;
  if (log.data.length !== 32 || !areAddresses(log, 1, 1)) return undefined;
  const party = addressTopic(log, 1);
  return {
    kind: "ERC-20",
    token: log.address,
    from: isDeposit ? ZERO_ADDRESS : party,
    to: isDeposit ? party : ZERO_ADDRESS,
    amount: log.data,
    logIndex,
    transactionIndex,
    isWrap: true,
  };
}

/**
 * Removes wraps from `start` on that a Transfer of the same token, parties and amount repeats: some WETH9 copies emit
 * both, in any order. Each Transfer cancels one wrap.
 */
export function dropRepeated(transfers: TokenTransfer[], start: number): void {
  const repeats = new Map<string, number>();
  for (let at = start; at < transfers.length; at++) {
    const transfer = transfers[at]!;
    if (!mintsOrBurns(transfer)) continue;
    const key = keyOf(transfer);
    repeats.set(key, (repeats.get(key) ?? 0) + 1);
  }
  if (repeats.size === 0) return;
  let kept = start;
  for (let at = start; at < transfers.length; at++) {
    const transfer = transfers[at]!;
    const left = transfer.isWrap ? (repeats.get(keyOf(transfer)) ?? 0) : 0;
    if (left > 0) repeats.set(keyOf(transfer), left - 1);
    else transfers[kept++] = transfer;
  }
  transfers.length = kept;
}

function mintsOrBurns({ kind, from, to, isWrap }: TokenTransfer): boolean {
  return kind === "ERC-20" && !isWrap && (isZero(from) || isZero(to));
}

function keyOf({ token, from, to, amount }: TokenTransfer): string {
  return Buffer.concat([token, from, to, amount]).toString("latin1");
}
