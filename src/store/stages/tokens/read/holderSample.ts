import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import { itemAt } from "../../../../std/values.ts";
import type { Reader } from "../../../engine/database.ts";
import { AddressResolver } from "../../../read/addressResolver.ts";
import type { AddressId } from "../../../rows/ids.ts";
import { readSigned, writeSigned } from "../../../rows/signedAmount.ts";
import type { DepositLedger } from "../tables/depositLedger.ts";
import { readHolding } from "../tables/holdings.ts";

export interface Holding {
  readonly holder: AddressId;
  readonly address: Bytes;
  readonly amount: bigint;
}

const TOP_HOLDERS = 3;
/** Fractions of the largest balance, in bits. */
const STEPS = [1n, 4n, 8n, 16n];

/**
 * A few holders per token: largest, smallest, some in between, and those in `also`. Deterministic, at most three short
 * reads per token.
 */
export async function sampleHolders(
  db: Reader,
  also: ReadonlyMap<number, readonly number[]>,
): Promise<Map<number, Holding[]>> {
  const samples = new Map<number, Holding[]>();
  const resolver = new AddressResolver(db);
  for (const [token, named] of also) {
    const amounts = new Map([...(await spreadHolders(db, token)), ...(await ledgerOf(db, token, named))]);
    samples.set(
      token,
      [...amounts].map(([holder, amount]) => ({ holder, address: resolver.address(holder), amount })),
    );
  }
  await resolver.load();
  return samples;
}

/** As many as for a token. */
export const DEPOSITORS = TOP_HOLDERS + STEPS.length + 1;

/** A few depositors per contract without transfers, largest to smallest. */
export async function sampleDepositors(
  db: Reader,
  wrappers: ReadonlyMap<number, DepositLedger>,
): Promise<Map<number, Holding[]>> {
  const samples = new Map<number, Holding[]>();
  const resolver = new AddressResolver(db);
  for (const [token, { balances }] of wrappers) {
    const held = [...balances].filter(([, amount]) => amount > 0n).sort(([, a], [, b]) => (a < b ? 1 : a > b ? -1 : 0));
    const step = Math.max(1, (held.length - 1) / (DEPOSITORS - 1));
    const places = Array.from({ length: Math.min(held.length, DEPOSITORS) }, (_, at) => Math.round(at * step));
    const chosen = places.map((at) => itemAt(held, at));
    samples.set(
      token,
      chosen.map(([holder, amount]) => ({ holder, address: resolver.address(holder), amount })),
    );
  }
  await resolver.load();
  return samples;
}

const RANKED = "SELECT address, amount FROM holder WHERE token = ?";

async function spreadHolders(db: Reader, token: AddressId): Promise<[number, bigint][]> {
  const byAmount = `${RANKED} ORDER BY amount DESC, address DESC LIMIT ?`;
  const largest = (await db.all<HolderRow>(byAmount, token, TOP_HOLDERS)).map(readHolder);
  const [first] = largest;
  if (first === undefined || largest.length < TOP_HOLDERS) return largest;
  const [, max] = first;
  const below = STEPS.map(
    () => `SELECT * FROM (${RANKED} AND amount <= ? ORDER BY amount DESC, address DESC LIMIT 1) s`,
  );
  const smallest = `SELECT * FROM (${RANKED} ORDER BY amount, address LIMIT 1) s`;
  const parameters = STEPS.flatMap((step) => [token, writeSigned(max >> step)]);
  const others = await db.all<HolderRow>([...below, smallest].join(" UNION "), ...parameters, token);
  return [...largest, ...others.map(readHolder)];
}

type HolderRow = [address: AddressId, amount: Bytes];

function readHolder([address, amount]: HolderRow): [number, bigint] {
  return [address, readSigned(amount)];
}

/** Balances of holders that may have dropped to zero and have no rank. */
async function ledgerOf(db: Reader, token: AddressId, holders: readonly number[]): Promise<[number, bigint][]> {
  if (holders.length === 0) return [];
  const pairs = holders.map((holder) => [holder, token] as const);
  const sql = "SELECT address, value FROM holding WHERE (address, asset) IN ($pairs)";
  const rows = await db.loadPairs<[number, Bytes]>(sql, pairs);
  return rows.map(([holder, value]) => [holder, readHolding(value).amount]);
}
