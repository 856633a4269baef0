import type { Bytes } from "../../chain/bytes.ts";
import { equalBytes } from "../../chain/bytes.ts";
import type { Log } from "../../chain/receipt.ts";
import type { TokenTransfer } from "../../chain/tokenTransfer.ts";
import { decodeErc20 } from "./erc20.ts";
import type { Place } from "./event.ts";
import { addressTopic, areAddresses, isLogOf, logEvent } from "./event.ts";

const DEPOSIT = logEvent("Deposit(address,uint256)", 2);
const WITHDRAWAL = logEvent("Withdrawal(address,uint256)", 2);

const ZERO_ADDRESS: Bytes = new Uint8Array(20);

/** A coin wrapped or unwrapped, as WETH9 logs it: tokens minted or burnt without a Transfer. */
export function decodeWeth(log: Log, { logIndex, transactionIndex }: Place): TokenTransfer | undefined {
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
  };
}

/** Whether a log beside a deposit or withdrawal is a Transfer of the same tokens: some copies of WETH9 emit both. */
export function repeats(transfer: TokenTransfer, beside: Log | undefined): boolean {
  const other = beside && decodeErc20(beside, transfer);
  return (
    other !== undefined &&
    equalBytes(other.token, transfer.token) &&
    equalBytes(other.from, transfer.from) &&
    equalBytes(other.to, transfer.to) &&
    equalBytes(other.amount, transfer.amount)
  );
}
