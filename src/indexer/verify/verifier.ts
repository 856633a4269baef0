import { setTimeout as delay } from "node:timers/promises";
import { asChainError } from "../../chain/error.ts";
import { auditStore } from "../../store/audit/audit.ts";
import type { Verified } from "../../store/audit/verified.ts";
import { MAX_DAMAGED, NOTHING_VERIFIED, readVerified } from "../../store/audit/verified.ts";
import { openStoreReadOnly } from "../../store/openStore.ts";
import { verifyBlock } from "../../store/stages/verifyBlock.ts";
import type { Store } from "../../store/store.ts";
import type { StoreReader } from "../../store/storeReader.ts";
import { AUDITED_STAGES } from "../stages.ts";
import type { IdleTime } from "./idleTime.ts";

/** Transactions and transfers up to which mutable rows are recomputed. */
const MAX_RECOMPUTED = 200_000;
const SAVE_EVERY = 60_000;
/** Milliseconds between rounds: as a multiple of the last one, so that an index at rest costs almost nothing. */
const BETWEEN_ROUNDS = { min: 1000, max: 3_600_000, factor: 1 };

interface VerifierOptions {
  readonly url: string;
  readonly store: Pick<Store, "setMeta" | "latest">;
  readonly idle: IdleTime;
  readonly signal: AbortSignal;
  readonly rest?: typeof BETWEEN_ROUNDS;
  readonly saveMilliseconds?: number;
  /** Called when the finding changes. */
  readonly onDamage?: (problem: string) => void;
}

/**
 * Continuously re-verifies the index while the indexer is idle. Each round uses a new connection, since caches of an
 * old one may differ from the disk.
 */
export class Verifier {
  readonly #options: VerifierOptions;
  #state = NOTHING_VERIFIED;
  #savedAt = Number.NEGATIVE_INFINITY;

  constructor(options: VerifierOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { store, signal, rest = BETWEEN_ROUNDS } = this.#options;
    this.#state = readVerified(await store.latest.meta("verified").catch(() => undefined));
    while (!signal.aborted) {
      const began = performance.now();
      let factor = 0;
      try {
        await this.#round();
        factor = rest.factor;
      } catch (error) {
        // Busy or unopenable databases are retried; damage is a finding.
        const { code, message } = asChainError(error);
        if (code === "store_corrupt" || code === "internal") await this.#note({ problem: message });
      }
      const milliseconds = Math.min(Math.max((performance.now() - began) * factor, rest.min), rest.max);
      await delay(milliseconds, undefined, { signal }).catch(() => {});
    }
    await this.#save();
  }

  async #round(): Promise<void> {
    const { url, idle } = this.#options;
    await idle.turn();
    const store = await openStoreReadOnly(url, { turn: () => idle.turn() });
    try {
      const first = (await store.latest.blocks.first())?.header.number;
      let tip = (await store.latest.blocks.tip())?.number;
      if (first === undefined || tip === undefined) return;
      for (let next = Math.max(this.#state.next, first); next <= tip; next++) {
        await this.#verify(store, next);
        if (next === tip) tip = (await store.latest.blocks.tip())?.number ?? tip;
      }
      await this.#recompute(store);
      const damaged = this.#state.damaged.filter((number) => number >= first && number <= tip);
      await this.#note({ rounds: this.#state.rounds + 1, next: 0, damaged });
      await this.#save();
    } finally {
      await store.close();
    }
  }

  async #verify(store: StoreReader, number: number): Promise<void> {
    const [problem] = await store.read((session) => verifyBlock(session, number, AUDITED_STAGES));
    const others = this.#state.damaged.filter((other) => other !== number);
    const isGone = problem !== undefined && ((await store.latest.blocks.tip())?.number ?? -1) < number;
    if (problem === undefined || isGone) {
      await this.#note({ next: number + 1, damaged: others });
      return;
    }
    const damaged = [...others, number].sort((a, b) => a - b).slice(0, MAX_DAMAGED);
    await this.#note({ next: number + 1, damaged, problem });
  }

  /** Mutable rows are only consistent within one snapshot, so all are recomputed in one. */
  async #recompute(store: StoreReader): Promise<void> {
    await store.read(async (session) => {
      const { transactions = 0, logs = 0 } = (await session.blocks.tip())?.totals ?? {};
      let rows = transactions + logs;
      for (const { stage } of AUDITED_STAGES) rows += await stage.size(session);
      if (rows > MAX_RECOMPUTED) return;
      const problems = await auditStore(session);
      for (const { stage, events } of AUDITED_STAGES) problems.push(...(await stage.audit(session, events)));
      await this.#note({ differences: problems.length, problem: problems[0] ?? null });
    });
  }

  async #note(changed: Partial<Verified>): Promise<void> {
    const before = this.#state;
    this.#state = { ...before, ...changed };
    if (this.#state.damaged.length === 0 && this.#state.differences === 0 && changed.problem === undefined)
      this.#state = { ...this.#state, problem: null };
    const { problem, damaged } = this.#state;
    const hasChanged = problem !== before.problem || damaged.length !== before.damaged.length;
    if (problem !== null && problem !== before.problem) this.#options.onDamage?.(problem);
    const { saveMilliseconds = SAVE_EVERY } = this.#options;
    if (hasChanged || performance.now() - this.#savedAt > saveMilliseconds) await this.#save();
  }

  /** Not after each block: every commit invalidates readers' caches. */
  async #save(): Promise<void> {
    this.#savedAt = performance.now();
    // A full disk cannot store the status; it is repeated later.
    await this.#options.store.setMeta({ verified: JSON.stringify(this.#state) }).catch(() => {});
  }
}
