import { setTimeout as delay, setImmediate as yieldToEventLoop } from "node:timers/promises";
import { Address } from "@ethereumjs/util";
import type { Hex } from "../chain/encoding/hex.ts";
import { fromHex, toHex } from "../chain/encoding/hex.ts";
import { uintToBigInt } from "../chain/encoding/uint.ts";
import { ChainError } from "../chain/error.ts";
import type { DevelopmentContext } from "../node/context.ts";
import { isFull } from "../node/databaseError.ts";
import type { SubmittedTransaction } from "../node/pool/decodeRawTransaction.ts";
import { itemAt, messageOf } from "../std/values.ts";
import { Actors } from "./actors.ts";
import { loadArtifacts } from "./artifacts.ts";
import { mark, stepsDone } from "./mark.ts";
import { Random } from "./random.ts";
import type { PastRecord } from "./record.ts";
import { isWhole, readRecord, writeRecord } from "./record.ts";
import type { Addresses } from "./scene/addresses.ts";
import type { PlannedIntent } from "./scene/plan.ts";
import type { Scene } from "./scene/scene.ts";
import { planScene } from "./scene/scene.ts";
import { specOf } from "./scene/spec.ts";
import { timeOf } from "./schedule.ts";
import { hasPending, sendAll, signAll } from "./sending.ts";
import { compose } from "./traffic/mix.ts";
import { TrafficContext } from "./traffic/trafficContext.ts";
import { View } from "./view.ts";

export interface DemonstrationOptions {
  readonly network: string;
  /** Seed of all randomness; defaults to the network's name. Fixed for the life of a chain. */
  readonly seed?: string;
  /** Blocks of history; defaults to the scene's. */
  readonly blocks?: number;
  /** Days of history before now. */
  readonly days?: number;
  /** Milliseconds between checks of a full disk. */
  readonly roomCheck?: number;
  readonly onError: (error: unknown) => void;
  /** Receives the reason when live traffic ends. */
  readonly onEnd: (reason: string) => void;
}

export const DAYS = 7;
const DAY = 86_400;

/** Milliseconds between checks of a full disk. */
const ROOM_CHECK = 10_000;

const MIN_GAS_LIMIT = 8_000_000n;

/** Consecutive refusals after which live traffic ends. */
const MAX_REFUSALS = 10;

export class Demonstration {
  readonly #context: DevelopmentContext;
  readonly #scene: Scene;
  readonly #options: Pick<DemonstrationOptions, "onError" | "onEnd" | "roomCheck">;
  readonly #addresses: ReadonlySet<string>;
  readonly #begin: number;
  #record: PastRecord;
  #refusals = 0;
  #hasEnded = false;

  private constructor(
    context: DevelopmentContext,
    scene: Scene,
    record: PastRecord,
    options: Pick<DemonstrationOptions, "onError" | "onEnd" | "roomCheck">,
  ) {
    this.#context = context;
    this.#scene = scene;
    this.#record = record;
    this.#options = options;
    this.#begin = context.chain.expectBlock(0).header.timestamp;
    this.#addresses = new Set(scene.actors.all.map(({ address }) => address));
  }

  /** Accounts that the genesis block must fund. */
  static funded(network: string): Hex[] {
    return new Actors(network).all.map(({ address }) => address);
  }

  /** Undefined if the contracts cannot be loaded. */
  static addresses(network: string): Addresses | undefined {
    return sceneOf(network)?.addresses;
  }

  /** Resumes from the state of the chain. Returns the reason if the chain cannot have a demonstration. */
  static async open(
    { context }: { readonly context: DevelopmentContext },
    options: DemonstrationOptions,
  ): Promise<{ readonly demonstration: Demonstration } | { readonly off: string }> {
    const { network } = options;
    const loaded = loadArtifacts();
    if ("missing" in loaded) return { off: loaded.missing };
    const scene = planScene(specOf(network), new Actors(network), loaded.artifacts);
    const off = await reasonAgainst(context, scene);
    if (off !== undefined) return { off };
    const record = readRecord(context.chain) ?? newRecord(scene, options);
    writeRecord(context.chain, record);
    return { demonstration: new Demonstration(context, scene, record, options) };
  }

  get scene(): Scene {
    return this.#scene;
  }

  get addresses(): Addresses {
    return this.#scene.addresses;
  }

  get isComplete(): boolean {
    return this.#record.end !== undefined;
  }

  get progress(): { readonly done: number; readonly blocks: number } {
    const { blocks } = this.#record;
    return { done: this.isComplete ? blocks : stepsDone(this.#context.chain), blocks };
  }

  /**
   * Mines the missing blocks of history and yields between them. Transactions sent meanwhile stay pending. Resumable
   * after an abort.
   */
  async buildPast(signal?: AbortSignal): Promise<void> {
    const { miner, clock, chain } = this.#context;
    if (this.isComplete) return;
    miner.pause();
    // A block requested meanwhile must not be dated in the present.
    clock.set(chain.head.header.timestamp);
    try {
      for (let step = stepsDone(chain); step < this.#record.blocks; step++) {
        if (signal?.aborted) return;
        if (step >= this.#scene.blocks.length && this.#isOver()) break;
        if (!(await this.#makeBlockWithRoom(step, signal))) return;
        clock.set(chain.head.header.timestamp);
        await yieldToEventLoop();
        if (stepsDone(chain) !== step + 1) throw new Error("the chain went back while its past was made");
      }
      this.#close();
    } finally {
      clock.reset();
      await miner.resume();
    }
  }

  /** Waits for disk space. Returns false if aborted. */
  async #makeBlockWithRoom(step: number, signal: AbortSignal | undefined): Promise<boolean> {
    for (let attempt = 0; ; attempt++) {
      try {
        await this.#makeBlock(step);
        return true;
      } catch (error) {
        if (!isFull(error)) throw error;
        if (attempt === 0) this.#options.onError(waitsForRoom(error));
      }
      await delay(this.#options.roomCheck ?? ROOM_CHECK, undefined, { signal }).catch(() => undefined);
      if (signal?.aborted) return false;
    }
  }

  /**
   * Sends the transactions of one block through the pool. Returns false when there is nothing more to send: the chain
   * was reverted to before the scene, or keeps refusing.
   */
  async live(): Promise<boolean> {
    if (this.#hasEnded) return false;
    const { chain, clock } = this.#context;
    const { header } = chain.head;
    const view = new View(this.#context);
    if (!(await this.#isThere(view))) return this.#endLive("the chain went back to before its contracts");
    if (hasPending(this.#context, this.#addresses)) return true;
    const random = new Random(`${this.#record.seed} live ${toHex(header.hash)}`);
    try {
      const signed = await this.#signTraffic(view, random, clock.peek(header.timestamp));
      await sendAll(this.#context, signed);
      this.#refusals = 0;
    } catch (error) {
      // Resumes when there is disk space.
      if (isFull(error)) return true;
      this.#options.onError(new Error("traffic of the demonstration was refused", { cause: error }));
      if (++this.#refusals === MAX_REFUSALS)
        return this.#endLive(`the chain refused it ${MAX_REFUSALS} times in a row`);
    }
    return true;
  }

  #endLive(reason: string): false {
    this.#hasEnded = true;
    this.#options.onEnd(reason);
    return false;
  }

  async #isThere(view: View): Promise<boolean> {
    const { nonce } = await view.account(this.#scene.actors.builder.address);
    return Number(nonce) >= this.#scene.builderNonce && (await view.hasCode(this.addresses.v3.quoter));
  }

  async #makeBlock(step: number): Promise<void> {
    const { chain, pool, miner } = this.#context;
    const { actors, blocks } = this.#scene;
    const view = new View(this.#context);
    const random = new Random(`${this.#record.seed} block ${step}`);
    const timestamp = Math.max(chain.head.header.timestamp + 1, this.#timeOf(step));
    const planned = blocks[step];
    const signed = planned
      ? await this.#signPlanned(view, random, planned)
      : await this.#signTraffic(view, random, timestamp);
    // The pool verifies blobs.
    for (const tx of signed) {
      if (tx.sidecar !== undefined && pool.get(tx.transaction.hash) === undefined) await pool.add(tx);
    }
    const validator = fromHex(random.pick(actors.validators));
    const block = await miner.mineTransactions(signed, { timestamp, extraData: mark(step), miner: validator });
    if (planned !== undefined && block.receipts.filter(({ status }) => status === 1).length < planned.length) {
      throw new Error(`the contracts of the demonstration cannot be deployed: block ${block.header.number} failed`);
    }
  }

  async #signPlanned(view: View, random: Random, planned: readonly PlannedIntent[]): Promise<SubmittedTransaction[]> {
    const first = itemAt(planned, 0);
    const { nonce } = await view.account(first.from.address);
    if (Number(nonce) !== first.nonce) throw new Error(`somebody else used the account of ${first.from.name}`);
    return signAll(this.#context, view, planned, random);
  }

  async #signTraffic(view: View, random: Random, time: number): Promise<SubmittedTransaction[]> {
    const traffic = new TrafficContext({ scene: this.#scene, seed: this.#record.seed, view, random, time });
    return signAll(this.#context, view, await compose(traffic), random);
  }

  #close(): void {
    const { chain } = this.#context;
    const { number, hash } = chain.head.header;
    this.#record = { ...this.#record, end: { number, hash: toHex(hash) } };
    writeRecord(chain, this.#record);
  }

  #timeOf(step: number): number {
    const { seed, blocks, span } = this.#record;
    return timeOf({ seed, blocks, span, begin: this.#begin, scene: this.#scene.blocks.length }, step);
  }

  /** Whether a block with a later time exists, which makes the missing history impossible. */
  #isOver(): boolean {
    return this.#context.chain.head.header.timestamp > this.#begin + this.#record.span;
  }
}

function waitsForRoom(error: unknown): ChainError {
  const message = `the past of the demonstration waits for room: ${messageOf(error)}`;
  return new ChainError("store_full", message, { cause: error });
}

function sceneOf(network: string): Scene | undefined {
  const loaded = loadArtifacts();
  if ("missing" in loaded) return undefined;
  return planScene(specOf(network), new Actors(network), loaded.artifacts);
}

function newRecord(scene: Scene, { network, seed = network, blocks, days = DAYS }: DemonstrationOptions): PastRecord {
  const max = Math.max(blocks ?? scene.spec.blocks, scene.blocks.length);
  return { seed, blocks: max, span: Math.round(days * DAY) };
}

async function reasonAgainst({ chain }: DevelopmentContext, { actors }: Scene): Promise<string | undefined> {
  const record = readRecord(chain);
  const { number, gasLimit } = chain.head.header;
  if (record?.end !== undefined && !isWhole(chain, record)) return "the chain was taken back to before its end";
  if (record !== undefined && record.end === undefined && number > 0 && stepsDone(chain) === 0) {
    return "the chain was taken back to its beginning and went on without it";
  }
  if (record === undefined && number > 0) return "the chain began without it";
  const funded = await chain.stateAfter(chain.expectBlock(0)).getAccount(new Address(fromHex(actors.builder.address)));
  if (funded === undefined) return "the chain began without accounts for it";
  if (uintToBigInt(gasLimit) < MIN_GAS_LIMIT) return `blocks have less than ${MIN_GAS_LIMIT} gas`;
  return undefined;
}
