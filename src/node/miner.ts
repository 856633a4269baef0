import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Bytes } from "../chain/encoding/bytes.ts";
import { toHex } from "../chain/encoding/hex.ts";
import { keccak256 } from "../chain/hashing/keccak.ts";
import { RPC, RpcError } from "../jsonrpc/rpcError.ts";
import { Turn } from "../std/async.ts";
import { defined } from "../std/values.ts";
import { encodeSidecar } from "./blobs/encodeSidecar.ts";
import { assemble, runBlock } from "./block/assemble.ts";
import { blobGasPrice } from "./block/blobGasPrice.ts";
import type { MinedBlock } from "./block/minedBlock.ts";
import type { BlockPlan, HeaderFields, PlanChoices } from "./block/plan.ts";
import { headerFieldsOf, planBlock } from "./block/plan.ts";
import { currentCaller, hasLeft } from "./caller.ts";
import type { Chain } from "./chain.ts";
import type { Clock } from "./clock.ts";
import { timeAfter } from "./clock.ts";
import { isFull } from "./databaseError.ts";
import { keepPace } from "./machine/instructions.ts";
import type { Machine } from "./machine/machine.ts";
import type { SubmittedTransaction } from "./pool/decodeRawTransaction.ts";
import { PendingResponses } from "./pool/pendingResponses.ts";
import type { Pool } from "./pool/pool.ts";
import { Pace } from "./state/pace.ts";

interface MinerOptions {
  readonly chain: Chain;
  readonly pool: Pool;
  readonly clock: Clock;
  readonly automine: boolean;
  /** Milliseconds between blocks; 0 disables. */
  readonly interval: number;
  readonly onError: (error: unknown) => void;
}

export interface PendingBlock {
  readonly block: MinedBlock;
  /** At the state after the block; the caller may change it. */
  readonly machine: Machine;
}

/** Header and state of the pending block, on which calls run. */
export interface PendingState {
  readonly header: HeaderFields;
  readonly machine: Machine;
}

/** Below this, mining normally is faster. */
const MIN_RESERVED = 1000;

type OnRefused = (tx: SubmittedTransaction, reason: Error) => void;

/** Library errors caused by a later change of the sender's account. */
const OVERTAKEN = /enough funds|correct nonce|not EOA/;

type NextBlockOptions = Omit<PlanChoices, "timestamp">;

export class Miner {
  readonly #chain: Chain;
  readonly #pool: Pool;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  #automine: boolean;
  #isPaused = false;
  #coinbase: Bytes;
  #nextBlock: NextBlockOptions = {};
  #interval = 0;
  #timer: NodeJS.Timeout | undefined;
  #soon: Promise<void> | undefined;
  readonly #unanswered: PendingResponses;

  constructor(options: MinerOptions) {
    this.#chain = options.chain;
    this.#pool = options.pool;
    this.#clock = options.clock;
    this.#automine = options.automine;
    this.#onError = options.onError;
    this.#unanswered = new PendingResponses(options.chain, options.pool);
    this.#coinbase = options.chain.expectBlock(0).header.miner;
    this.setInterval(options.interval);
  }

  get isAutomine(): boolean {
    return this.#automine;
  }

  /** With automine, resolves once the transaction is mined. Throws if it can neither be mined nor kept. */
  onTransaction(hash: Bytes): Promise<void> {
    return this.#unanswered.settle(hash, async () => {
      if (!this.#automine || this.#isPaused) return;
      this.#soon ??= Promise.resolve().then(() => this.#mineAll());
      await this.#soon;
    });
  }

  /** Transactions that arrive meanwhile share the next block. Makes no block if nothing can be mined. */
  async #mineAll(): Promise<void> {
    this.#soon = undefined;
    for (;;) {
      const block = await this.#minePending();
      if (block === undefined || block.transactions.length === 0) return;
      await yieldToEventLoop();
    }
  }

  #hasMore(): boolean {
    if (this.#pool.size === 0) return false;
    const selection = this.#select(this.#plan(false), () => {});
    const [gas, blobs, bytes] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    return selection.next({ gas, blobs, bytes }) !== undefined;
  }

  /** `seconds` is the distance from the second block on. */
  async mine(count = 1, seconds = 1): Promise<void> {
    const turn = new Turn();
    for (let made = 0; made < count && !hasLeft(currentCaller()); made++) {
      if (made > 0) {
        const distance = Math.max(this.#clock.state.distance ?? 1, seconds);
        made += await this.#reserve(count - made - 1, distance);
        this.#clock.setNext(timeAfter(this.#chain.head.header.timestamp, distance));
      }
      await this.#mineOne();
      await turn.yieldToEventLoop();
    }
  }

  /** Derives many empty blocks instead of mining them. Returns how many. */
  async #reserve(count: number, seconds: number): Promise<number> {
    return count < MIN_RESERVED || this.#hasMore() ? 0 : await this.#chain.reserve(count, seconds);
  }

  async setAutomine(isOn: boolean): Promise<void> {
    this.#automine = isOn;
    if (isOn && !this.#isPaused && this.#pool.size > 0) await this.#mineAll();
  }

  pause(): void {
    this.#isPaused = true;
  }

  async resume(): Promise<void> {
    this.#isPaused = false;
    if (this.#automine && this.#pool.size > 0) await this.#mineAll();
  }

  /** Mines exactly these transactions in order. Leaves the pool unchanged. */
  async mineTransactions(transactions: readonly SubmittedTransaction[], choices: PlanChoices): Promise<MinedBlock> {
    const rest = [...transactions];
    const byHash = new Map(rest.map((tx) => [toHex(tx.transaction.hash), tx]));
    // Another block may have been added meanwhile, and times never decrease.
    const timestamp = () => Math.max(choices.timestamp, this.#chain.head.header.timestamp);
    const block = await this.#chain.extend({
      plan: () => this.#planWith({ ...choices, timestamp: timestamp() }),
      candidates: () => ({ next: () => rest.shift(), refused: (_, reason) => this.#onError(reason) }),
      sidecars: (made) => sidecarsOf(made, (hash) => byHash.get(toHex(hash))),
      kept: (made) => this.#pool.settle(made),
    });
    return defined(block);
  }

  get interval(): number {
    return this.#interval;
  }

  setInterval(milliseconds: number): void {
    clearInterval(this.#timer);
    this.#interval = milliseconds;
    if (milliseconds === 0) return;
    let wasFull = false;
    const note = (error: unknown) => {
      // A full disk is reported once.
      if (!wasFull || !isFull(error)) this.#onError(error);
      wasFull = isFull(error);
    };
    this.#timer = setInterval(() => {
      if (this.#isPaused) return;
      this.#mineOne().then(() => {
        wasFull = false;
      }, note);
    }, milliseconds);
    this.#timer.unref();
  }

  setCoinbase(address: Bytes): void {
    this.#coinbase = address;
  }

  setNextBlock(options: NextBlockOptions): void {
    this.#nextBlock = { ...this.#nextBlock, ...options };
  }

  reset(): void {
    this.#nextBlock = {};
    this.#coinbase = this.#chain.expectBlock(0).header.miner;
  }

  setNextTimestamp(time: number): void {
    this.#expectNotBefore(time);
    this.#clock.setNext(time);
  }

  setTime(time: number): void {
    this.#expectNotBefore(time);
    this.#clock.set(time);
  }

  #expectNotBefore(time: number): void {
    const { timestamp } = this.#chain.head.header;
    if (time >= timestamp) return;
    const message = `Timestamp ${time} is lower than previous block's timestamp ${timestamp}`;
    throw new RpcError(RPC.invalidParams, message);
  }

  /** Undefined without automine. */
  nextBaseFee(): bigint | undefined {
    return this.#automine && !this.#isPaused ? this.#plan(false).baseFeePerGas : undefined;
  }

  async pending(): Promise<PendingBlock> {
    const { plan, machine, candidates } = await this.#openPending();
    return { block: await assemble(machine, plan, candidates), machine };
  }

  /** The state after the pending block without its roots, which nobody asks a call for. */
  async pendingState(): Promise<PendingState> {
    const { plan, machine, candidates } = await this.#openPending();
    await runBlock(machine, plan, candidates);
    return { header: headerFieldsOf(plan), machine };
  }

  async #openPending() {
    const plan = this.#plan(false);
    const candidates = this.#select(plan, () => {});
    const machine = await this.#chain.machineAfter(this.#chain.head, { rules: plan.rules });
    keepPace(machine, new Pace(Number.POSITIVE_INFINITY));
    return { plan, machine, candidates };
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #mineOne(): Promise<MinedBlock> {
    return defined(await this.#mineIf(() => true));
  }

  /** Undefined if nothing can be mined. */
  #minePending(): Promise<MinedBlock | undefined> {
    return this.#mineIf(() => this.#hasMore());
  }

  #mineIf(isWanted: () => boolean): Promise<MinedBlock | undefined> {
    const refused: SubmittedTransaction[] = [];
    const refuse = (tx: SubmittedTransaction, reason: Error) => {
      refused.push(tx);
      if (OVERTAKEN.test(reason.message)) return;
      this.#onError(new Error("a pending transaction cannot run and is dropped", { cause: reason }));
    };
    return this.#chain.extend({
      plan: () => (isWanted() ? this.#plan(true) : undefined),
      candidates: (plan) => this.#select(plan, refuse),
      sidecars: (block) => sidecarsOf(block, (hash) => this.#pool.get(hash)),
      kept: (block) => this.#settle(block, refused),
      failed: (error) => this.#unanswered.refuseAll(error),
    });
  }

  async #settle(block: MinedBlock, refused: readonly SubmittedTransaction[]): Promise<void> {
    for (const { transaction } of refused) this.#pool.drop(transaction.hash);
    await this.#pool.settle(block);
    try {
      for (const { transaction } of refused) this.#chain.database.dropPooled(transaction.hash);
    } catch (error) {
      // Dropped again after a restart.
      this.#onError(error);
    }
  }

  #plan(isMade: boolean): BlockPlan {
    const { header } = this.#chain.head;
    const timestamp = isMade ? this.#clock.take(header.timestamp) : this.#clock.peek(header.timestamp);
    const plan = this.#planWith({ miner: this.#coinbase, ...this.#nextBlock, timestamp });
    if (isMade) this.#nextBlock = {};
    return plan;
  }

  #planWith(choices: PlanChoices): BlockPlan {
    const { header } = this.#chain.head;
    // Contracts use it as randomness: it must differ per block and be reproducible in tests.
    const mixHash = keccak256(header.hash);
    return planBlock(header, this.#chain.rules, { mixHash, ...choices });
  }

  #select(plan: BlockPlan, onRefused: OnRefused) {
    return this.#pool.select(plan.baseFeePerGas, blobGasPrice(plan.excessBlobGas, plan.rules), onRefused);
  }
}

function sidecarsOf(block: MinedBlock, find: (hash: Bytes) => SubmittedTransaction | undefined) {
  const sidecars = new Map<number, ReturnType<typeof encodeSidecar>>();
  for (const [position, { hash }] of block.transactions.entries()) {
    const sidecar = find(hash)?.sidecar;
    if (sidecar !== undefined) sidecars.set(position, encodeSidecar(sidecar));
  }
  return sidecars;
}
