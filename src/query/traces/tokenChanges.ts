import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY, isZero } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { ChainError } from "../../chain/error.ts";
import type { MinedTransaction } from "../../store/read/transactions.ts";
import { mustHave } from "../../store/rows/encoding.ts";
import type { ItemId } from "../../store/rows/ids.ts";
import type { Position } from "../../store/rows/position.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import type { MinedTransfer } from "../../store/stages/tokens/read/transferReads.ts";
import type { ReadParts } from "../readInParts.ts";

/** Transfers per transaction. */
export const MAX_CHANGING = 10_000;

const BATCH_SIZE = 500;

/** Direction of an ERC-721 item. */
interface MovedItem {
  readonly tokenId: Bytes;
  readonly direction: "from" | "to";
}

export interface TokenMove {
  readonly holder: Bytes;
  readonly token: KnownToken;
  /** 0 for a whole token. */
  readonly item: ItemId;
  /** 32 bytes; undefined for a whole token. */
  readonly tokenId: Bytes | undefined;
  readonly change: bigint;
  /** ERC-721 items; undefined otherwise. */
  readonly moved: readonly MovedItem[] | undefined;
}

/** Net changes and their log positions. */
export interface TokenMoves {
  readonly moves: readonly TokenMove[];
  readonly first: Position;
  readonly last: Position;
}

interface Sum {
  readonly holder: Bytes;
  readonly transfer: MinedTransfer;
  readonly isById: boolean;
  change: bigint;
  /** Net change per id. */
  readonly items: Map<Hex, { readonly tokenId: Bytes; change: bigint }>;
}

/** By address, token and id. Excludes the zero address. */
export async function readTokenMoves(parts: ReadParts, mined: MinedTransaction): Promise<TokenMoves> {
  const positions = await parts.read(async ({ tokens }) => {
    const list = tokens.transfers.ofTransaction(mined.block.header.number, mined.index);
    const count = await list.count();
    if (count > MAX_CHANGING) throw new ChainError("limit_exceeded", `it made over ${MAX_CHANGING} token transfers`);
    return list.slice(0, count);
  });
  const sums = new Map<string, Sum>();
  for (let at = 0; at < positions.length; at += BATCH_SIZE) {
    const part = positions.slice(at, at + BATCH_SIZE);
    for (const transfer of await parts.read(({ tokens }) => tokens.transfers.at(part, mined))) {
      add(sums, transfer, transfer.from, -1n);
      add(sums, transfer, transfer.to, 1n);
    }
  }
  const ids = [...sums.values()].map(({ transfer }) => transfer.token);
  const tokens = await parts.read((session) => session.tokens.byId(ids));
  const moves = [...sums.values()].flatMap((sum) =>
    moveOf(sum, mustHave(tokens.get(sum.transfer.token), `token ${sum.transfer.token}`)),
  );
  return { moves: moves.sort(byPlace), first: positions[0] ?? 0, last: positions.at(-1) ?? 0 };
}

function add(sums: Map<string, Sum>, transfer: MinedTransfer, holder: Bytes, sign: bigint): void {
  if (isZero(holder)) return;
  const { kind, token, item, tokenId } = transfer;
  const isById = kind === "ERC-1155";
  const key = `${toHex(holder)} ${token} ${isById ? item : 0}`;
  const sum = sums.get(key) ?? { holder, transfer, isById, change: 0n, items: new Map() };
  sums.set(key, sum);
  const change = sign * amountOf(transfer);
  sum.change += change;
  if (kind !== "ERC-721" || tokenId === undefined) return;
  const id = toHex(tokenId);
  const moved = sum.items.get(id) ?? { tokenId, change: 0n };
  moved.change += change;
  sum.items.set(id, moved);
}

export const amountOf = ({ kind, amount }: Pick<MinedTransfer, "kind" | "amount">): bigint =>
  kind === "ERC-721" ? 1n : uintToBigInt(amount);

/** Undefined if the net change is zero. */
function moveOf({ holder, transfer, isById, change, items }: Sum, token: KnownToken): TokenMove[] {
  const moved = [...items.values()]
    .filter((item) => item.change !== 0n)
    .map((item): MovedItem => ({ tokenId: item.tokenId, direction: item.change > 0n ? "to" : "from" }));
  if (change === 0n && moved.length === 0) return [];
  const of = isById ? { item: transfer.item, tokenId: transfer.tokenId } : { item: 0, tokenId: undefined };
  return [{ holder, token, ...of, change, moved: transfer.kind === "ERC-721" ? moved : undefined }];
}

function byPlace(a: TokenMove, b: TokenMove): number {
  return (
    Buffer.compare(a.holder, b.holder) ||
    Buffer.compare(a.token.address, b.token.address) ||
    Buffer.compare(a.tokenId ?? EMPTY, b.tokenId ?? EMPTY)
  );
}
