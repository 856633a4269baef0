import { createAccountFromRLP, KECCAK256_NULL } from "@ethereumjs/util";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY, equalBytes } from "../../chain/encoding/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import { decodeSlot } from "./slots.ts";
import type { StateNodes } from "./stateNodes.ts";
import { StateTrie } from "./stateTrie.ts";

export interface WalkedAccount {
  readonly address: Bytes;
  readonly nonce: bigint;
  readonly balance: bigint;
  readonly code: Bytes;
  readonly storageRoot: Bytes;
}

export class StateWalk {
  readonly #root: Bytes;
  readonly #nodes: StateNodes;

  constructor(root: Bytes, nodes: StateNodes) {
    this.#root = root;
    this.#nodes = nodes;
  }

  *accounts(): Generator<WalkedAccount> {
    for (const [hash, rlp] of this.#trie(this.#root).leaves()) {
      const { nonce, balance, codeHash, storageRoot } = createAccountFromRLP(rlp);
      const code = equalBytes(codeHash, KECCAK256_NULL) ? EMPTY : (this.#nodes.code(codeHash) ?? EMPTY);
      yield { address: this.#preimage(hash), nonce, balance, code, storageRoot };
    }
  }

  *slots({ storageRoot }: WalkedAccount): Generator<readonly [key: Bytes, value: Bytes]> {
    for (const [hash, value] of this.#trie(storageRoot).leaves()) yield [this.#preimage(hash), decodeSlot(value)];
  }

  #trie(root: Bytes): StateTrie {
    return new StateTrie(root, (hash) => this.#nodes.find(hash));
  }

  #preimage(hash: Bytes): Bytes {
    const key = this.#nodes.preimage(hash);
    if (key !== undefined) return key;
    throw new ChainError(
      "unsupported",
      "the chain was begun by a version that kept no addresses; begin again with --reset",
    );
  }
}
