import type { ErrorCode } from "../../chain/error.ts";
import { asChainError } from "../../chain/error.ts";
import type { Source } from "../../chain/source.ts";
import { NATIVE_BALANCES } from "../../store/native/nativeStage.ts";
import type { NativeBalance } from "../../store/native/nativeWrite.ts";
import type { Store } from "../../store/store.ts";
import { BackgroundFetch } from "../backgroundFetch.ts";
import { explainState } from "../missingHistory.ts";
import type { AskedBlock, BalancePlan } from "./balancePlan.ts";
import { readBalancePlan } from "./balancePlan.ts";
import { BalanceReader } from "./balanceReader.ts";

/** Milliseconds between two looks at accounts that no block named. */
export const AGAIN_EVERY = 10_000;

/** How often a node may refuse the balances of a block before they are all asked for anew, at the newest one. */
export const MAX_REFUSALS = 5;

type AskingPlan = Exclude<BalancePlan, { readonly kind: "begin" }>;

/** What was answered to a plan: balances for each block of it, up to a failure. */
interface Answered {
  readonly plan: AskingPlan;
  readonly balances: readonly (readonly NativeBalance[])[];
  readonly failure?: ErrorCode;
}

export interface BalanceFollowerOptions {
  readonly store: Store;
  readonly source: Pick<Source, "requests" | "hashes">;
  /** Told why balances are not known, each time it is something else. */
  readonly onTrouble?: (reason: string) => void;
  readonly now?: () => number;
}

/**
 * Brings the balances of accounts after the traces, which tell whose a block changed. New blocks do not wait for the node:
 * balances are asked for beside them and written when they are there.
 */
export class BalanceFollower {
  readonly #options: BalanceFollowerOptions;
  readonly #reader: BalanceReader;
  readonly #now: () => number;
  readonly #fetch: BackgroundFetch<Answered>;
  #trouble: string | undefined;
  #again = { next: 0, from: 0 };

  constructor(options: BalanceFollowerOptions) {
    this.#options = options;
    this.#reader = new BalanceReader(options.source);
    this.#now = options.now ?? (() => performance.now());
    this.#fetch = new BackgroundFetch(this.#now);
    this.#again.from = this.#now() + AGAIN_EVERY;
  }

  /** Tells when there is something to write. */
  watch(listener: () => void): void {
    this.#fetch.watch(listener);
  }

  /** Whether something is being asked, or waits to be written. */
  get isBusy(): boolean {
    return this.#fetch.isBusy;
  }

  /** Writes what was answered, and begins to ask what comes next where the core has nothing to do. Waits for no node. */
  async step(isIdle: boolean): Promise<void> {
    const answered = this.#fetch.take();
    if (answered !== undefined) await this.#write(answered);
    if (!isIdle || !this.#fetch.isReady) return;
    const plan = await this.#plan();
    if (plan !== undefined) this.#fetch.begin(this.#ask(plan));
  }

  async #plan(): Promise<AskingPlan | undefined> {
    const { store } = this.#options;
    const again = this.#now() < this.#again.from ? undefined : this.#again.next;
    const plan = await store.read((session) => readBalancePlan(session, again));
    if (plan?.kind !== "begin") return plan;
    await store.nativeBalances.begin(plan.number, plan.targets);
    return this.#plan();
  }

  /** Waits until what is being asked can be written. */
  async settled(): Promise<void> {
    await this.#fetch.settled();
  }

  /** Never throws. */
  async #ask(plan: AskingPlan): Promise<Answered> {
    const blocks = plan.kind === "blocks" ? plan.blocks : [plan.block];
    const balances: NativeBalance[][] = [];
    try {
      for (const block of blocks) balances.push(await this.#reader.read(block));
      return { plan, balances };
    } catch (error) {
      const { code, message } = asChainError(error);
      this.#note(`balances after block ${blocks[balances.length]?.number} are not known: ${explainState(message)}`);
      return { plan, balances, failure: code };
    }
  }

  async #write({ plan, balances, failure }: Answered): Promise<void> {
    const { store } = this.#options;
    if (plan.kind === "blocks") await this.#writeBlocks(plan.blocks, balances);
    else if (balances[0] !== undefined) {
      const asked = { ...plan.block, filled: plan.filled, balances: balances[0] };
      await (plan.kind === "fill" ? store.nativeBalances.fill(asked) : store.nativeBalances.correct(asked));
    }
    if (plan.kind === "again") this.#again = { next: plan.next, from: this.#now() + AGAIN_EVERY };
    if (failure === undefined) {
      this.#fetch.succeed();
      this.#note(undefined);
      return;
    }
    this.#fetch.fail();
    // A node forgets old states: what it no longer says is asked for at the newest block.
    const isRefused = failure === "upstream_rejected" && plan.kind === "blocks" && this.#fetch.failures >= MAX_REFUSALS;
    if (isRefused) await store.nativeBalances.forget();
  }

  async #writeBlocks(blocks: readonly AskedBlock[], balances: readonly (readonly NativeBalance[])[]): Promise<void> {
    const observed = balances.map((own, at) => ({ ...blocks[at]!, events: { balances: own } }));
    if (observed.length > 0) await this.#options.store.extend(NATIVE_BALANCES, observed);
  }

  #note(trouble: string | undefined): void {
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    if (trouble !== undefined) this.#options.onTrouble?.(trouble);
  }
}
