import { fromHex, toHex } from "../chain/encoding/hex.ts";
import { isHash } from "../chain/encoding/parse.ts";
import { JsonBytes, JsonText } from "../jsonrpc/envelope.ts";
import { RpcError } from "../jsonrpc/rpcError.ts";
import type { BlockId } from "../node/params/blockParams.ts";
import { requiredBlockId } from "../node/params/blockParams.ts";
import { expectAtMost, flagParam, hashParam } from "../node/params/params.ts";
import { freeMemory, SharedBytes } from "../std/bytes.ts";
import { isObject } from "../std/values.ts";
import type { BlobStore, KeptBlob } from "../store/blobStore.ts";
import type { BlobTransaction } from "../store/read/blobTransactions.ts";
import { readBlobTransactions } from "../store/read/blobTransactions.ts";
import type { StoredBlock } from "../store/read/blocks.ts";
import type { StoreReader } from "../store/storeReader.ts";
import { ByteCache } from "./byteCache.ts";
import type { AwaitedBlobs } from "./missingSidecars.ts";
import {
  blobsUnavailable,
  lacksMethod,
  sidecarOfTransaction,
  sidecarsOfBlock,
  waitForBlobs,
} from "./missingSidecars.ts";
import { isWhole } from "./shownSidecars.ts";
import { writeSidecars } from "./sidecarJson.ts";
import { findBlock, findTransaction, isJsonNumber } from "./storedAnswers.ts";

export const MAX_KEPT = 64 << 20;

interface BlobSource {
  readonly store: StoreReader;
  readonly blobs: Pick<BlobStore, "read"> | undefined;
  canonical(): Promise<number>;
  pass(method: string, params: readonly unknown[]): Promise<JsonText>;
  passToAll(method: string, params: readonly unknown[]): Promise<readonly string[]>;
}

type Answer = JsonText | JsonBytes;

interface FoundBlock {
  readonly block: StoredBlock;
  readonly key: string;
  readonly known: SharedBytes | undefined;
  readonly transactions: readonly BlobTransaction[];
}

/** Serves blobs from the archive if the index knows their transactions, else from the nodes after checking them. */
export class StoredBlobs {
  readonly #source: BlobSource;
  readonly #kept = new ByteCache(MAX_KEPT);

  constructor(source: BlobSource) {
    this.#source = source;
  }

  async ofBlock(params: readonly unknown[]): Promise<Answer> {
    const method = "eth_getBlobSidecars";
    const read = () => ({ id: requiredBlockId(params, 0), isFull: isFullIn(params) });
    const asked = params.some(isJsonNumber) ? undefined : unlessRefused(read);
    const found = asked && (await this.#findBlock(asked.id, asked.isFull));
    if (asked === undefined || found === undefined) {
      return this.#pass(method, params, () => this.#awaitBlock(read()));
    }
    const { block, transactions } = found;
    const kept = await this.#keptOfBlock(found, asked.isFull);
    if (kept !== undefined) return kept;
    if (transactions.length === 0) return this.#withoutBlobs(block, params);
    return this.#fromNodes(method, params, transactions, `block ${block.header.number}`);
  }

  async #keptOfBlock({ key, known, transactions }: FoundBlock, isFull: boolean): Promise<JsonBytes | undefined> {
    if (known !== undefined) return new JsonBytes(known);
    if (transactions.length === 0) return undefined;
    const kept = await this.#fromArchive(transactions, { isFull, isList: true });
    return kept && this.#keep(key, kept);
  }

  async #awaitBlock({ id, isFull }: { readonly id: BlockId; readonly isFull: boolean }): Promise<Answer> {
    const answer = await sidecarsOfBlock(id, this.#source.pass);
    if (answer instanceof JsonText) return answer;
    const named = "tag" in id ? { number: answer.blockNumber } : id;
    return this.#wait(answer, async () => {
      const found = await this.#findBlock(named, isFull);
      return found && this.#keptOfBlock(found, isFull);
    });
  }

  async ofTransaction(params: readonly unknown[]): Promise<Answer> {
    const method = "eth_getBlobSidecarByTxHash";
    const read = () => ({ hash: hashParam(params, 0), isFull: isFullIn(params) });
    const asked = unlessRefused(read);
    const found = asked && (await this.#findTransaction(asked.hash));
    if (asked === undefined || found === undefined) {
      return this.#pass(method, params, () => this.#awaitTransaction(read()));
    }
    if (found === "without blobs") return new JsonText("null");
    const kept = await this.#keptOfTransaction(found, asked.isFull);
    return kept ?? this.#fromNodes(method, params, [found], `transaction ${toHex(found.hash)}`);
  }

  async #findTransaction(hash: Uint8Array): Promise<BlobTransaction | "without blobs" | undefined> {
    const height = await this.#source.canonical();
    const found = await this.#source.store.read((session) => findTransaction({ session, height }, hash));
    if (found === undefined) return undefined;
    const { transaction, index, block } = found;
    const names = transaction.blobVersionedHashes;
    return names === undefined ? "without blobs" : { header: block.header, hash: transaction.hash, index, names };
  }

  async #keptOfTransaction(transaction: BlobTransaction, isFull: boolean): Promise<JsonBytes | undefined> {
    const key = `${toHex(transaction.header.hash)} ${transaction.index} ${isFull}`;
    const known = this.#kept.get(key);
    if (known !== undefined) return new JsonBytes(known);
    const kept = await this.#fromArchive([transaction], { isFull, isList: false });
    return kept && this.#keep(key, kept);
  }

  async #awaitTransaction({ hash, isFull }: { readonly hash: Uint8Array; readonly isFull: boolean }): Promise<Answer> {
    const answer = await sidecarOfTransaction(hash, this.#source.pass);
    if (answer instanceof JsonText) return answer;
    return this.#wait(answer, async () => {
      const found = await this.#findTransaction(hash);
      return found === undefined || found === "without blobs" ? undefined : this.#keptOfTransaction(found, isFull);
    });
  }

  #wait(awaited: AwaitedBlobs, find: () => Promise<Answer | undefined>): Promise<Answer> {
    const { store } = this.#source;
    const tip = () => store.read(async ({ blocks }) => (await blocks.tip())?.number);
    return waitForBlobs(awaited, tip, find);
  }

  async #pass(method: string, params: readonly unknown[], answer: () => Promise<Answer>): Promise<Answer> {
    try {
      return await this.#source.pass(method, params);
    } catch (error) {
      if (!lacksMethod(error)) throw error;
      return answer();
    }
  }

  #keep(key: string, bytes: Buffer): JsonBytes {
    const shared = new SharedBytes(bytes);
    this.#kept.set(key, shared);
    return new JsonBytes(shared);
  }

  /** The block and its cached response, or else its blob transactions. */
  async #findBlock(id: BlockId, isFull: boolean): Promise<FoundBlock | undefined> {
    const named = "tag" in id ? await this.#hashOf(id.tag) : id;
    if (named === undefined) return undefined;
    const height = await this.#source.canonical();
    return this.#source.store.read(async (session) => {
      const block = await findBlock({ session, height }, named);
      if (block === undefined) return undefined;
      const key = `${toHex(block.header.hash)} ${isFull}`;
      const known = this.#kept.get(key);
      return { block, key, known, transactions: known ? [] : await readBlobTransactions(session, block) };
    });
  }

  /** Tags are resolved by the node. */
  async #hashOf(tag: string): Promise<BlockId | undefined> {
    const { text } = await this.#source.pass("eth_getBlockByNumber", [tag, false]);
    const block: unknown = JSON.parse(text);
    if (!isObject(block) || !isHash(block.hash)) return undefined;
    return { hash: fromHex(block.hash) };
  }

  /** Nodes differ in their answers for blocks before EIP-4844. */
  async #withoutBlobs({ header }: StoredBlock, params: readonly unknown[]): Promise<JsonText> {
    if (header.blobGasUsed !== undefined) return new JsonText("[]");
    try {
      return await this.#source.pass("eth_getBlobSidecars", params);
    } catch (error) {
      if (error instanceof RpcError) return new JsonText("[]");
      throw error;
    }
  }

  /** Undefined if a blob or its EIP-4844 proof is missing. */
  async #fromArchive(
    transactions: readonly BlobTransaction[],
    form: { readonly isFull: boolean; readonly isList: boolean },
  ): Promise<Buffer | undefined> {
    const names = transactions.flatMap((transaction) => transaction.names);
    const kept = (await this.#source.blobs?.read(names)) ?? [];
    const blobs = kept.filter((blob) => blob !== undefined && blob.proof !== null) as KeptBlob[];
    const written = blobs.length === names.length ? writeSidecars(transactions, blobs, form) : undefined;
    for (const blob of new Set(kept)) if (blob !== undefined) freeMemory(blob.data);
    return written;
  }

  /** Accepts a result only if it has all blobs of the transactions; a node that returns none has pruned them. */
  async #fromNodes(
    method: string,
    params: readonly unknown[],
    transactions: readonly BlobTransaction[],
    owner: string,
  ): Promise<Answer> {
    const isFull = isFullIn(params);
    const texts = await this.#source.passToAll(method, params);
    for (const text of texts) if (isWhole(text, transactions, isFull)) return new JsonText(text);
    // If no node answered they may be unreachable, which this call reports.
    if (texts.length === 0) await this.#pass(method, params, async () => new JsonText("null"));
    throw blobsUnavailable(owner);
  }
}

/** Invalid parameters are left to the node to reject. */
function unlessRefused<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof RpcError) return undefined;
    throw error;
  }
}

function isFullIn(params: readonly unknown[]): boolean {
  expectAtMost(params, 2);
  return flagParam(params, 1, true);
}
