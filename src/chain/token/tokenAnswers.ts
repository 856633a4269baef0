import type { Bytes } from "../encoding/bytes.ts";
import { EMPTY } from "../encoding/bytes.ts";
import { fromHex } from "../encoding/hex.ts";
import { ChainError } from "../error.ts";
import type { CallOutcome, ContractCall } from "../source.ts";
import { balanceCall } from "./tokenCall.ts";
import type { TokenText } from "./tokenText.ts";
import { decodeDecimals, decodeTokenText, decodeUint } from "./tokenText.ts";

const NAME = fromHex("0x06fdde03");
const SYMBOL = fromHex("0x95d89b41");
const DECIMALS = fromHex("0x313ce567");
const TOTAL_SUPPLY = fromHex("0x18160ddd");

/** Null: the token has no such value. Undefined: the node could not answer. */
export interface TokenAnswers {
  readonly name: TokenText | undefined;
  readonly symbol: TokenText | undefined;
  readonly decimals: number | null | undefined;
  readonly totalSupply: bigint | null | undefined;
  /** In the order of the holders. */
  readonly balances: readonly (bigint | null | undefined)[];
}

export function tokenCalls(token: Bytes, holders: readonly Bytes[]): ContractCall[] {
  const calls = [NAME, SYMBOL, DECIMALS, TOTAL_SUPPLY].map((data) => ({ to: token, data }));
  return [...calls, ...holders.map((holder) => balanceCall(token, holder))];
}

export function readTokenAnswers([name, symbol, decimals, supply, ...balances]: readonly CallOutcome[]): TokenAnswers {
  return {
    name: read(name, decodeTokenText),
    symbol: read(symbol, decodeTokenText),
    decimals: read(decimals, decodeDecimals),
    totalSupply: read(supply, decodeUint),
    balances: balances.map((balance) => read(balance, decodeUint)),
  };
}

/** A revert counts as no value. */
function read<T>(outcome: CallOutcome | undefined, decode: (data: Bytes) => T): T | undefined {
  if (outcome === undefined || outcome instanceof ChainError) return undefined;
  return decode(outcome === "reverted" ? EMPTY : outcome);
}
