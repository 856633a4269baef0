import { EMPTY } from "../../../chain/encoding/bytes.ts";
import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import { itemAt } from "../../../std/values.ts";
import type { MinedBlock } from "../../block/minedBlock.ts";
import type { Chain } from "../../chain.ts";

/** geth's oracle: 60th percentile of the lowest tips of recent blocks, within bounds. */
const BLOCKS = 20;
const SAMPLES = 3;
const PERCENTILE = 60;
const IGNORED_BELOW = 2n;
const MAX_TIP = 500_000_000_000n;

/** 1 gwei for an empty block. */
const DEFAULT = 1_000_000_000n;

const known = new WeakMap<MinedBlock, bigint>();

/** Suggested `maxPriorityFeePerGas`. */
export function suggestTip(chain: Chain): bigint {
  const { head } = chain;
  let tip = known.get(head);
  if (tip === undefined) {
    tip = percentile(lowestTips(chain));
    known.set(head, tip);
  }
  return tip;
}

function lowestTips(chain: Chain): bigint[] {
  const newest = chain.head.header.number;
  const tips: bigint[] = [];
  for (let number = newest; number > Math.max(0, newest - BLOCKS); number--) {
    const paid = tipsOf(chain.expectBlock(number)).filter((tip) => tip >= IGNORED_BELOW);
    tips.push(...(paid.length === 0 ? [DEFAULT] : paid.sort(ascending).slice(0, SAMPLES)));
  }
  return tips;
}

function percentile(tips: bigint[]): bigint {
  if (tips.length === 0) return DEFAULT;
  const tip = itemAt(tips.sort(ascending), Math.floor(((tips.length - 1) * PERCENTILE) / 100));
  return tip > MAX_TIP ? MAX_TIP : tip;
}

/** Effective tips per gas. */
export function tipsOf({ header, receipts }: MinedBlock): bigint[] {
  const baseFee = header.baseFeePerGas === undefined ? 0n : uintToBigInt(header.baseFeePerGas);
  return receipts.map(({ effectiveGasPrice }) => uintToBigInt(effectiveGasPrice ?? EMPTY) - baseFee);
}

export function ascending(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
