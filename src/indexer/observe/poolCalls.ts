import { encodeCall } from "../../chain/abi/encodeCall.ts";
import type { AddressBytes, Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes, isZero } from "../../chain/encoding/bytes.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import { isSolidly } from "../../chain/exchange/exchangeFields.ts";
import type { CallOutcome, ContractCall } from "../../chain/source.ts";
import type { PoolCreation } from "../../store/stages/exchange/exchangeRows.ts";

const FACTORY = fromHex("0xc45a0155");
const TOKEN0 = fromHex("0x0dfe1681");
const TOKEN1 = fromHex("0xd21220a7");

const STABLE = fromHex("0x22be3de1");

/** Claims that are looked at of a pool that does not say its factory. */
const MAX_CLAIMS = 16;

export function poolCalls(pool: AddressBytes, creations: readonly PoolCreation[]): ContractCall[] {
  const data = creations.some(({ type }) => isSolidly(type)) ? [...QUESTIONS, STABLE] : QUESTIONS;
  return data.map((data) => ({ to: pool, data }));
}

const QUESTIONS = [FACTORY, TOKEN0, TOKEN1];

/** Asks for the pool of its tokens. */
export function factoryCall(creation: PoolCreation): ContractCall {
  return { to: creation.factory, data: fromHex(encodeCall(...questionOf(creation))) };
}

function questionOf({ type, token0, token1, fee, hooks, generation }: PoolCreation): Parameters<typeof encodeCall> {
  const tokens = [toHex(token0), toHex(token1)] as const;
  if (type === "v2") return ["getPair(address,address)", ...tokens];
  const getter = generation === 1 ? "getPair(address,address,bool)" : "getPool(address,address,bool)";
  if (isSolidly(type)) return [getter, ...tokens, type === "stable"];
  if (type !== "algebra") return ["getPool(address,address,uint24)", ...tokens, fee ?? 0];
  if (hooks === undefined) return ["poolByPair(address,address)", ...tokens];
  return ["customPoolByPair(address,address,address)", toHex(hooks), ...tokens];
}

/**
 * The creations that the pool confirms, as far as it says of itself; undefined if the node could not answer. Pools of the
 * first generation of Solidly do not say their factory.
 */
export function findCreations(
  creations: readonly PoolCreation[],
  outcomes: readonly CallOutcome[],
): readonly PoolCreation[] | undefined {
  if (outcomes.length === 0 || outcomes.some((outcome) => outcome instanceof ChainError)) return undefined;
  const [factory, token0, token1] = outcomes.slice(0, QUESTIONS.length).map(asAddress);
  const isStable = asFlag(outcomes[QUESTIONS.length]);
  if (token0 === undefined || token1 === undefined) return [];
  const isOfFactory = (creation: PoolCreation) =>
    factory === undefined
      ? creation.generation === 1 && outcomes[0] === "reverted"
      : equalBytes(creation.factory, factory);
  const isSame = (creation: PoolCreation) =>
    isOfFactory(creation) &&
    equalBytes(creation.token0, token0) &&
    equalBytes(creation.token1, token1) &&
    (!isSolidly(creation.type) || isStable === (creation.type === "stable"));
  return creations.filter(isSame).slice(0, MAX_CLAIMS);
}

/** Undefined if the node could not answer. */
export function isConfirmed({ address }: PoolCreation, outcome: CallOutcome | undefined): boolean | undefined {
  if (outcome === undefined || outcome instanceof ChainError) return undefined;
  const answered = asAddress(outcome);
  return answered !== undefined && equalBytes(answered, address);
}

function asFlag(outcome: CallOutcome | undefined): boolean | undefined {
  if (!(outcome instanceof Uint8Array) || outcome.length < 32) return undefined;
  return isZero(outcome.subarray(0, 31)) && outcome[31]! <= 1 ? outcome[31] === 1 : undefined;
}

function asAddress(outcome: CallOutcome): AddressBytes | undefined {
  if (outcome instanceof ChainError || outcome === "reverted" || outcome.length < 32) return undefined;
  const word: Bytes = outcome.subarray(0, 32);
  return isZero(word.subarray(0, 12)) && !isZero(word) ? word.subarray(12) : undefined;
}
