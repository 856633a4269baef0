import type { Log } from "../../block/receipt.ts";
import type { Bytes } from "../../encoding/bytes.ts";
import type { TokenTransfer } from "../tokenTransfer.ts";
import type { LogLocation, Topics } from "./event.ts";
import { addressTopic, areAddresses, isLogOf, logEvent } from "./event.ts";

type Erc20Transfer = Pick<TokenTransfer, "from" | "to" | "amount">;

const TRANSFER = logEvent("Transfer(address,address,uint256)", 3);

export const ERC20_TRANSFER_TOPIC: Bytes = TRANSFER.hash;

/** Of a log whose data may be omitted. */
export function readErc20(log: Topics & { readonly data: Bytes | null }): Erc20Transfer | undefined {
  const { data } = log;
  if (!isLogOf(TRANSFER, log) || data?.length !== 32 || !areAddresses(log, 1, 2)) return undefined;
  return { from: addressTopic(log, 1), to: addressTopic(log, 2), amount: data };
}

export function decodeErc20(log: Log, { logIndex, transactionIndex }: LogLocation): TokenTransfer | undefined {
  const transfer = readErc20(log);
  return transfer && { kind: "ERC-20", token: log.address, ...transfer, logIndex, transactionIndex };
}
