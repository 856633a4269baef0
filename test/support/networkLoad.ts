import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { PrivateKeyAccount } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { Hex } from "../../src/chain/encoding/hex.ts";
import { quantity, toHex } from "../../src/chain/encoding/hex.ts";
import { deriveAccounts, TEST_MNEMONIC } from "../../src/node/accounts/accounts.ts";
import { versionedHashOf } from "./blobHash.ts";
import { ONE } from "./blobs.ts";
import { EMITTER, emission } from "./developmentNode.ts";
import { ask, askAll } from "./networkProgram.ts";
import { coins } from "./tokenArtifacts.ts";

const ACCOUNTS = deriveAccounts(TEST_MNEMONIC, 10);
/** Sends only blob transactions: the pool accepts no others of the same account. */
const BLOB_SENDER = 9;

export interface LoadOptions {
  readonly clients: number;
  readonly blobs: boolean;
}

/** Clients of one embedded network, with everything it has acknowledged. */
export class NetworkLoad {
  readonly #chainId: number;
  readonly answered = new Set<Hex>();
  /** Every transaction whose receipt was answered, and the block it named. */
  readonly receipts = new Map<Hex, Hex>();
  readonly refusals: string[] = [];
  readonly #withBlobs = new Set<Hex>();
  head = 0;
  #isOn = false;

  constructor(chainId: number) {
    this.#chainId = chainId;
  }

  /** Sends sequentially from several accounts, until stopped or unanswered. */
  async run(url: string, { clients, blobs }: LoadOptions): Promise<void> {
    this.#isOn = true;
    const all = Array.from({ length: clients }, (_, client) => this.#client(url, client));
    if (blobs) all.push(this.#blobClient(url));
    await Promise.all(all);
  }

  stop(): void {
    this.#isOn = false;
  }

  async expectKept(url: string): Promise<void> {
    const hashes = [...this.answered];
    const found = await askAll(
      url,
      hashes.map((hash) => ({ method: "eth_getTransactionByHash", params: [hash] })),
    );
    const lost = hashes.filter((_, index) => found[index] === null || found[index] === undefined);
    assert.deepEqual(lost, [], `of ${hashes.length} transactions`);
    const mined = [...this.receipts];
    const receipts = await askAll(
      url,
      mined.map(([hash]) => ({ method: "eth_getTransactionReceipt", params: [hash] })),
    );
    const moved = mined.filter(([, block], index) => (receipts[index] as { blockHash?: Hex })?.blockHash !== block);
    assert.deepEqual(moved, [], `of ${mined.length} receipts`);
    assert.ok(Number(await ask<Hex>(url, "eth_blockNumber")) >= this.head);
    await this.#expectBlobs(url);
  }

  async #expectBlobs(url: string): Promise<void> {
    for (const hash of this.#withBlobs) {
      const { blockHash } = await ask<{ blockHash: Hex | null }>(url, "eth_getTransactionByHash", hash);
      if (blockHash === null) continue;
      const sidecar = await ask<{ blockHash: Hex }>(url, "eth_getBlobSidecarByTxHash", hash, false);
      assert.equal(sidecar?.blockHash, blockHash, hash);
    }
  }

  async #client(url: string, client: number): Promise<void> {
    const from = ACCOUNTS[client]!.address;
    const send = (fields: object) => this.#send(url, { from, gas: quantity(3_000_000), ...fields });
    const made: Hex[] = [];
    for (let count = 0; this.#isOn; count++) {
      const hash = await send(next(count, from, made));
      if (hash === undefined) return;
      const receipt = await this.#receipt(url, hash);
      if (receipt?.contractAddress) made.push(receipt.contractAddress);
    }
  }

  async #blobClient(url: string): Promise<void> {
    const account = privateKeyToAccount(toHex(ACCOUNTS[BLOB_SENDER]!.privateKey));
    while (this.#isOn) {
      const raw = await this.#attempt(async () => {
        const nonce = Number(await ask<Hex>(url, "eth_getTransactionCount", account.address, "pending"));
        return this.#signBlob(account, nonce);
      });
      const hash = raw && (await this.#attempt(() => ask<Hex>(url, "eth_sendRawTransaction", raw)));
      if (hash === undefined) return;
      this.answered.add(hash);
      this.#withBlobs.add(hash);
      await this.#receipt(url, hash);
    }
  }

  #signBlob(account: PrivateKeyAccount, nonce: number): Promise<Hex> {
    const { blob, commitment, proof } = ONE;
    return account.signTransaction({
      type: "eip4844",
      chainId: this.#chainId,
      nonce,
      to: account.address,
      gas: 100_000n,
      maxFeePerGas: 100_000_000_000n,
      maxPriorityFeePerGas: 1n,
      maxFeePerBlobGas: 1_000_000_000n,
      blobVersionedHashes: [versionedHashOf(commitment)],
      sidecars: [{ blob: toHex(blob), commitment: toHex(commitment), proof: toHex(proof) }],
    });
  }

  async #send(url: string, transaction: object): Promise<Hex | undefined> {
    const hash = await this.#attempt(() => ask<Hex>(url, "eth_sendTransaction", transaction));
    if (hash !== undefined) this.answered.add(hash);
    return hash;
  }

  async #receipt(url: string, hash: Hex): Promise<Receipt | null | undefined> {
    const receipt = await this.#attempt(() => ask<Receipt | null>(url, "eth_getTransactionReceipt", hash));
    if (receipt) {
      this.receipts.set(hash, receipt.blockHash);
      this.head = Math.max(this.head, Number(receipt.blockNumber));
    } else {
      await delay(5);
    }
    return receipt;
  }

  /** Undefined once the program is gone, and after a refusal, which is kept. */
  async #attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof TypeError || error instanceof SyntaxError)) this.refusals.push((error as Error).message);
      return undefined;
    }
  }
}

interface Receipt {
  readonly blockHash: Hex;
  readonly blockNumber: Hex;
  readonly contractAddress: Hex | null;
}

/** Coins at first, then deployments of a token and a logging contract, then calls of these. */
function next(count: number, from: Hex, made: readonly Hex[]): object {
  const someone = ACCOUNTS[count % ACCOUNTS.length]!.address;
  if (count === 3) return { data: EMITTER };
  if (count === 4) return { data: coins.deploy(from, 1_000_000n) };
  const [emitter, token] = made;
  if (emitter !== undefined && count % 3 === 1) return { to: emitter, data: emission(1, count) };
  if (token !== undefined && count % 3 === 2) return { to: token, data: coins.transfer(someone, 1n) };
  return { to: someone, value: "0x1" };
}
