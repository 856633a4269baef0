import { getAddress } from "viem";
import type { Json } from "./api.ts";
import type { ChainOracle, PlainMined } from "./chainOracle.ts";
import type { PlainTransfer } from "./plainLedger.ts";
import { plainTransfers } from "./plainLedger.ts";
import type { ReportedToken } from "./plainState.ts";
import type { PlainCall } from "./tracedChain.ts";

/** An item of `/advanced-filters`, and what filters ask of it. */
export interface PlainItem {
  readonly shown: Json;
  readonly types: readonly string[];
  readonly selector: string | null;
  readonly time: number;
  readonly from: string;
  readonly to: string | null;
  /** The amount times 10 to the power of `decimals`. */
  readonly amount: bigint;
  readonly decimals: number;
  readonly token: string;
  readonly symbol: string | null;
}

/** A query of `/advanced-filters`, each value with its commas. */
export type PlainFilter = Readonly<Record<string, string>>;

const shownAddress = (address: string | null) => (address === null ? null : getAddress(address));

/** All items of a chain, newest first, from blocks, receipts and traces alone. */
export function plainItems(
  oracle: ChainOracle,
  calls: readonly PlainCall[],
  reported: ReadonlyMap<string, ReportedToken | undefined>,
): PlainItem[] {
  const transfersOf = Map.groupBy(plainTransfers(oracle.chain), ({ transaction }) => transaction);
  const callsOf = Map.groupBy(calls, ({ transaction }) => transaction as string);
  return oracle.transactions
    .toReversed()
    .flatMap((mined) => [
      ofTransaction(oracle, mined),
      ...(transfersOf.get(mined.tx.hash) ?? [])
        .toReversed()
        .map((each) => ofTransfer(mined, each, reported.get(each.token))),
      ...(callsOf.get(mined.tx.hash) ?? []).toReversed().map((each) => ofCall(oracle, mined, each)),
    ]);
}

const selectorOf = ({ tx }: PlainMined) => {
  const input = tx.input as string;
  return tx.to !== null && input.length >= 10 ? input.slice(0, 10) : null;
};

function common({ tx, receipt, block }: PlainMined) {
  const fee = BigInt(receipt.gasUsed as string) * BigInt(receipt.effectiveGasPrice as string);
  const blobs = BigInt((receipt.blobGasUsed as string) ?? 0) * BigInt((receipt.blobGasPrice as string) ?? 0);
  return {
    hash: tx.hash,
    status: receipt.status === "0x1" ? "ok" : "error",
    block_number: block.number,
    transaction_index: Number(tx.transactionIndex),
    fee: String(fee + blobs),
    created_contract: null,
    value: null,
    total: null,
    token: null,
    token_transfer_index: null,
    internal_transaction_index: null,
  };
}

const timeOf = ({ block }: PlainMined) => Number(block.block.timestamp);

function coinTypes(isCreated: boolean, isContract: boolean, value: bigint): string[] {
  const type = isCreated ? "contract_creation" : isContract ? "contract_interaction" : "coin_transfer";
  return [...new Set([type, ...(value > 0n ? ["coin_transfer"] : [])])];
}

function ofTransaction(oracle: ChainOracle, mined: PlainMined): PlainItem {
  const { tx, receipt } = mined;
  const [to, value] = [tx.to as string | null, BigInt(tx.value as string)];
  const created = receipt.status === "0x1" ? (receipt.contractAddress as string | null) : null;
  const isContract = to !== null && (oracle.isCall(mined) || oracle.address(to).is_contract === true);
  const types = coinTypes(to === null, isContract, value);
  return {
    shown: {
      ...common(mined),
      type: types[0]!,
      from: shownAddress(tx.from),
      to: shownAddress(to),
      created_contract: shownAddress(created),
      value: String(value),
    },
    types,
    selector: selectorOf(mined),
    time: timeOf(mined),
    from: tx.from,
    to: to ?? created,
    amount: value,
    decimals: 18,
    token: "native",
    symbol: null,
  };
}

function ofTransfer(mined: PlainMined, transfer: PlainTransfer, reported: ReportedToken | undefined): PlainItem {
  const { kind, from, to, token, id, amount } = transfer;
  const decimals = reported?.decimals ?? (kind === "ERC-1155" ? "0" : null);
  const sum = { value: String(amount), decimals };
  const item = { token_id: String(id), token_instance: String(id) };
  const total = kind === "ERC-20" ? sum : kind === "ERC-721" ? item : { ...item, ...sum };
  return {
    shown: {
      ...common(mined),
      type: kind,
      from: shownAddress(from),
      to: shownAddress(to),
      total,
      token: shownAddress(token),
      token_transfer_index: transfer.logIndex,
    },
    types: [kind],
    selector: selectorOf(mined),
    time: timeOf(mined),
    from,
    to,
    amount: kind === "ERC-721" ? 1n : amount,
    decimals: kind === "ERC-721" ? 0 : Number(decimals ?? 0),
    token,
    symbol: reported?.symbol ?? null,
  };
}

function ofCall(oracle: ChainOracle, mined: PlainMined, call: PlainCall): PlainItem {
  const isCreated = call.type.startsWith("create");
  const isContract = call.to !== null && oracle.address(call.to).is_contract === true;
  const types = coinTypes(isCreated, isContract, call.value);
  return {
    shown: {
      ...common(mined),
      type: types[0]!,
      from: shownAddress(call.from),
      to: isCreated ? null : shownAddress(call.to),
      created_contract: isCreated ? shownAddress(call.to) : null,
      value: String(call.value),
      internal_transaction_index: call.index,
      fee: String(BigInt(call.gasUsed) * BigInt(mined.receipt.effectiveGasPrice as string)),
    },
    types,
    selector: null,
    time: timeOf(mined),
    from: call.from,
    to: call.to,
    amount: call.value,
    decimals: 18,
    token: "native",
    symbol: null,
  };
}

export function servedItem({ method, timestamp, from, to, created_contract, token, ...item }: Json): Json {
  const hashOf = (address: unknown) => (address as { hash: string } | null)?.hash ?? null;
  const { token_instance, ...total } = (item.total ?? {}) as Record<string, Json>;
  const named = token_instance === undefined ? total : { ...total, token_instance: token_instance.id };
  return {
    ...item,
    total: item.total === null ? null : (named as Json),
    from: hashOf(from),
    to: hashOf(to),
    created_contract: hashOf(created_contract),
    token: (token as { address_hash: string } | null)?.address_hash ?? null,
  };
}

export function isWanted(item: PlainItem, filter: PlainFilter): boolean {
  const listOf = (name: string) => filter[name]?.split(",").map((one) => one.toLowerCase());
  const types = listOf("transaction_types");
  if (types && !item.types.some((type) => types.includes(type.toLowerCase()))) return false;
  const methods = listOf("methods");
  if (methods && (item.selector === null || !methods.includes(item.selector))) return false;
  if (filter.age_from && item.time * 1000 < Date.parse(filter.age_from)) return false;
  if (filter.age_to && item.time * 1000 > Date.parse(filter.age_to)) return false;
  const sides = (["from", "to"] as const).flatMap((side) => {
    const [include, exclude] = ["include", "exclude"].map((word) => listOf(`${side}_address_hashes_to_${word}`));
    if (include === undefined && exclude === undefined) return [];
    const party = item[side];
    return [(include?.includes(party ?? "") ?? true) && !exclude?.includes(party ?? "")];
  });
  if (sides.length > 0 && !(filter.address_relation === "and" ? sides.every(Boolean) : sides.some(Boolean)))
    return false;
  if (filter.amount_from && compareAmount(item, filter.amount_from) < 0) return false;
  if (filter.amount_to && compareAmount(item, filter.amount_to) > 0) return false;
  return isIn(item, filter, "include") !== false && isIn(item, filter, "exclude") !== true;
}

/** Undefined where there is no such list. */
function isIn({ token, symbol }: PlainItem, filter: PlainFilter, word: string): boolean | undefined {
  const addresses = filter[`token_contract_address_hashes_to_${word}`]?.toLowerCase().split(",");
  const symbols = filter[`token_contract_symbols_to_${word}`]?.split(",");
  if (addresses === undefined && symbols === undefined) return undefined;
  if (token === "native") return addresses?.includes("native") ?? false;
  return (addresses?.includes(token) ?? true) && (symbols?.includes(symbol ?? "") ?? true);
}

function compareAmount({ amount, decimals }: PlainItem, text: string): number {
  const [whole, fraction = ""] = text.split(".") as [string, string?];
  const places = Math.max(decimals, fraction.length);
  const own = amount * 10n ** BigInt(places - decimals);
  const other = BigInt(whole + fraction.padEnd(places, "0"));
  return own < other ? -1 : own > other ? 1 : 0;
}
