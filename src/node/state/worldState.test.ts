import assert from "node:assert/strict";
import { test } from "node:test";
import { MerklePatriciaTrie } from "@ethereumjs/mpt";
import { RLP } from "@ethereumjs/rlp";
import { Address, createAccount, KECCAK256_NULL } from "@ethereumjs/util";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { keccak256 } from "../../chain/hashing/keccak.ts";
import { EMPTY_ROOT } from "../../chain/hashing/trie.ts";
import { LruCache } from "../../std/maps.ts";
import { StateNodes } from "./stateNodes.ts";
import { WorldState } from "./worldState.ts";

const CASES = Number(process.env.ORIEL_CASES ?? 40);
const SEED = firstSeed();

/** Plain maps, copied at each checkpoint. */
interface PlainAccount {
  nonce: bigint;
  balance: bigint;
  code: Bytes;
  slots: Map<number, Bytes>;
}
type Plain = Map<number, PlainAccount>;

const addressAt = (index: number) => new Address(Buffer.from(String(index).padStart(40, "0"), "hex"));
const keyAt = (index: number) => Buffer.from(index.toString(16).padStart(64, "0"), "hex");

function copy(plain: Plain): Plain {
  return new Map([...plain].map(([index, account]) => [index, { ...account, slots: new Map(account.slots) }]));
}

/** Root by the library's trie, from scratch. */
async function plainRoot(plain: Plain): Promise<Bytes> {
  const trie = new MerklePatriciaTrie({ useKeyHashing: true });
  for (const [index, { nonce, balance, code, slots }] of plain) {
    const storage = new MerklePatriciaTrie({ useKeyHashing: true });
    for (const [key, value] of slots) if (value.length > 0) await storage.put(keyAt(key), RLP.encode(value));
    const codeHash = code.length === 0 ? KECCAK256_NULL : keccak256(code);
    const account = createAccount({ nonce, balance, codeHash, storageRoot: storage.root() });
    await trie.put(addressAt(index).bytes, account.serialize());
  }
  return trie.root();
}

class Trial {
  readonly random: Random;
  readonly archive = new Map<string, Bytes>();
  plain: Plain = new Map();
  readonly checkpoints: Plain[] = [];
  nodes: StateNodes;
  state: WorldState;

  constructor(seed: number) {
    this.random = new Random(seed);
    this.nodes = this.#open();
    this.state = new WorldState(EMPTY_ROOT, this.nodes);
  }

  #open(): StateNodes {
    return new StateNodes({ node: (key) => this.archive.get(Buffer.from(key).toString("hex")) }, new LruCache(8));
  }

  async step(): Promise<void> {
    const { random, state } = this;
    const index = random.int(12);
    const address = addressAt(index);
    const account = this.plain.get(index);
    const choice = random.int(14);
    if (choice < 3) await this.#putAccount(index);
    else if (choice < 7 && account !== undefined) await this.#putSlot(index, account);
    else if (choice === 7 && account !== undefined) {
      account.code = random.bytes(random.between(1, 40));
      await state.putCode(address, account.code);
    } else if (choice === 8) {
      this.plain.delete(index);
      await state.deleteAccount(address);
    } else if (choice === 9 && account !== undefined) {
      account.slots.clear();
      await state.clearStorage(address);
    } else if (choice === 10) {
      this.checkpoints.push(copy(this.plain));
      await state.checkpoint();
    } else if (choice === 11 && this.checkpoints.length > 0) {
      this.checkpoints.pop();
      await state.commit();
    } else if (choice === 12 && this.checkpoints.length > 0) {
      this.plain = this.checkpoints.pop()!;
      await state.revert();
    } else await this.expectSame(index);
  }

  async #putAccount(index: number): Promise<void> {
    const { random, state } = this;
    const [nonce, balance] = [BigInt(random.int(1000)), BigInt(random.int(2 ** 40))];
    const known = this.plain.get(index);
    if (known === undefined) this.plain.set(index, { nonce, balance, code: new Uint8Array(0), slots: new Map() });
    else Object.assign(known, { nonce, balance });
    const account = (await state.getAccount(addressAt(index))) ?? createAccount({});
    account.nonce = nonce;
    account.balance = balance;
    await state.putAccount(addressAt(index), account);
  }

  async #putSlot(index: number, account: PlainAccount): Promise<void> {
    const key = this.random.int(40);
    const value = this.random.chance(0.3) ? new Uint8Array(0) : Uint8Array.of(this.random.between(1, 255), 7);
    account.slots.set(key, value);
    await this.state.putStorage(addressAt(index), keyAt(key), value);
  }

  async expectSame(index: number): Promise<void> {
    const plain = this.plain.get(index);
    const account = await this.state.getAccount(addressAt(index));
    assert.equal(account?.nonce, plain?.nonce);
    assert.equal(account?.balance, plain?.balance);
    assert.deepEqual(Buffer.from(await this.state.getCode(addressAt(index))), Buffer.from(plain?.code ?? []));
    for (let key = 0; key < 40; key++) {
      const value = await this.state.getStorage(addressAt(index), keyAt(key));
      assert.equal(toHex(value), toHex(plain?.slots.get(key) ?? new Uint8Array(0)), `slot ${key} of ${index}`);
    }
  }

  /** Compares the root, possibly after reopening the state. */
  async expectRoot(): Promise<void> {
    const root = await this.state.getStateRoot();
    assert.equal(toHex(root), toHex(await plainRoot(this.plain)));
    if (this.checkpoints.length > 0 || this.random.chance(0.5)) return;
    for (const [name, value] of this.nodes.take()) this.archive.set(name, value);
    this.nodes = this.#open();
    const base = this.random.chance(0.5) ? new WorldState(root, this.#open()) : undefined;
    this.state = new WorldState(root, this.nodes, base);
  }
}

test(`a state gives the root of a plain recomputation, whatever was done and taken back (seed ${SEED})`, async () => {
  for (let seed = SEED; seed < SEED + CASES; seed++) {
    const trial = new Trial(seed);
    try {
      for (let round = 0; round < 8; round++) {
        for (let step = 0; step < 40; step++) await trial.step();
        await trial.expectRoot();
      }
      for (let index = 0; index < 12; index++) await trial.expectSame(index);
    } catch (error) {
      throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
    }
  }
});

test("a state that cannot find one of its nodes says which", async () => {
  const root = keccak256(Uint8Array.of(1));
  const state = new WorldState(root, new StateNodes({ node: () => undefined }, new LruCache(8)));

  await assert.rejects(state.getAccount(addressAt(1)), { message: `the state has no node ${toHex(root)}` });
});
