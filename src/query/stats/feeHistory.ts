import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { Turn } from "../../std/async.ts";
import type { ReadSession } from "../../store/session.ts";

interface Sum {
  /** Of blocks from the key on up to this one, whose hash identifies all of them. */
  readonly to: number;
  readonly hash: Bytes;
  readonly fees: bigint;
}

interface Period {
  readonly from: number;
  /** Inclusive. */
  readonly to: number;
}

interface Part extends Period {
  readonly period: number;
}

/** Blocks of a statement, statements issued together, and blocks of a request. */
const PART = 256;
const TOGETHER = 16;
const MAX_BLOCKS = 16_384;

const MAX_KNOWN = 1024;

/**
 * Fees of periods. No row has them as a running total, so that block rows are summed: some with each request, the newest
 * first. Sums are kept, and checked by the hash of their last block.
 */
export class FeeHistory {
  readonly #known = new Map<number, Sum>();

  /** Undefined for a period that is not summed yet. */
  async sum(session: ReadSession, periods: readonly Period[]): Promise<(bigint | undefined)[]> {
    const sums = await this.#check(session, periods);
    for (const some of groups(partsOf(periods, sums))) {
      const fees = await Promise.all(some.map(({ from, to }) => session.blocks.fees(from, to)));
      const stamps = await session.blocks.stamps(some.map(({ to }) => to));
      for (const [at, { period, to }] of some.entries()) {
        const { hash } = stamps.get(to)!;
        sums[period] = { to, hash, fees: (sums[period]?.fees ?? 0n) + fees[at]! };
        this.#keep(periods[period]!.from, sums[period]);
      }
      await new Turn().yieldToEventLoop();
    }
    return periods.map(({ from, to }, at) => (to < from ? 0n : sums[at]?.to === to ? sums[at].fees : undefined));
  }

  async #check(session: ReadSession, periods: readonly Period[]): Promise<(Sum | undefined)[]> {
    const known = periods.map(({ from }) => this.#known.get(from));
    const stamps = await session.blocks.stamps(known.flatMap((sum) => sum?.to ?? []));
    return periods.map(({ to }, at) => {
      const sum = known[at];
      const stamp = sum && stamps.get(sum.to);
      return sum !== undefined && stamp !== undefined && sum.to <= to && equalBytes(stamp.hash, sum.hash)
        ? sum
        : undefined;
    });
  }

  #keep(from: number, sum: Sum): void {
    this.#known.delete(from);
    this.#known.set(from, sum);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN) this.#known.delete(oldest!);
  }
}

/** Missing periods, newest first, each from its oldest block on. */
function partsOf(periods: readonly Period[], sums: readonly (Sum | undefined)[]): Part[] {
  const parts: Part[] = [];
  let budget = MAX_BLOCKS;
  for (let period = periods.length - 1; period >= 0; period--) {
    const { from, to } = periods[period]!;
    for (let at = (sums[period]?.to ?? from - 1) + 1; at <= to; at += PART) {
      if (budget <= 0) return parts;
      const end = Math.min(at + PART - 1, to);
      parts.push({ period, from: at, to: end });
      budget -= end - at + 1;
    }
  }
  return parts;
}

function groups(parts: readonly Part[]): Part[][] {
  return Array.from({ length: Math.ceil(parts.length / TOGETHER) }, (_, at) =>
    parts.slice(at * TOGETHER, (at + 1) * TOGETHER),
  );
}
