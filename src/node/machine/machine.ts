import { NobleBN254 } from "@ethereumjs/evm";
import { MerklePatriciaTrie } from "@ethereumjs/mpt";
import { MerkleStateManager } from "@ethereumjs/statemanager";
import { ValueEncoding } from "@ethereumjs/util";
import type { VM } from "@ethereumjs/vm";
import { createVM } from "@ethereumjs/vm";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { LruCache } from "../../std/maps.ts";
import { NodeEvm } from "../evm/nodeEvm.ts";
import { useFastHashes } from "../precompiles/fastHashes.ts";
import { impersonateSignatures } from "../precompiles/impersonateSignatures.ts";
import type { ForkRules } from "../rules.ts";
import type { NodeArchive } from "../state/stateNodes.ts";
import { StateNodes } from "../state/stateNodes.ts";
import { StateWalk } from "../state/stateWalk.ts";
import { WorldState } from "../state/worldState.ts";

type BlockHashes = (number: number) => Bytes | undefined;

export interface MachineOptions {
  readonly root: Bytes;
  readonly rules: ForkRules;
}

/** A virtual machine at one state. Changes are private until taken. */
export class Machine {
  readonly vm: VM;
  readonly state: WorldState;
  readonly nodes: StateNodes;
  readonly evm: NodeEvm;

  constructor(vm: VM, evm: NodeEvm, state: WorldState, nodes: StateNodes) {
    this.vm = vm;
    this.evm = evm;
    this.state = state;
    this.nodes = nodes;
  }
}

const BN254 = new NobleBN254();

/** 800 bytes each, and the cache holds up to twice as many. SQLite's page cache is behind it. */
const RECENT_NODES = 4096;

const RECENT_STATES = 4;

const MAX_READ = 10_000;

export class States {
  readonly #archive: NodeArchive;
  readonly #hashes: BlockHashes;
  readonly #recent = new LruCache<string, Bytes>(RECENT_NODES);
  readonly #readers = new LruCache<string, WorldState>(RECENT_STATES);

  constructor(archive: NodeArchive, hashes: BlockHashes) {
    this.#archive = archive;
    this.#hashes = hashes;
  }

  machine({ root, rules }: MachineOptions): Promise<Machine> {
    const nodes = new StateNodes(this.#archive, this.#recent);
    return openMachine(new WorldState(root, nodes, this.reader(root)), nodes, rules, this.#hashes);
  }

  /** Read-only; shared by all readers of a state. */
  reader(root: Bytes): WorldState {
    const name = Buffer.from(root).toString("hex");
    let reader = this.#readers.get(name);
    if (reader === undefined || reader.size > MAX_READ) {
      reader = new WorldState(root, new StateNodes(this.#archive, this.#recent));
      this.#readers.set(name, reader);
    }
    return reader;
  }

  walk(root: Bytes): StateWalk {
    return new StateWalk(root, new StateNodes(this.#archive, this.#recent));
  }

  /** In the library's form, for Merkle proofs. */
  prover(root: Bytes, rules: ForkRules): MerkleStateManager {
    const db = new StateNodes(this.#archive, this.#recent);
    const encoding = { useKeyHashing: true, valueEncoding: ValueEncoding.Bytes };
    const trie = new MerklePatriciaTrie({ db, root, common: rules, ...encoding });
    return new MerkleStateManager({ trie, common: rules });
  }
}

export async function openMachine(
  state: WorldState,
  nodes: StateNodes,
  rules: ForkRules,
  hashes: BlockHashes,
): Promise<Machine> {
  const executionContext = { common: rules, stateManager: state, blockchain: new Ancestors(hashes) };
  const evm = new NodeEvm({ ...executionContext, bn254: BN254 }, state);
  useFastHashes(evm);
  if (rules.signers.size > 0) impersonateSignatures(evm, rules.signers);
  return new Machine(await createVM({ ...executionContext, evm }), evm, state, nodes);
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
