import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";

/** In units of 1 / SCALE dollars at the prices of the period's end. */
export interface PeriodValue {
  /** Anchors held by all pools at the end of the period. */
  readonly locked: bigint;
  /** By pools of named exchanges. */
  readonly traded: bigint;
}

const MAX_KNOWN = 1024;

/** PeriodValues of past periods, which are many reads each: some are computed with each request, the newest first. */
export class KnownPeriods {
  readonly #known = new Map<string, { readonly hash: Bytes; readonly pools: number; readonly value: PeriodValue }>();

  find(key: string, hash: Bytes, pools: number): PeriodValue | undefined {
    const known = this.#known.get(key);
    return known !== undefined && known.pools === pools && equalBytes(known.hash, hash) ? known.value : undefined;
  }

  keep(key: string, hash: Bytes, pools: number, value: PeriodValue): void {
    this.#known.set(key, { hash, pools, value });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN) this.#known.delete(oldest!);
  }
}
