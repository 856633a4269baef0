import type { Hex } from "../../src/chain/encoding/hex.ts";
import { quantity, toHex } from "../../src/chain/encoding/hex.ts";
import type { DevelopmentNode } from "./developmentNode.ts";
import { EMITTER, emission, Refused } from "./developmentNode.ts";
import type { Random } from "./random.ts";
import { coins, goods, pictures } from "./tokenArtifacts.ts";

interface Token {
  readonly kind: "coin" | "picture" | "good";
  readonly address: Hex;
}

/** Reverts whatever it is sent. */
const REFUSER: Hex = "0x605f5ffd5f526003601df3";

/** A node that lets itself be played with. */
export interface PlayedNode {
  readonly accounts: readonly Hex[];
  ask<T = unknown>(method: string, ...params: unknown[]): Promise<T>;
}

type Acts = Record<string, [number, () => Promise<unknown>]>;

/** Acts on a development chain at random and records everything that was ever on it. */
export class ChainPlayer {
  readonly #node: PlayedNode;
  readonly #random: Random;
  readonly #accounts: readonly Hex[];
  readonly #tokens: Token[] = [];
  readonly #called: Hex[] = [];
  #snapshots: Hex[] = [];
  /** The hashes of all blocks that were the head once, and of the transactions in them. */
  readonly blocks = new Set<Hex>();
  readonly transactions = new Set<Hex>();

  constructor(node: PlayedNode, random: Random) {
    this.#node = node;
    this.#random = random;
    this.#accounts = node.accounts;
  }

  /** On an embedded chain, notified of every head. */
  static of(development: DevelopmentNode, random: Random): ChainPlayer {
    const { node } = development;
    const { chain } = node.context;
    const player = new ChainPlayer(
      { accounts: node.accounts.map(({ address }) => address), ask: development.ask.bind(development) },
      random,
    );
    const note = () => {
      player.blocks.add(toHex(chain.head.header.hash));
      for (const { hash } of chain.head.transactions) player.transactions.add(toHex(hash));
    };
    note();
    chain.watch(note);
    return player;
  }

  get addresses(): Hex[] {
    return [...this.#accounts, ...this.#tokens.map(({ address }) => address), ...this.#called];
  }

  get coins(): Hex[] {
    return this.#tokens.filter(({ kind }) => kind === "coin").map(({ address }) => address);
  }

  /** Does one thing; what the node refuses, it refuses. */
  async act(): Promise<void> {
    const [name, act] = this.#draw();
    try {
      await act();
    } catch (error) {
      if (!this.isRefusal(error)) throw new Error(`${name} failed`, { cause: error });
    }
  }

  protected isRefusal(error: unknown): boolean {
    return error instanceof Refused && error.code !== -32603;
  }

  protected acts(): Acts {
    return {
      send: [10, () => this.send()],
      use: [14, () => this.use()],
      deploy: [5, () => this.deploy()],
      mine: [4, () => this.ask("evm_mine")],
      mineSome: [3, () => this.ask("hardhat_mine", quantity(this.#random.between(2, 12)))],
      snapshot: [5, () => this.snapshot()],
      revert: [5, () => this.revert()],
      reset: [1, () => this.reset()],
      setBalance: [
        2,
        () => this.ask("hardhat_setBalance", this.#someone(), quantity(this.#random.between(0, 2 ** 40))),
      ],
      fund: [2, () => this.ask("hardhat_setBalance", this.#someone(), `0x${(10n ** 22n).toString(16)}`)],
      setCode: [1, () => this.ask("hardhat_setCode", toHex(this.#random.bytes(20)), "0x5f5ff3")],
      increaseTime: [2, () => this.ask("evm_increaseTime", this.#random.between(1, 100_000))],
      automine: [2, () => this.ask("evm_setAutomine", this.#random.chance(0.6))],
    };
  }

  #draw(): [string, () => Promise<unknown>] {
    const acts = this.acts();
    let left = this.#random.int(Object.values(acts).reduce((sum, [weight]) => sum + weight, 0));
    for (const [name, [weight, act]] of Object.entries(acts)) {
      left -= weight;
      if (left < 0) return [name, act];
    }
    throw new Error("unreachable");
  }

  ask<T = unknown>(method: string, ...params: unknown[]): Promise<T> {
    return this.#node.ask<T>(method, ...params);
  }

  /** Coins to an account that is there, or to a new one. */
  async send(): Promise<Hex> {
    const to = this.#random.chance(0.5) ? this.#someone() : toHex(this.#random.bytes(20));
    return this.#transact({ to, value: quantity(this.#random.between(0, 2 ** 30)) });
  }

  async deploy(): Promise<void> {
    const from = this.#someone();
    const nonce = Number(await this.ask<Hex>("eth_getTransactionCount", from, "pending"));
    const kind = this.#random.pick(["coin", "coin", "picture", "good", "emitter", "refuser"] as const);
    const code = {
      coin: () => coins.deploy(from, BigInt(this.#random.between(1, 2 ** 30))),
      picture: pictures.deploy,
      good: goods.deploy,
      emitter: () => EMITTER,
      refuser: () => REFUSER,
    };
    const hash = await this.#transact({ from, nonce: quantity(nonce), data: code[kind]() });
    const receipt = await this.ask<{ contractAddress: Hex } | null>("eth_getTransactionReceipt", hash);
    if (receipt === null) return;
    const address = receipt.contractAddress;
    if (kind === "emitter" || kind === "refuser") this.#called.push(address);
    else this.#tokens.push({ kind, address });
  }

  /** Calls a contract that there is or was. What is not there any more takes the call and does nothing. */
  async use(): Promise<void> {
    if (this.#random.chance(0.2) || this.#tokens.length === 0) {
      const to = this.#called.length > 0 ? this.#random.pick(this.#called) : this.#someone();
      await this.#transact({ to, data: emission(this.#random.int(4), this.#random.int(100)) });
      return;
    }
    const { kind, address: to } = this.#random.pick(this.#tokens);
    await this.#transact({ to, data: this.#useOf(kind) });
  }

  #useOf(kind: Token["kind"]): Hex {
    const to = this.#someone();
    if (kind === "picture") return pictures.mint(to);
    const amounts = [1n, BigInt(this.#random.between(1, 1000))];
    if (kind === "good") return goods.mint(to, [7n, BigInt(this.#random.int(3))], amounts);
    const amount = BigInt(this.#random.int(2 ** this.#random.between(1, 30)));
    return this.#random.chance(0.1) ? coins.burn(amount) : coins.transfer(to, amount);
  }

  async snapshot(): Promise<void> {
    this.#snapshots.push(await this.ask<Hex>("evm_snapshot"));
  }

  /** Back to some moment; the later ones are gone with it. */
  async revert(): Promise<void> {
    if (this.#snapshots.length === 0) return;
    const at = this.#random.int(this.#snapshots.length);
    await this.ask("evm_revert", this.#snapshots[at]!);
    this.#snapshots = this.#snapshots.slice(0, at);
  }

  async reset(): Promise<void> {
    await this.ask("hardhat_reset");
    this.#snapshots = [];
  }

  #someone(): Hex {
    return this.#random.pick(this.#accounts);
  }

  #transact(fields: Readonly<Record<string, unknown>>): Promise<Hex> {
    return this.ask<Hex>("eth_sendTransaction", { from: this.#someone(), gas: quantity(5_000_000), ...fields });
  }
}
