import type { AddressBytes, Bytes } from "../../../chain/encoding/bytes.ts";
import { isZero } from "../../../chain/encoding/bytes.ts";
import { ByteReader, ByteWriter } from "../../rows/encoding.ts";
import { writeSigned } from "../../rows/signedAmount.ts";
import { readAmount, unzigzag, zigzag } from "./amounts.ts";

/** V3 liquidity between two ticks: a manager's token, or an address's position in the pool itself. */
export interface Position {
  readonly pool: number;
  readonly tickLower: number;
  readonly tickUpper: number;
  readonly liquidity: bigint;
  /** Zero address if burnt. */
  readonly owner: AddressBytes;
  /** Of all time. What is removed stays in the pool until it is collected, together with fees. */
  readonly added: Amounts;
  readonly removed: Amounts;
  readonly collected: Amounts;
  /** How often it got another owner. */
  readonly transfers: number;
  /** Events of all time, and those of the block that changed it last. */
  readonly events: number;
  readonly last: readonly PositionEvent[];
}

export type Amounts = readonly [amount0: bigint, amount1: bigint];

const POSITION_EVENTS = ["mint", "burn", "collect"] as const;

/** As its pool logged it. */
export interface PositionEvent {
  readonly kind: (typeof POSITION_EVENTS)[number];
  /** Of the log's position in the block. */
  readonly slot: number;
  readonly amounts: Amounts;
}

const NONE: Amounts = [0n, 0n];

export const NO_EVENTS = {
  ...{ added: NONE, removed: NONE, collected: NONE },
  ...{ transfers: 0, events: 0, last: [] },
} as const satisfies Partial<Position>;

const SUMS = { mint: "added", burn: "removed", collect: "collected" } as const;

/** Events of a block that are kept apart; later ones count with the last of their kind. */
const MAX_LAST = 100;

const plus = (one: Amounts, other: Amounts): Amounts => [one[0] + other[0], one[1] + other[1]];

/** After one more event of the same block. */
export function withEvent(position: Position, event: PositionEvent): Position {
  const { last, events } = position;
  const sum = SUMS[event.kind];
  const sums = { [sum]: plus(position[sum], event.amounts) };
  const at = last.length < MAX_LAST ? -1 : last.findLastIndex(({ kind }) => kind === event.kind);
  if (at < 0) return { ...position, ...sums, events: events + 1, last: [...last, event] };
  const joined = { ...event, amounts: plus(last[at]!.amounts, event.amounts) };
  return { ...position, ...sums, last: [...last.toSpliced(at, 1), joined] };
}

const MANAGED = 0;
const DIRECT = 1;

/** On-chain identity of a position. */
export function managedId(manager: AddressBytes, tokenId: Bytes): Bytes {
  const id = new Uint8Array(53);
  id[0] = MANAGED;
  id.set(manager, 1);
  id.set(tokenId, 21);
  return id;
}

export function directId(pool: number, owner: AddressBytes, tickLower: number, tickUpper: number): Bytes {
  const id = new Uint8Array(33);
  const view = new DataView(id.buffer);
  id[0] = DIRECT;
  view.setUint32(1, pool);
  id.set(owner, 5);
  view.setInt32(25, tickLower);
  view.setInt32(29, tickUpper);
  return id;
}

/** Of V4: one caller may have several positions between the same ticks. */
export function saltedId(pool: number, owner: AddressBytes, [lower, upper]: readonly [number, number], salt: Bytes) {
  const id = new Uint8Array(65);
  id.set(directId(pool, owner, lower, upper));
  id.set(salt, 33);
  return id;
}

/** Undefined for a position that is not of V4. */
export function saltOf(id: Bytes): Bytes | undefined {
  return id[0] === DIRECT && id.length === 65 ? id.subarray(33) : undefined;
}

/** Undefined for a position held in the pool itself. */
export function managedBy(id: Bytes): { manager: AddressBytes; tokenId: Bytes } | undefined {
  return id[0] === MANAGED ? { manager: id.subarray(1, 21), tokenId: id.subarray(21) } : undefined;
}

/** Id range [from, below) of a manager. */
export function managedRange(manager: AddressBytes): [from: Bytes, below: Bytes] {
  const from = new Uint8Array(21);
  from[0] = MANAGED;
  from.set(manager, 1);
  const below = new Uint8Array(54).fill(255);
  below.set(from);
  return [from, below];
}

/** Id range [from, below) of positions held in a pool itself. */
export function directRange(pool: number): [from: Bytes, below: Bytes] {
  const from = new Uint8Array(5);
  from[0] = DIRECT;
  new DataView(from.buffer).setUint32(1, pool);
  const below = new Uint8Array(34).fill(255);
  below.set(from);
  return [from, below];
}

/** Undefined for a manager's token. */
export function directPool(id: Bytes): number | undefined {
  return id[0] === DIRECT ? new DataView(id.buffer, id.byteOffset).getUint32(1) : undefined;
}

export function writePosition(position: Position): Bytes {
  const { pool, tickLower, tickUpper, liquidity, owner, added, removed, collected, last } = position;
  const writer = new ByteWriter(128);
  writer.varint(pool);
  writer.varint(zigzag(tickLower));
  writer.varint(zigzag(tickUpper));
  writer.raw(writeSigned(liquidity));
  writer.raw(owner);
  for (const amount of [...added, ...removed, ...collected]) writer.raw(writeSigned(amount));
  for (const count of [position.transfers, position.events, last.length]) writer.varint(count);
  for (const { kind, slot, amounts } of last) {
    writer.byte(POSITION_EVENTS.indexOf(kind));
    writer.varint(slot);
    for (const amount of amounts) writer.raw(writeSigned(amount));
  }
  return writer.copy();
}

export function readPosition(bytes: Bytes): Position {
  const reader = new ByteReader(bytes);
  const amounts = (): Amounts => [readAmount(reader), readAmount(reader)];
  const position = {
    pool: reader.varint(),
    tickLower: unzigzag(reader.varint()),
    tickUpper: unzigzag(reader.varint()),
    liquidity: readAmount(reader),
    owner: reader.raw(20).slice(),
    ...{ added: amounts(), removed: amounts(), collected: amounts() },
    ...{ transfers: reader.varint(), events: reader.varint() },
  };
  const last: PositionEvent[] = [];
  for (let left = reader.varint(); left > 0; left--) {
    const kind = POSITION_EVENTS[reader.byte()] ?? "mint";
    last.push({ kind, slot: reader.varint(), amounts: amounts() });
  }
  return { ...position, last };
}

/** Has an owner and liquidity. */
export function isHeld(position: Position | undefined): position is Position {
  return position !== undefined && position.liquidity > 0n && !isZero(position.owner);
}
