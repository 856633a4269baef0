import type { MerkleStateManager } from "@ethereumjs/statemanager";
import type { Bytes, Hash } from "../chain/encoding/bytes.ts";
import { ChainError } from "../chain/error.ts";
import { FINALIZED_DEPTH, SAFE_DEPTH } from "../chain/finality.ts";
import { EMPTY_ROOT } from "../chain/hashing/trie.ts";
import { Mutex } from "../std/async.ts";
import { defined } from "../std/values.ts";
import type { StoredSidecar } from "./blobs/encodeSidecar.ts";
import { assemble } from "./block/assemble.ts";
import type { LoggedBlock } from "./block/loggedBlock.ts";
import { decodeLogged } from "./block/loggedBlock.ts";
import type { MinedBlock } from "./block/minedBlock.ts";
import { replay } from "./block/replay.ts";
import { decodeHeaderRlp, decodeStored, encodeStored } from "./block/stored.ts";
import type { LoadedChain, NextBlock, Rewinding } from "./chainChanges.ts";
import type { ContractConsole } from "./console/contractConsole.ts";
import { ChainDatabase } from "./database.ts";
import { chainLost, mapDatabaseError } from "./databaseError.ts";
import { DEFAULT_HARDFORK } from "./developmentGenesis.ts";
import type { Genesis } from "./genesis.ts";
import { genesisBlock } from "./genesisBlock.ts";
import { countShared, expectKnownState, isKnownState, replaceBlocks } from "./loadBlocks.ts";
import { keepPace } from "./machine/instructions.ts";
import type { Machine, MachineOptions } from "./machine/machine.ts";
import { States } from "./machine/machine.ts";
import { RangeBlooms } from "./rangeBlooms.ts";
import { RecentBlocks } from "./recentBlocks.ts";
import { recordBlocks, reserveBlocks } from "./reserveBlocks.ts";
import type { ForkRules, Rules } from "./rules.ts";
import { nextTurn, Pace } from "./state/pace.ts";
import type { StateWalk } from "./state/stateWalk.ts";
import type { WorldState } from "./state/worldState.ts";

export const HARDFORK = "hardfork";

/** Trie nodes written between yields. */
const NODE_BATCH_SIZE = 1000;

/** Blocks and transactions after which the machine is replaced, since it accumulates caches. */
const MAX_MACHINE_AGE = 250;

/** Encoded size of the cached blocks, which take about twenty times as much as objects. */
const MAX_RECENT_BYTES = 1 << 18;

/** The canonical chain. Changes are serialized; reads see the last complete block. */
export class Chain {
  readonly rules: Rules;
  readonly database: ChainDatabase;
  readonly rangeBlooms: RangeBlooms;
  /** Receives console.log output of contracts while blocks are made. */
  console: ContractConsole | undefined;
  readonly #states: States;
  readonly #recent = new RecentBlocks(MAX_RECENT_BYTES);
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

  /** Opens or creates a chain. Throws if the stored genesis differs. */
  static async open(directory: string | undefined, genesis: Genesis, rules: Rules): Promise<Chain> {
    const chain = new Chain(directory, rules);
    try {
      await chain.#open(genesis, directory);
    } catch (error) {
      await chain.close();
      throw mapDatabaseError(error, directory);
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
    if (this.database.meta("chain_id") !== undefined) throw chainLost(directory, "it has no blocks");
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

  /** A chain is never read under another fork's rules. */
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

  /** Calls the watcher when the head or its state changes. Returns a function that unsubscribes. */
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

  logged(number: number): LoggedBlock | undefined {
    const known = this.#recent.get(number);
    if (known !== undefined) return known;
    const stored = this.database.block(number);
    return stored && decodeLogged(stored);
  }

  blooms(from: number, to: number): readonly { readonly number: number; readonly bloom: Bytes }[] {
    const recent = this.#recent.range(from, to);
    if (recent === undefined) return this.database.blooms(from, to);
    return recent.map(({ header }) => ({ number: header.number, bloom: header.logsBloom }));
  }

  blockOf(hash: Hash): MinedBlock | undefined {
    const number = this.database.numberOf(hash);
    return number === undefined ? undefined : this.block(number);
  }

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

  async machineAfter(block: MinedBlock, options: Partial<MachineOptions> = {}): Promise<Machine> {
    expectKnownState(block);
    return this.#states.machine({ root: block.stateRoot, rules: this.rules.at(block.header), ...options });
  }

  /** False for loaded blocks that came without their state. */
  hasStateAfter(block: MinedBlock): boolean {
    return isKnownState(block);
  }

  stateAfter(block: MinedBlock): WorldState {
    expectKnownState(block);
    return this.#states.reader(block.stateRoot);
  }

  walkAfter(block: MinedBlock): StateWalk {
    expectKnownState(block);
    return this.#states.walk(block.stateRoot);
  }

  /** For Merkle proofs. */
  proverAfter(block: MinedBlock): MerkleStateManager {
    expectKnownState(block);
    return this.#states.prover(block.stateRoot, this.rules.at(block.header));
  }

  extend(next: NextBlock): Promise<MinedBlock | undefined> {
    return this.#exclusively(async () => {
      try {
        const plan = next.plan();
        if (plan === undefined) return undefined;
        const machine = await this.#frontMachine(plan.rules);
        // A heavy block takes seconds, so it yields.
        keepPace(machine, new Pace(Number.POSITIVE_INFINITY));
        const block = await assemble(machine, plan, next.candidates(plan));
        this.#keep(block, machine, next.sidecars(block));
        await next.kept(block);
        return block;
      } catch (error) {
        // The machine may be at a state of no block.
        this.#front = undefined;
        next.failed?.(error);
        throw error;
      }
    });
  }

  /**
   * Adds empty blocks without executing them. Returns how many. They share the head's state; the state after the last
   * equals that of executing all of them.
   */
  reserve(count: number, seconds: number): Promise<number> {
    return this.#exclusively(async () => {
      const head = this.#head;
      const reservation = await reserveBlocks(head, this.rules, count, seconds);
      if (reservation === undefined) return 0;
      const { runs, last, recent, hashes } = reservation;
      const stateRoot = await this.#write(await this.machineAfter(head), (machine) => recordBlocks(machine, recent));
      for (const { bucket, entries } of hashes.buckets()) {
        this.database.transaction(() => this.database.putEmptyHashes(bucket, head.header.number + 1, entries));
        await nextTurn();
      }
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

  /** Runs while nothing changes the chain. */
  withLock(work: () => void): Promise<void> {
    return this.#exclusively(async () => work());
  }

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

  rewind(number: number, { stateRoot, write, done }: Rewinding = {}): Promise<void> {
    return this.#exclusively(async () => {
      if (stateRoot === undefined) expectKnownState(this.expectBlock(number));
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

  /** Changes the head's state without a block, for development methods. */
  alter(change: (machine: Machine) => Promise<void>): Promise<void> {
    return this.#exclusively(async () => {
      const stateRoot = await this.#write(await this.machineAfter(this.#head), change);
      this.database.transaction(() => this.database.setStateRoot(this.#head.header.number, stateRoot));
      this.#front = undefined;
      const head = { ...this.#head, stateRoot };
      this.#recent.set(head);
      this.#moveHead(head);
    });
  }

  /** Like `alter`, but also replaces the blocks. Returns the number of the newest block both chains share. */
  load(change: (machine: Machine) => Promise<void>, { blocks, stateOf }: LoadedChain): Promise<number> {
    return this.#exclusively(async () => {
      const stateRoot = await this.#write(await this.machineAfter(this.#head), change);
      const { number } = defined(blocks.at(-1)).header;
      const shared = countShared(this.database, blocks);
      const fresh: MinedBlock[] = [];
      for (const block of blocks.slice(shared)) {
        const fill = stateOf(block);
        const rules = this.rules.at(block.header);
        const root = fill && (await this.#write(await this.#states.machine({ root: EMPTY_ROOT, rules }), fill));
        fresh.push(root === undefined ? block : { ...block, stateRoot: root });
      }
      this.database.transaction(() => {
        replaceBlocks(this.database, fresh);
        this.database.cut(number);
        this.database.setStateRoot(number, stateRoot);
      });
      this.#recent.clear();
      this.#front = undefined;
      this.#moveHead(this.expectBlock(number));
      return shared - 1;
    });
  }

  /** Applies a change, stores its trie nodes and returns the state root. */
  async #write(machine: Machine, change: (machine: Machine) => Promise<void>): Promise<Hash> {
    await change(machine);
    const stateRoot = await machine.state.getStateRoot();
    await this.#putNodes(machine.nodes.take());
    return stateRoot;
  }

  /** In batches: unreferenced nodes do no harm. */
  async #putNodes(nodes: ReadonlyMap<string, Bytes>): Promise<void> {
    const all = [...nodes];
    for (let at = 0; at < all.length; at += NODE_BATCH_SIZE) {
      const part = new Map(all.slice(at, at + NODE_BATCH_SIZE));
      this.database.transaction(() => this.database.putNodes(part));
      if (all.length > NODE_BATCH_SIZE) await nextTurn();
    }
  }

  async close(): Promise<void> {
    await this.#mutex.idle();
    this.database.close();
  }

  async #frontMachine(rules: ForkRules): Promise<Machine> {
    const front = this.#front;
    if (front !== undefined && front.rules === rules && front.age < MAX_MACHINE_AGE) return front.machine;
    const machine = await this.machineAfter(this.#head, { rules });
    this.console?.watch(machine);
    this.#front = { machine, rules, age: 0 };
    return machine;
  }

  /** `write` runs in the same database transaction. */
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
