import type { ErrorCode } from "../../chain/error.ts";
import { asChainError } from "../../chain/error.ts";
import type { Source } from "../../chain/source.ts";
import { NATIVE_BALANCES } from "../../store/stages/native/nativeStage.ts";
import type { NativeBalance } from "../../store/stages/native/nativeWrite.ts";
import type { Store } from "../../store/store.ts";
import { BackgroundFetch } from "../backgroundFetch.ts";
import { explainState } from "../missingHistory.ts";
import type { AskedBlock, BalancePlan } from "./balancePlan.ts";
import { readBalancePlan } from "./balancePlan.ts";
import { BalanceReader } from "./balanceReader.ts";

/** Milliseconds between refreshes of accounts that no block changed. */
export const AGAIN_EVERY = 10_000;

/** Refusals after which all balances are queried again at the newest block. */
export const MAX_REFUSALS = 5;

type AskingPlan = Exclude<BalancePlan, { readonly kind: "begin" }>;

/** Balances per planned block, up to the first failure. */
interface Answered {
  readonly plan: AskingPlan;
  readonly balances: readonly (readonly NativeBalance[])[];
  readonly failure?: ErrorCode;
}

interface BalanceFollowerOptions {
  readonly store: Store;
  readonly source: Pick<Source, "requests" | "hashes">;
  /** Called when the reason changes. */
  readonly onError?: (reason: string) => void;
  readonly now?: () => number;
}

/**
 * Advances native balances after the traces stage, which names the changed accounts. Balances are queried in the
 * background and written when they arrive.
 */
export class BalanceFollower {
  readonly #options: BalanceFollowerOptions;
  readonly #reader: BalanceReader;
  readonly #now: () => number;
  readonly #fetch: BackgroundFetch<Answered>;
  #failure: string | undefined;
  #again = { next: 0, from: 0 };

  constructor(options: BalanceFollowerOptions) {
    this.#options = options;
    this.#reader = new BalanceReader(options.source);
    this.#now = options.now ?? (() => performance.now());
    this.#fetch = new BackgroundFetch(this.#now);
    this.#again.from = this.#now() + AGAIN_EVERY;
  }

  watch(listener: () => void): void {
    this.#fetch.watch(listener);
  }

  get isBusy(): boolean {
    return this.#fetch.isBusy;
  }

  /** Writes what has arrived, and starts the next query if the core is idle. Never waits for a node. */
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

  async settled(): Promise<void> {
    await this.#fetch.settled();
  }

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
      const asked = { ...plan.block, backfilled: plan.backfilled, balances: balances[0] };
      await (plan.kind === "fill" ? store.nativeBalances.fill(asked) : store.nativeBalances.correct(asked));
    }
    if (plan.kind === "again") this.#again = { next: plan.next, from: this.#now() + AGAIN_EVERY };
    if (failure === undefined) {
      this.#fetch.succeed();
      this.#note(undefined);
      return;
    }
    this.#fetch.fail();
    // Nodes prune old states: the account is then queried at the newest block.
    const isRefused = failure === "upstream_rejected" && plan.kind === "blocks" && this.#fetch.failures >= MAX_REFUSALS;
    if (isRefused) await store.nativeBalances.forget();
  }

  async #writeBlocks(blocks: readonly AskedBlock[], balances: readonly (readonly NativeBalance[])[]): Promise<void> {
    const observed = balances.map((own, at) => ({ ...blocks[at]!, events: { balances: own } }));
    if (observed.length > 0) await this.#options.store.extend(NATIVE_BALANCES, observed);
  }

  #note(failure: string | undefined): void {
    if (failure === this.#failure) return;
    this.#failure = failure;
    if (failure !== undefined) this.#options.onError?.(failure);
  }
}
