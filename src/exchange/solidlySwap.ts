import { MAX_UINT256 } from "../chain/encoding/uint.ts";
import type { PoolType } from "../chain/exchange/exchangeFields.ts";
import { isSolidly } from "../chain/exchange/exchangeFields.ts";
import type { StableCurve, StableOutput } from "./stableCurve.ts";
import { stableOutput } from "./stableCurve.ts";

/** The fee leaves the pool, so that reserves are without it. It is in hundredths of a basis point. */
export interface SolidlyPool {
  readonly type: "volatile" | "stable";
  readonly fee: number;
  readonly reserve0: bigint;
  readonly reserve1: bigint;
  /** Of a stable pool. */
  readonly curve: StableCurve | undefined;
}

export const isSolidlyPool = (pool: { readonly type: PoolType }): pool is SolidlyPool => isSolidly(pool.type);

interface SolidlyOutput extends StableOutput {
  readonly after: SolidlyPool;
}

const MILLION = 1_000_000n;
const BASIS_POINT = 100n;

/** As `getAmountOut` of the contracts computes it; undefined where they revert or pay nothing. */
export function swapSolidly(pool: SolidlyPool, amountIn: bigint, isToken0: boolean): SolidlyOutput | undefined {
  const { reserve0, reserve1, fee, curve } = pool;
  const [reserveIn, reserveOut] = isToken0 ? [reserve0, reserve1] : [reserve1, reserve0];
  const rate = BigInt(fee);
  if (reserveIn <= 0n || reserveOut <= 0n || rate >= MILLION) return undefined;
  if ((amountIn * rate) / BASIS_POINT > MAX_UINT256) return undefined;
  const left = amountIn - (amountIn * rate) / MILLION;
  const output =
    pool.type === "volatile"
      ? volatileOutput(reserveIn, reserveOut, left)
      : curve && stableOutput(curve, [reserve0, reserve1], left, isToken0);
  if (output === undefined || output.amountOut === 0n || output.amountOut >= reserveOut) return undefined;
  const [nowIn, nowOut] = [reserveIn + left, reserveOut - output.amountOut];
  const after = isToken0 ? { reserve0: nowIn, reserve1: nowOut } : { reserve0: nowOut, reserve1: nowIn };
  return { ...output, after: { ...pool, ...after } };
}

function volatileOutput(reserveIn: bigint, reserveOut: bigint, left: bigint): StableOutput | undefined {
  const [product, sum] = [left * reserveOut, reserveIn + left];
  return product > MAX_UINT256 || sum > MAX_UINT256 ? undefined : { amountOut: product / sum, steps: 1 };
}
