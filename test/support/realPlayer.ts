import { setTimeout as delay } from "node:timers/promises";
import { RLP } from "@ethereumjs/rlp";
import type { PrivateKeyAccount, TransactionSerializable } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { Bytes } from "../../src/chain/encoding/bytes.ts";
import type { Hex } from "../../src/chain/encoding/hex.ts";
import { fromHex, quantity, toHex } from "../../src/chain/encoding/hex.ts";
import { versionedHash } from "../../src/chain/hashing/versionedHash.ts";
import type { ProvenBlob } from "./blobs.ts";
import { LINE, ONE, sidecarOf, wrapSidecar, ZERO } from "./blobs.ts";
import { ChainPlayer } from "./chainPlayer.ts";
import { Refused } from "./developmentNode.ts";
import type { Random } from "./random.ts";
import type { RealNode } from "./realNode.ts";
import type { WireBlock } from "./wireForm.ts";

/** They sign blob transactions, which no node does for its accounts. */
const [USUAL, LAST] = ["11", "22"].map((byte) => privateKeyToAccount(`0x${byte.repeat(32)}`)) as [
  PrivateKeyAccount,
  PrivateKeyAccount,
];

/** Acts on a node of another client, also with blobs and impersonation. */
export class RealPlayer extends ChainPlayer {
  readonly #node: RealNode;
  readonly #random: Random;
  /** How often each thing was done. */
  readonly done = new Map<string, number>();

  constructor(node: RealNode, random: Random) {
    super(node, random);
    this.#node = node;
    this.#random = random;
  }

  override async act(): Promise<void> {
    await super.act();
    await this.note();
  }

  /** Remembers the head and what is in it. */
  async note(): Promise<void> {
    const block = await this.ask<WireBlock>("eth_getBlockByNumber", "latest", true);
    this.blocks.add(block.hash as Hex);
    for (const { hash } of block.transactions) this.transactions.add(hash as Hex);
  }

  /** From here on blocks come only with transactions. */
  async calm(): Promise<void> {
    await this.ask("evm_setIntervalMining", 0);
    await this.ask("evm_setAutomine", true);
  }

  /** Anvil mines behind our back, and has a chain with a block missing where it is taken back meanwhile. */
  override async revert(): Promise<void> {
    await this.ask("evm_setIntervalMining", 0);
    await delay(200);
    await super.revert();
  }

  override async reset(): Promise<void> {
    await this.ask("evm_setIntervalMining", 0);
    await delay(200);
    await super.reset();
  }

  /** Nodes differ in how they refuse. */
  protected override isRefusal(error: unknown): boolean {
    return error instanceof Refused;
  }

  protected override acts() {
    const acts = {
      ...super.acts(),
      impersonate: [6, () => this.impersonate()],
      blob: [5, () => this.sendBlob()],
      interval: [1, () => this.ask("evm_setIntervalMining", this.#node.interval)],
    } satisfies ReturnType<ChainPlayer["acts"]>;
    return Object.fromEntries(
      Object.entries(acts).map(([name, [weight, act]]) => [name, [weight, () => this.#counted(name, act)]]),
    ) as typeof acts;
  }

  async #counted(name: string, act: () => Promise<unknown>): Promise<void> {
    await act();
    this.done.set(name, (this.done.get(name) ?? 0) + 1);
  }

  async impersonate(): Promise<void> {
    const from = toHex(this.#random.bytes(20));
    await this.ask("hardhat_setBalance", from, `0x${(10n ** 20n).toString(16)}`);
    await this.ask("hardhat_impersonateAccount", from);
    const to = this.#random.pick(this.#node.accounts);
    await this.ask("eth_sendTransaction", {
      from,
      to,
      value: quantity(this.#random.int(1000)),
      gas: quantity(100_000),
    });
  }

  async sendBlob(signer = USUAL): Promise<void> {
    const blobs = this.#random.shuffle([ZERO, ONE, LINE]).slice(0, this.#random.between(1, 3));
    await this.ask("hardhat_setBalance", signer.address, `0x${(10n ** 20n).toString(16)}`);
    await this.ask("eth_sendRawTransaction", await this.#signBlobs(blobs, signer));
  }

  /** A last one of each kind that is nothing but a development node's, whatever is left waiting of those before. */
  async end(): Promise<void> {
    await this.impersonate();
    await this.sendBlob(LAST);
  }

  async #signBlobs(blobs: readonly ProvenBlob[], signer: PrivateKeyAccount): Promise<Hex> {
    const nonce = Number(await this.ask<Hex>("eth_getTransactionCount", signer.address, "pending"));
    const signed = await signer.signTransaction({
      type: "eip4844",
      chainId: Number(await this.ask<Hex>("eth_chainId")),
      nonce,
      gas: 100_000n,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 10n ** 9n,
      maxFeePerBlobGas: 10n ** 11n,
      to: this.#random.pick(this.#node.accounts),
      blobVersionedHashes: blobs.map(({ commitment }) => toHex(versionedHash(commitment))),
    } as TransactionSerializable);
    const fields = RLP.decode(fromHex(`0x${signed.slice(4)}`)) as Bytes[];
    return toHex(wrapSidecar(fields, sidecarOf(blobs)));
  }
}
