import type { AddressBytes, Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes, isZero } from "../../chain/encoding/bytes.ts";
import { fromHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import type { CallOutcome, ContractCall } from "../../chain/source.ts";
import type { PoolCreation } from "../../store/stages/exchange/exchangeRows.ts";

const FACTORY = fromHex("0xc45a0155");
const TOKEN0 = fromHex("0x0dfe1681");
const TOKEN1 = fromHex("0xd21220a7");
/** `getPair(address,address)` and `getPool(address,address,uint24)`. */
const GET_PAIR = fromHex("0xe6a43905");
const GET_POOL = fromHex("0x1698ee82");

export function poolCalls(pool: AddressBytes): ContractCall[] {
  return [FACTORY, TOKEN0, TOKEN1].map((data) => ({ to: pool, data }));
}

export function factoryCall({ type, factory, token0, token1, fee }: PoolCreation): ContractCall {
  const data = new Uint8Array(type === "v2" ? 68 : 100);
  data.set(type === "v2" ? GET_PAIR : GET_POOL);
  data.set(token0, 16);
  data.set(token1, 48);
  if (fee !== undefined) new DataView(data.buffer).setUint32(96, fee);
  return { to: factory, data };
}

/** Null if the pool confirms no creation, undefined if the node could not answer. */
export function findCreation(
  creations: readonly PoolCreation[],
  outcomes: readonly CallOutcome[],
): PoolCreation | null | undefined {
  if (outcomes.length === 0 || outcomes.some((outcome) => outcome instanceof ChainError)) return undefined;
  const [factory, token0, token1] = outcomes.map(asAddress);
  if (factory === undefined || token0 === undefined || token1 === undefined) return null;
  const isSame = (creation: PoolCreation) =>
    equalBytes(creation.factory, factory) && equalBytes(creation.token0, token0) && equalBytes(creation.token1, token1);
  return creations.find(isSame) ?? null;
}

/** Undefined if the node could not answer. */
export function isConfirmed({ address }: PoolCreation, outcome: CallOutcome | undefined): boolean | undefined {
  if (outcome === undefined || outcome instanceof ChainError) return undefined;
  const answered = asAddress(outcome);
  return answered !== undefined && equalBytes(answered, address);
}

function asAddress(outcome: CallOutcome): AddressBytes | undefined {
  if (outcome instanceof ChainError || outcome === "reverted" || outcome.length < 32) return undefined;
  const word: Bytes = outcome.subarray(0, 32);
  return isZero(word.subarray(0, 12)) && !isZero(word) ? word.subarray(12) : undefined;
}
