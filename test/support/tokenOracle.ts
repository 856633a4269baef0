import type { Json } from "./api.ts";
import type { PlainChain } from "./plainChain.ts";
import type { PlainToken, PlainTransfer } from "./plainLedger.ts";
import { plainLedger, plainTransfers } from "./plainLedger.ts";

/** Expected REST responses about tokens, recomputed from a node's JSON without production code. */

const ZERO = `0x${"0".repeat(40)}`;
const STANDARDS = ["ERC-20", "ERC-721", "ERC-1155"];

export function typeOf({ kinds }: PlainToken): string {
  const [first] = kinds;
  return first === "ERC-1155" ? first : STANDARDS.find((kind) => kinds.has(kind))!;
}

export function expectedToken(address: string, token: PlainToken): Json {
  const holders = String([...token.balances.values()].filter((balance) => balance > 0n).length);
  return {
    address,
    address_hash: address,
    type: typeOf(token),
    types: STANDARDS.filter((kind) => token.kinds.has(kind)),
    holders,
    holders_count: holders,
  };
}

/** Holdings as `holder value id`, largest first, equal ones in text order. An ERC-1155 has a line for each id. */
export function expectedHolders(token: PlainToken): string[] {
  const isById = typeOf(token) === "ERC-1155";
  return [...(isById ? token.itemBalances : token.balances)]
    .filter(([, balance]) => balance > 0n)
    .sort(([a, x], [b, y]) => (x > y ? -1 : x < y ? 1 : a < b ? -1 : 1))
    .map(([key, balance]) => {
      const [id, holder] = isById ? key.split("/") : [null, key];
      return `${holder} ${balance} ${id}`;
    });
}

/** Holdings of an address as `token id value`, in text order. */
export function expectedBalances(ledger: ReadonlyMap<string, PlainToken>, address: string): string[] {
  const found: string[] = [];
  for (const [token, plain] of ledger) {
    const whole = plain.balances.get(address) ?? 0n;
    if (typeOf(plain) !== "ERC-1155") {
      if (whole > 0n) found.push(`${token} null ${whole}`);
      continue;
    }
    for (const [item, balance] of plain.itemBalances) {
      const [id, holder] = item.split("/");
      if (holder === address && balance > 0n) found.push(`${token} ${id} ${balance}`);
    }
  }
  return found.sort();
}

export function expectedTransfer(transfer: PlainTransfer, chain: PlainChain): Json {
  const { token, from, to, kind, id, amount, block, transaction, logIndex } = transfer;
  const value = { value: String(amount), decimals: kind === "ERC-1155" ? "0" : null };
  const item = { token_id: String(id), token_instance: { id: String(id) } };
  return {
    transaction_hash: transaction,
    tx_hash: transaction,
    block_number: block,
    block_hash: chain.at(block)!.hash,
    log_index: logIndex,
    from,
    to,
    token: { address: token },
    token_type: kind,
    total: kind === "ERC-20" ? value : kind === "ERC-721" ? item : { ...item, ...value },
    type: kindOfMove(from === ZERO, to === ZERO),
  };
}

function kindOfMove(isFromZero: boolean, isToZero: boolean): string {
  if (isFromZero && isToZero) return "token_spawning";
  if (isFromZero) return "token_minting";
  return isToZero ? "token_burning" : "token_transfer";
}

export interface PlainTokens {
  readonly ledger: ReadonlyMap<string, PlainToken>;
  /** Newest first. */
  readonly transfers: readonly PlainTransfer[];
  /** Everybody who ever sent or got a token, the zero address too. */
  readonly parties: readonly string[];
}

export function plainTokens(chain: PlainChain): PlainTokens {
  const transfers = plainTransfers(chain).reverse();
  const parties = [...new Set(transfers.flatMap(({ from, to }) => [from, to]))];
  return { ledger: plainLedger(chain), transfers, parties };
}
