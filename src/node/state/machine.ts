import { EVM } from "@ethereumjs/evm";
import { MerklePatriciaTrie } from "@ethereumjs/mpt";
import { MerkleStateManager } from "@ethereumjs/statemanager";
import { ValueEncoding } from "@ethereumjs/util";
import type { VM, VMOpts } from "@ethereumjs/vm";
import { createVM } from "@ethereumjs/vm";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { LruCache } from "../../std/lruCache.ts";
import type { ForkRules } from "../rules.ts";
import type { NodeArchive } from "./stateNodes.ts";
import { StateNodes } from "./stateNodes.ts";
import { WorldState } from "./worldState.ts";

/** The hashes of the blocks before one, for the BLOCKHASH instruction before Prague. */
export type BlockHashes = (number: number) => Bytes | undefined;

export interface MachineOptions {
  readonly root: Bytes;
  readonly rules: ForkRules;
  readonly evm?: NonNullable<VMOpts["evmOpts"]>;
}

/** A virtual machine that stands at one state. What it changes is its own until somebody takes it. */
export class Machine {
  readonly vm: VM;
  readonly state: WorldState;
  readonly nodes: StateNodes;

  constructor(vm: VM, state: WorldState, nodes: StateNodes) {
    this.vm = vm;
    this.state = state;
    this.nodes = nodes;
  }

  /** The library's own EVM, with what its interface leaves out. */
  get evm(): EVM {
    const { evm } = this.vm;
    if (!(evm instanceof EVM)) throw new Error("a machine runs the library's EVM");
    return evm;
  }
}

/** Nodes of tries that were read or written last. */
const RECENT_NODES = 16_384;

/** All states that a chain has had. */
export class States {
  readonly #archive: NodeArchive;
  readonly #hashes: BlockHashes;
  readonly #recent = new LruCache<string, Bytes>(RECENT_NODES);

  constructor(archive: NodeArchive, hashes: BlockHashes) {
    this.#archive = archive;
    this.#hashes = hashes;
  }

  async machine({ root, rules, evm = {} }: MachineOptions): Promise<Machine> {
    const nodes = new StateNodes(this.#archive, this.#recent);
    const stateManager = new WorldState(root, nodes);
    const blockchain = new Ancestors(this.#hashes);
    const vm = await createVM({
      common: rules,
      stateManager,
      blockchain,
      evmOpts: { common: rules, stateManager, blockchain, ...evm },
    });
    return new Machine(vm, stateManager, nodes);
  }

  /** The accounts, code and slots of a state, to be read. */
  reader(root: Bytes): WorldState {
    return new WorldState(root, new StateNodes(this.#archive, this.#recent));
  }

  /** A state in the library's form, which can prove what is in it. */
  prover(root: Bytes, rules: ForkRules): MerkleStateManager {
    const db = new StateNodes(this.#archive, this.#recent);
    const encoding = { useKeyHashing: true, valueEncoding: ValueEncoding.Bytes };
    const trie = new MerklePatriciaTrie({ db, root, common: rules, ...encoding });
    return new MerkleStateManager({ trie, common: rules });
  }
}

class Ancestors {
  readonly #hashes: BlockHashes;

  constructor(hashes: BlockHashes) {
    this.#hashes = hashes;
  }

  async getBlock(number: number): Promise<{ hash(): Bytes }> {
    const hash = this.#hashes(number);
    if (hash === undefined) throw new Error(`there is no block ${number}`);
    return { hash: () => hash };
  }

  async putBlock(): Promise<void> {}

  shallowCopy(): Ancestors {
    return this;
  }
}
