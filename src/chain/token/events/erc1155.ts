import { readSize, WORD } from "../../abi/word.ts";
import type { Log } from "../../block/receipt.ts";
import type { Bytes } from "../../encoding/bytes.ts";
import type { TokenTransfer } from "../tokenTransfer.ts";
import type { LogLocation } from "./event.ts";
import { addressTopic, areAddresses, isLogOf, logEvent } from "./event.ts";

const SINGLE = logEvent("TransferSingle(address,address,address,uint256,uint256)", 4);
const BATCH = logEvent("TransferBatch(address,address,address,uint256[],uint256[])", 4);

/** Longer batches are ignored, which bounds the transfers per log. */
export const MAX_BATCH = 10_000;

const NONE: readonly TokenTransfer[] = [];

/** One transfer per id. */
export function decodeErc1155(log: Log, location: LogLocation): readonly TokenTransfer[] {
  if (isLogOf(SINGLE, log)) return decodeSingle(log, location);
  if (isLogOf(BATCH, log)) return decodeBatch(log, location);
  return NONE;
}

function decodeSingle(log: Log, { logIndex, transactionIndex }: LogLocation): readonly TokenTransfer[] {
  const { address: token, data } = log;
  if (data.length !== 2 * WORD || !areAddresses(log, 1, 3)) return NONE;
  const [from, to] = [addressTopic(log, 2), addressTopic(log, 3)];
  const [tokenId, amount] = [data.subarray(0, WORD), data.subarray(WORD)];
  return [{ kind: "ERC-1155", token, from, to, tokenId, amount, logIndex, transactionIndex }];
}

function decodeBatch(log: Log, { logIndex, transactionIndex }: LogLocation): readonly TokenTransfer[] {
  const { address: token, data } = log;
  const ids = readWords(data, 0);
  const amounts = readWords(data, WORD);
  if (ids === undefined || ids.length !== amounts?.length || !areAddresses(log, 1, 3)) return NONE;
  const [from, to] = [addressTopic(log, 2), addressTopic(log, 3)];
  const transfers: TokenTransfer[] = [];
  for (let at = 0; at < ids.length; at += WORD) {
    const [tokenId, amount] = [ids.subarray(at, at + WORD), amounts.subarray(at, at + WORD)];
    transfers.push({ kind: "ERC-1155", token, from, to, tokenId, amount, logIndex, transactionIndex });
  }
  return transfers;
}

/** Elements of the dynamic array whose offset is at `head`. */
function readWords(data: Bytes, head: number): Bytes | undefined {
  const offset = readSize(data, head);
  if (offset === undefined) return undefined;
  const count = readSize(data, offset);
  if (count === undefined || count > MAX_BATCH) return undefined;
  const start = offset + WORD;
  const end = start + count * WORD;
  return end <= data.length ? data.subarray(start, end) : undefined;
}
