import { getAddress } from "viem";
import type { PlainChain } from "./plainChain.ts";
import type { PlainTransfer } from "./plainLedger.ts";
import { plainHistory } from "./plainLedger.ts";

const ZERO = `0x${"0".repeat(40)}`;

/** Change of one holder's tokens in a transaction, as text: token, id, holder, before, after, change. */
export type PlainChange = readonly string[];

/** Changes of every transaction with token transfers, replayed from the first block. */
export function plainTokenChanges(chain: PlainChain): Map<string, PlainChange[]> {
  const { transfers, carried } = plainHistory(chain);
  const balances = new Map<string, bigint>();
  for (const { token, holder, amount } of carried) balances.set(keyOf(token, undefined, holder), amount);
  const changes = new Map<string, PlainChange[]>();
  for (const [transaction, own] of Map.groupBy(transfers, (transfer) => transfer.transaction)) {
    const before = new Map(balances);
    for (const transfer of own) {
      move(balances, transfer, transfer.from, -1n);
      move(balances, transfer, transfer.to, 1n);
    }
    changes.set(transaction, changesOf(own, before, balances));
  }
  return changes;
}

const keyOf = (token: string, id: bigint | undefined, holder: string) => `${token} ${id ?? null} ${holder}`;

const idOf = ({ kind, id }: PlainTransfer) => (kind === "ERC-1155" ? id : undefined);

function move(balances: Map<string, bigint>, transfer: PlainTransfer, holder: string, sign: bigint): void {
  const key = keyOf(transfer.token, idOf(transfer), holder);
  const amount = transfer.kind === "ERC-721" ? 1n : transfer.amount;
  balances.set(key, (balances.get(key) ?? 0n) + sign * amount);
}

function changesOf(
  own: readonly PlainTransfer[],
  before: ReadonlyMap<string, bigint>,
  after: ReadonlyMap<string, bigint>,
): PlainChange[] {
  const keys = new Set(own.flatMap((one) => [one.from, one.to].map((holder) => keyOf(one.token, idOf(one), holder))));
  return [...keys].flatMap((key) => {
    const [token = "", id = "", holder = ""] = key.split(" ");
    const [had, has] = [before.get(key) ?? 0n, after.get(key) ?? 0n];
    const items = itemsOf(own, token, holder);
    if (holder === ZERO || (had === has && items.length === 0)) return [];
    const isUnique = own.some((one) => one.token === token && one.kind === "ERC-721");
    const change = isUnique ? items.sort().join(",") : String(has - had);
    return [[getAddress(token), id, getAddress(holder), String(had), String(has), change]];
  });
}

/** The ERC-721 items that a holder got and gave away, `to 5` and `from 5`. */
function itemsOf(own: readonly PlainTransfer[], token: string, holder: string): string[] {
  const net = new Map<bigint, number>();
  for (const { kind, id = 0n, from, to, ...one } of own) {
    if (kind !== "ERC-721" || one.token !== token) continue;
    if (from === holder) net.set(id, (net.get(id) ?? 0) - 1);
    if (to === holder) net.set(id, (net.get(id) ?? 0) + 1);
  }
  return [...net].flatMap(([id, sum]) => (sum === 0 ? [] : [`${sum > 0 ? "to" : "from"} ${id}`]));
}
