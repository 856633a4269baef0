import type { MerkleStateManager } from "@ethereumjs/statemanager";
import type { Bytes, Hash } from "../chain/encoding/bytes.ts";
import { ChainError } from "../chain/error.ts";
import { FINALIZED_DEPTH, SAFE_DEPTH } from "../chain/finality.ts";
import { EMPTY_ROOT } from "../chain/hashing/trie.ts";
import { defined } from "../std/defined.ts";
import { Mutex } from "../std/mutex.ts";
import type { StoredSidecar } from "./blobs/encodeSidecar.ts";
import type { Candidates } from "./block/assemble.ts";
import { assemble } from "./block/assemble.ts";
import type { MinedBlock } from "./block/minedBlock.ts";
import type { BlockPlan } from "./block/plan.ts";
import { replay } from "./block/replay.ts";
import type { LoggedBlock } from "./block/stored.ts";
import { decodeHeaderRlp, decodeLogged, decodeStored, encodeStored } from "./block/stored.ts";
import type { ContractConsole } from "./console/contractConsole.ts";
import { ChainDatabase } from "./database.ts";
import { damaged, lost } from "./databaseError.ts";
import { DEFAULT_HARDFORK } from "./developmentGenesis.ts";
import type { Genesis } from "./genesis.ts";
import { genesisBlock } from "./genesisBlock.ts";
import { RangeBlooms } from "./logs/rangeBlooms.ts";
import { RecentBlocks } from "./recentBlocks.ts";
import { recordBlocks, reserveBlocks } from "./reserveBlocks.ts";
import type { ForkRules, Rules } from "./rules.ts";
import { keepPace } from "./state/instructions.ts";
import type { Machine, MachineOptions } from "./state/machine.ts";
import { States } from "./state/machine.ts";
import { nextTurn, Pace } from "./state/pace.ts";
import type { StateWalk } from "./state/stateWalk.ts";
import type { WorldState } from "./state/worldState.ts";

/** How the next block comes about. All of it is asked while nobody else changes the chain. */
export interface NextBlock {
  /** None where there is to be no block after all. */
  plan(): BlockPlan | undefined;
  candidates(plan: BlockPlan): Candidates;
  /** The sidecars of the block's blob transactions by place in the block. */
  sidecars(block: MinedBlock): ReadonlyMap<number, StoredSidecar>;
  /** The block is the head now. */
  kept(block: MinedBlock): Promise<void>;
  /** There is no such block. */
  failed?(error: unknown): void;
}

/** What goes back together with the chain. */
export interface Rewinding {
  /** The state to stand at, if not the one after the block. */
  readonly stateRoot?: Bytes;
  /** Done to the database in the same transaction. */
  readonly write?: () => void;
  /** Done before anybody else changes the chain. */
  readonly done?: () => Promise<void>;
}

/** Where the newest fork of a chain is kept. */
export const HARDFORK = "hardfork";

/** Nodes that are written before others may have their turn. */
const NODE_BATCH_SIZE = 1000;

/** A machine remembers what it came by; after this many blocks and transactions another takes its place. */
const REMEMBERED = 5000;

/**
 * The canonical chain: its blocks, its states and its head. Whatever changes it is done one at a time; reads see the
 * last whole block.
 */
export class Chain {
  readonly rules: Rules;
  readonly database: ChainDatabase;
  readonly rangeBlooms: RangeBlooms;
  /** Shows what contracts write while blocks are made. */
  console: ContractConsole | undefined;
  readonly #states: States;
  readonly #recent = new RecentBlocks(16 << 20);
  #head!: MinedBlock;
  #front: { machine: Machine; rules: ForkRules; age: number } | undefined;
  readonly #mutex = new Mutex();
  readonly #watchers = new Set<() => void>();

  private constructor(directory: string | undefined, rules: Rules) {
    this.rules = rules;
    this.database = new ChainDatabase(directory);
    this.rangeBlooms = new RangeBlooms(this.database);
    this.#states = new States(this.database, (number) => this.database.hashOf(number));
  }

  /** Opens the chain of a directory, or begins one. A chain that began otherwise is refused. */
  static async open(directory: string | undefined, genesis: Genesis, rules: Rules): Promise<Chain> {
    const chain = new Chain(directory, rules);
    try {
      await chain.#open(genesis, directory);
    } catch (error) {
      await chain.close();
      throw damaged(error, directory);
    }
    return chain;
  }

  async #open(genesis: Genesis, directory: string | undefined): Promise<void> {
    const head = this.database.head();
    if (typeof head === "number") {
      this.#expectChainId(genesis.config.chainId);
      this.#expectHardfork(directory);
      this.#head = this.expectBlock(head);
      return;
    }
    if (this.database.meta("chain_id") !== undefined) throw lost(directory, "it has no blocks");
    const rules = this.rules.at({ number: 0, timestamp: Number(genesis.timestamp) });
    const machine = await this.#states.machine({ root: EMPTY_ROOT, rules });
    const block = await genesisBlock(genesis, machine, rules);
    const nameChain = () => {
      this.database.setMeta("chain_id", String(genesis.config.chainId));
      this.database.setMeta(HARDFORK, this.rules.newest);
    };
    this.#keep(block, machine, new Map(), nameChain);
  }

  #expectChainId(chainId: number): void {
    const kept = Number(this.database.meta("chain_id"));
    if (kept !== chainId) throw new ChainError("wrong_chain", `the data is of chain ${kept}, not ${chainId}`);
  }

  /** Blocks that were made under one fork are not read under another. */
  #expectHardfork(directory: string | undefined): void {
    const kept = this.database.meta(HARDFORK) ?? DEFAULT_HARDFORK;
    if (kept === this.rules.newest) return;
    throw new ChainError(
      "wrong_chain",
      `the chain in ${directory} has the rules of ${kept}, not of ${this.rules.newest}; start it with --hardfork ${kept}, or begin again with --reset`,
    );
  }

  get head(): MinedBlock {
    return this.#head;
  }

  /** Tells whenever the head is another block or the state after it was changed, until the answered function is called. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  block(number: number): MinedBlock | undefined {
    const known = this.#recent.get(number);
    if (known !== undefined) return known;
    const stored = this.database.block(number);
    if (stored === undefined) return undefined;
    const block = decodeStored(stored, this.rules.at(decodeHeaderRlp(stored.header)));
    this.#recent.set(block);
    return block;
  }

  /** A block for the sake of its logs. */
  logged(number: number): LoggedBlock | undefined {
    const known = this.#recent.get(number);
    if (known !== undefined) return known;
    const stored = this.database.block(number);
    return stored && decodeLogged(stored);
  }

  blockOf(hash: Hash): MinedBlock | undefined {
    const number = this.database.numberOf(hash);
    return number === undefined ? undefined : this.block(number);
  }

  /** A block that the chain has. */
  expectBlock(number: number): MinedBlock {
    return defined(this.block(number));
  }

  transaction(hash: Hash): { readonly block: MinedBlock; readonly position: number } | undefined {
    const location = this.database.transactionLocation(hash);
    return location && { block: this.expectBlock(location.number), position: location.position };
  }

  get safe(): number {
    return this.#settled("safe", SAFE_DEPTH);
  }

  get finalized(): number {
    return this.#settled("finalized", FINALIZED_DEPTH);
  }

  /** Says which block is safe and which final from now on. */
  settle(safe: number, finalized: number): void {
    this.database.transaction(() => {
      this.database.setMeta("safe", String(safe));
      this.database.setMeta("finalized", String(finalized));
    });
  }

  #settled(tag: string, depth: number): number {
    const settled = Number(this.database.meta(tag) ?? 0);
    const { number } = this.#head.header;
    return Math.min(number, Math.max(settled, number - depth, 0));
  }

  /** A machine of one's own at the state after a block. */
  machineAfter(block: MinedBlock, options: Partial<MachineOptions> = {}): Promise<Machine> {
    return this.#states.machine({ root: block.stateRoot, rules: this.rules.at(block.header), ...options });
  }

  /** The accounts, code and slots after a block, to be read. */
  stateAfter(block: MinedBlock): WorldState {
    return this.#states.reader(block.stateRoot);
  }

  /** All accounts, code and slots after a block. */
  walkAfter(block: MinedBlock): StateWalk {
    return this.#states.walk(block.stateRoot);
  }

  /** The state after a block in a form that proves what is in it. */
  proverAfter(block: MinedBlock): MerkleStateManager {
    return this.#states.prover(block.stateRoot, this.rules.at(block.header));
  }

  /** Makes the next block of what the candidates offer. */
  extend(next: NextBlock): Promise<MinedBlock | undefined> {
    return this.#exclusively(async () => {
      try {
        const plan = next.plan();
        if (plan === undefined) return undefined;
        const machine = await this.#frontMachine(plan.rules);
        // A block of heavy transactions takes seconds, and others ask meanwhile.
        keepPace(machine, new Pace(Number.POSITIVE_INFINITY));
        const block = await assemble(machine, plan, next.candidates(plan));
        this.#keep(block, machine, next.sidecars(block));
        await next.kept(block);
        return block;
      } catch (error) {
        // The machine may stand at a state that no block has.
        this.#front = undefined;
        next.failed?.(error);
        throw error;
      }
    });
  }

  /**
   * Adds empty blocks that are not run one by one, `seconds` apart; answers how many. They have the state of the head; the
   * state after the last is that of a chain that ran them all.
   */
  reserve(count: number, seconds: number): Promise<number> {
    return this.#exclusively(async () => {
      const head = this.#head;
      const reservation = await reserveBlocks(head, this.rules, count, seconds);
      if (reservation === undefined) return 0;
      const { runs, last, recent } = reservation;
      const machine = await this.machineAfter(head);
      await recordBlocks(machine, recent);
      const stateRoot = await machine.state.getStateRoot();
      await this.#putNodes(machine.nodes.take());
      this.database.transaction(() => {
        this.database.putEmptyRuns(runs);
        this.database.cut(last);
        this.database.setStateRoot(last, stateRoot);
      });
      this.#recent.clear();
      this.#front = undefined;
      this.#moveHead(this.expectBlock(last));
      return last - head.header.number;
    });
  }

  /** Does something while nobody changes the chain. */
  inTurn(work: () => void): Promise<void> {
    return this.#exclusively(async () => work());
  }

  /** Runs a foreign block on the head and appends it if it gives what its header says. */
  import(rlp: Bytes): Promise<MinedBlock> {
    return this.#exclusively(async () => {
      this.#front = undefined;
      const { block, machine } = await replay(rlp, this.#head, this.rules, (rules) =>
        this.machineAfter(this.#head, { rules }),
      );
      this.#keep(block, machine, new Map());
      return block;
    });
  }

  /** Takes back all blocks above a height, and what goes with them. */
  rewind(number: number, { stateRoot, write, done }: Rewinding = {}): Promise<void> {
    return this.#exclusively(async () => {
      this.database.transaction(() => {
        this.database.cut(number);
        if (stateRoot !== undefined) this.database.setStateRoot(number, stateRoot);
        write?.();
      });
      this.#recent.clear();
      this.#front = undefined;
      this.#moveHead(this.expectBlock(number));
      await done?.();
    });
  }

  /** Changes the state after the head without a block, as the development methods do. */
  alter(change: (machine: Machine) => Promise<void>): Promise<void> {
    return this.#exclusively(async () => {
      const machine = await this.machineAfter(this.#head);
      await change(machine);
      const stateRoot = await machine.state.getStateRoot();
      await this.#putNodes(machine.nodes.take());
      this.database.transaction(() => this.database.setStateRoot(this.#head.header.number, stateRoot));
      this.#front = undefined;
      const head = { ...this.#head, stateRoot };
      this.#recent.set(head);
      this.#moveHead(head);
    });
  }

  /** Many of them part by part: nodes that no state has yet do no harm. */
  async #putNodes(nodes: ReadonlyMap<string, Bytes>): Promise<void> {
    const all = [...nodes];
    for (let at = 0; at < all.length; at += NODE_BATCH_SIZE) {
      const part = new Map(all.slice(at, at + NODE_BATCH_SIZE));
      this.database.transaction(() => this.database.putNodes(part));
      if (all.length > NODE_BATCH_SIZE) await nextTurn();
    }
  }

  /** Ends once what changes the chain has been done. */
  async close(): Promise<void> {
    await this.#mutex.idle();
    this.database.close();
  }

  async #frontMachine(rules: ForkRules): Promise<Machine> {
    const front = this.#front;
    if (front !== undefined && front.rules === rules && front.age < REMEMBERED) return front.machine;
    const machine = await this.machineAfter(this.#head, { rules });
    this.console?.watch(machine);
    this.#front = { machine, rules, age: 0 };
    return machine;
  }

  /** `write` is done to the database in the same transaction. */
  #keep(
    block: MinedBlock,
    machine: Machine,
    sidecars: ReadonlyMap<number, StoredSidecar>,
    write: () => void = () => {},
  ): void {
    const { number, hash } = block.header;
    const transactions = block.transactions.map((tx) => tx.hash);
    const nodes = machine.nodes.take();
    if (this.#front !== undefined) this.#front.age += 1 + transactions.length;
    this.database.transaction(() => {
      this.database.putBlock(number, encodeStored(block), { hash, transactions, nodes, sidecars });
      write();
    });
    this.#recent.set(block);
    this.#moveHead(block);
  }

  #moveHead(block: MinedBlock): void {
    this.#head = block;
    for (const watch of this.#watchers) watch();
  }

  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#mutex.run(work);
  }
}
