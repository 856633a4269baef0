import { encodeCall } from "../../chain/abi/encodeCall.ts";
import type { AddressBytes, Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes, isZero } from "../../chain/encoding/bytes.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import type { CallOutcome, ContractCall } from "../../chain/source.ts";
import type { PoolCreation } from "../../store/stages/exchange/exchangeRows.ts";

const FACTORY = fromHex("0xc45a0155");
const TOKEN0 = fromHex("0x0dfe1681");
const TOKEN1 = fromHex("0xd21220a7");

export function poolCalls(pool: AddressBytes): ContractCall[] {
  return [FACTORY, TOKEN0, TOKEN1].map((data) => ({ to: pool, data }));
}

/** Asks for the pool of its tokens. */
export function factoryCall(creation: PoolCreation): ContractCall {
  return { to: creation.factory, data: fromHex(encodeCall(...questionOf(creation))) };
}

function questionOf({ type, token0, token1, fee, hooks }: PoolCreation): Parameters<typeof encodeCall> {
  const tokens = [toHex(token0), toHex(token1)] as const;
  if (type === "v2") return ["getPair(address,address)", ...tokens];
  if (type !== "algebra") return ["getPool(address,address,uint24)", ...tokens, fee ?? 0];
  if (hooks === undefined) return ["poolByPair(address,address)", ...tokens];
  return ["customPoolByPair(address,address,address)", toHex(hooks), ...tokens];
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
