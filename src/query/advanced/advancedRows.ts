import { createsContract } from "../../chain/block/receipt.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import type { TokenKind } from "../../chain/token/tokenTransfer.ts";
import { isCreation } from "../../chain/trace/internalCall.ts";
import type { MinedTransaction } from "../../store/read/transactions.ts";
import { mustHave } from "../../store/rows/encoding.ts";
import type { Position } from "../../store/rows/position.ts";
import type { ReadSession } from "../../store/session.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import type { MinedTransfer } from "../../store/stages/tokens/read/transferReads.ts";
import type { MinedCall } from "../../store/stages/traces/traceReads.ts";
import { isCall } from "../decode/method.ts";
import type { MergeCursor } from "../pages.ts";

/** A token transfer has its standard as type instead. */
export const COIN_TYPES = ["coin_transfer", "contract_interaction", "contract_creation"] as const;

type CoinType = (typeof COIN_TYPES)[number];
export type AdvancedType = CoinType | TokenKind;

export interface AdvancedRow {
  readonly position: Position;
  readonly mined: MinedTransaction;
  readonly transfer: MinedTransfer | undefined;
  readonly call: MinedCall | undefined;
  readonly token: KnownToken | undefined;
  readonly types: readonly AdvancedType[];
  readonly from: Bytes;
  readonly to: Bytes | null;
  readonly created: Bytes | null;
  readonly amount: bigint;
  readonly decimals: number;
  /** Undefined for plain transfers and internal transactions. */
  readonly selector: Bytes | undefined;
}

const COIN_DECIMALS = 18;

export async function readTransactionRows(
  { transactions, addresses }: ReadSession,
  positions: readonly Position[],
): Promise<AdvancedRow[]> {
  const found = await transactions.at(positions);
  const infos = await addresses.infos(found.flatMap(({ transaction: { to } }) => to ?? []));
  return found.map((mined) => {
    const { transaction, receipt, position } = mined;
    const { from, to } = transaction;
    const created = createsContract(receipt) ? receipt.contractAddress : null;
    const runsCode = isCall(transaction, infos) || (to !== null && infos.get(to)?.runsCode === true);
    const amount = uintToBigInt(transaction.value);
    const types = coinTypes(to === null, runsCode, amount);
    return { ...NO_PARTS, position, mined, types, from, to, created, amount, selector: selectorOf(mined) };
  });
}

const NO_PARTS = { transfer: undefined, call: undefined, token: undefined, decimals: COIN_DECIMALS } as const;

function coinTypes(isCreated: boolean, runsCode: boolean, amount: bigint): AdvancedType[] {
  const type = isCreated ? "contract_creation" : runsCode ? "contract_interaction" : "coin_transfer";
  return type === "coin_transfer" || amount === 0n ? [type] : [type, "coin_transfer"];
}

const SELECTOR = 4;

function selectorOf({ transaction: { to, input, selector } }: MinedTransaction): Bytes | undefined {
  if (to === null) return undefined;
  const bytes = input ?? selector;
  return bytes === undefined || bytes.length < SELECTOR ? undefined : bytes.subarray(0, SELECTOR);
}

export async function readTransferRows(
  { tokens }: ReadSession,
  positions: readonly Position[],
): Promise<AdvancedRow[]> {
  const known = new Map<number, KnownToken>();
  const found = await tokens.transfers.at(positions, undefined, async (stored) => {
    for (const [id, token] of await tokens.byId(stored.map(({ token }) => token))) known.set(id, token);
  });
  return found.map((transfer, at) => {
    const { kind, from, to, mined } = transfer;
    const token = mustHave(known.get(transfer.token), `token ${transfer.token}`);
    const isOne = kind === "ERC-721";
    return {
      position: mustHave(positions[at], "a position"),
      mined,
      transfer,
      call: undefined,
      token,
      types: [kind],
      from,
      to,
      created: null,
      amount: isOne ? 1n : uintToBigInt(transfer.amount),
      decimals: isOne ? 0 : (token.seen?.decimals ?? 0),
      selector: selectorOf(mined),
    };
  });
}

export async function readCallRows(
  { traces, addresses }: ReadSession,
  positions: readonly Position[],
): Promise<AdvancedRow[]> {
  const found = await traces.at(positions);
  const infos = await addresses.infos(found.flatMap(({ to }) => to ?? []));
  return found.map((call, at) => {
    const creates = isCreation(call);
    const amount = uintToBigInt(call.value);
    const runsCode = call.to !== null && infos.get(call.to)?.runsCode === true;
    return {
      ...NO_PARTS,
      position: mustHave(positions[at], "a position"),
      mined: call.mined,
      call,
      types: coinTypes(creates, runsCode, amount),
      from: call.from,
      to: creates ? null : call.to,
      created: creates ? call.to : null,
      amount,
      selector: undefined,
    };
  });
}

/** Block, transaction index, and position within the transaction. */
export type RowKey = MergeCursor["last"];

export const keyOf = ({ mined, transfer, call }: AdvancedRow): RowKey => [
  mined.block.header.number,
  mined.index,
  call !== undefined ? 2 : transfer !== undefined ? 1 : 0,
];

/** Newest first; a transaction precedes its transfers, then its internal calls. */
export function compareRows(a: AdvancedRow, b: AdvancedRow): number {
  return compareKeys(keyOf(a), keyOf(b)) || b.position - a.position;
}

export const compareKeys = (a: RowKey, b: RowKey): number => b[0] - a[0] || b[1] - a[1] || a[2] - b[2];

export function addressesOf(rows: readonly AdvancedRow[]): Bytes[] {
  const named = rows.flatMap(({ from, to, created, mined }) => [from, to, created, mined.transaction.to]);
  return named.filter((address) => address !== null);
}
