import type { QueryContext } from "../context.ts";
import { readHeight } from "./newestBlock.ts";

export interface Countdown {
  readonly height: number;
  readonly remaining: number;
  readonly seconds: number;
}

/** Undefined for an existing block. */
export async function readCountdown(context: QueryContext, block: number): Promise<Countdown | undefined> {
  const height = await readHeight(context);
  const remaining = block - height;
  if (remaining <= 0) return undefined;
  const { blockTime = 0 } = (await context.stats.figures()) ?? {};
  return { height, remaining, seconds: (remaining * blockTime) / 1000 };
}
