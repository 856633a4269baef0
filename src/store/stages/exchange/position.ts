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

export function writePosition({ pool, tickLower, tickUpper, liquidity, owner }: Position): Bytes {
  const writer = new ByteWriter(64);
  writer.varint(pool);
  writer.varint(zigzag(tickLower));
  writer.varint(zigzag(tickUpper));
  writer.raw(writeSigned(liquidity));
  writer.raw(owner);
  return writer.copy();
}

export function readPosition(bytes: Bytes): Position {
  const reader = new ByteReader(bytes);
  return {
    pool: reader.varint(),
    tickLower: unzigzag(reader.varint()),
    tickUpper: unzigzag(reader.varint()),
    liquidity: readAmount(reader),
    owner: reader.raw(20).slice(),
  };
}

/** Has an owner and liquidity. */
export function isHeld(position: Position | undefined): position is Position {
  return position !== undefined && position.liquidity > 0n && !isZero(position.owner);
}
