import { decodeShownSidecar } from "../chain/block/sidecar.ts";
import { toHex } from "../chain/encoding/hex.ts";
import { WireReader } from "../chain/encoding/wire.ts";
import { JsonBytes, JsonText } from "../jsonrpc/envelope.ts";
import { RpcError } from "../jsonrpc/rpcError.ts";
import type { BlockId } from "../node/params/blockParams.ts";
import { requiredBlockId } from "../node/params/blockParams.ts";
import { expectAtMost, flagParam, hashParam } from "../node/params/params.ts";
import { isObject } from "../std/isObject.ts";
import { freeMemory, SharedBytes } from "../std/sharedBytes.ts";
import type { BlobStore, KeptBlob } from "../store/blobStore.ts";
import type { BlobTransaction } from "../store/read/blobTransactions.ts";
import { readBlobTransactions } from "../store/read/blobTransactions.ts";
import type { StoredBlock } from "../store/read/blocks.ts";
import type { Store } from "../store/store.ts";
import { ByteCache } from "./byteCache.ts";
import { blobsUnavailable, lacksMethod, sidecarOfTransaction, sidecarsOfBlock } from "./missingSidecars.ts";
import { writeSidecars } from "./sidecarJson.ts";
import { findBlock } from "./storedAnswers.ts";

/** Bytes of answers that are kept: about forty of six whole blobs. */
export const MOST_KEPT = 64 << 20;

export interface BlobSource {
  readonly store: Store;
  readonly blobs: Pick<BlobStore, "read"> | undefined;
  /** Asks a node. */
  pass(method: string, params: readonly unknown[]): Promise<JsonText>;
  /** Asks all nodes; answers what those say that have an answer. */
  passToAll(method: string, params: readonly unknown[]): Promise<readonly string[]>;
}

type Answer = JsonText | JsonBytes;

/** Answers for blobs from the archive, where the index knows whose they are; else from the nodes, if what they have fits. */
export class StoredBlobs {
  readonly #source: BlobSource;
  readonly #kept = new ByteCache(MOST_KEPT);

  constructor(source: BlobSource) {
    this.#source = source;
  }

  async ofBlock(params: readonly unknown[]): Promise<Answer> {
    const method = "eth_getBlobSidecars";
    const read = () => ({ id: requiredBlockId(params, 0), isFull: isFullIn(params) });
    const asked = unlessRefused(read);
    const found = asked && (await this.#findBlock(asked.id, asked.isFull));
    if (asked === undefined || found === undefined) {
      return this.#pass(method, params, () => sidecarsOfBlock(read().id, this.#source.pass));
    }
    const { block, key, known, transactions } = found;
    if (known !== undefined) return new JsonBytes(known);
    if (transactions.length === 0) return this.#withoutBlobs(block, params);
    const kept = await this.#fromArchive(transactions, { isFull: asked.isFull, isList: true });
    if (kept !== undefined) return this.#keep(key, kept);
    return this.#fromNodes(method, params, transactions, `block ${block.header.number}`);
  }

  async ofTransaction(params: readonly unknown[]): Promise<Answer> {
    const method = "eth_getBlobSidecarByTxHash";
    const read = () => ({ hash: hashParam(params, 0), isFull: isFullIn(params) });
    const asked = unlessRefused(read);
    const found = asked && (await this.#source.store.read(({ transactions }) => transactions.wholeByHash(asked.hash)));
    if (asked === undefined || found === undefined) {
      return this.#pass(method, params, () => sidecarOfTransaction(read().hash, this.#source.pass));
    }
    const { transaction, index, block } = found;
    const names = transaction.blobVersionedHashes;
    if (names === undefined) return new JsonText("null");
    const key = `${toHex(block.header.hash)} ${index} ${asked.isFull}`;
    const known = this.#kept.get(key);
    if (known !== undefined) return new JsonBytes(known);
    const one = [{ header: block.header, hash: transaction.hash, index, names }];
    const kept = await this.#fromArchive(one, { isFull: asked.isFull, isList: false });
    if (kept !== undefined) return this.#keep(key, kept);
    return this.#fromNodes(method, params, one, `transaction ${toHex(transaction.hash)}`);
  }

  /** Has a node answer, or answers for it where it does not have the method. */
  async #pass(method: string, params: readonly unknown[], answer: () => Promise<JsonText>): Promise<JsonText> {
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

  /** A block with the answer for it that is kept, or else with its transactions that have blobs. */
  async #findBlock(id: BlockId, isFull: boolean) {
    const named = "tag" in id ? await this.#hashOf(id.tag) : id;
    if (named === undefined) return undefined;
    return this.#source.store.read(async (session) => {
      const block = await findBlock(session, named);
      if (block === undefined) return undefined;
      const key = `${toHex(block.header.hash)} ${isFull}`;
      const known = this.#kept.get(key);
      return { block, key, known, transactions: known ? [] : await readBlobTransactions(session, block) };
    });
  }

  /** The block that a tag stands for is what the node says. */
  async #hashOf(tag: string): Promise<BlockId | undefined> {
    const { text } = await this.#source.pass("eth_getBlockByNumber", [tag, false]);
    const block: unknown = JSON.parse(text);
    if (!isObject(block) || typeof block.hash !== "string" || !/^0x[0-9a-f]{64}$/i.test(block.hash)) return undefined;
    return { hash: Buffer.from(block.hash.slice(2), "hex") };
  }

  /** Before there were blobs, nodes differ in what they answer. */
  async #withoutBlobs({ header }: StoredBlock, params: readonly unknown[]): Promise<JsonText> {
    if (header.blobGasUsed !== undefined) return new JsonText("[]");
    try {
      return await this.#source.pass("eth_getBlobSidecars", params);
    } catch (error) {
      if (error instanceof RpcError) return new JsonText("[]");
      throw error;
    }
  }

  /** The records as JSON; undefined where a blob is not there, or not with the proof that the original format has. */
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

  /** An answer is believed if it has the blobs that the transactions name. A node that says there are none has lost them. */
  async #fromNodes(
    method: string,
    params: readonly unknown[],
    transactions: readonly BlobTransaction[],
    owner: string,
  ): Promise<JsonText> {
    const isFull = isFullIn(params);
    const texts = await this.#source.passToAll(method, params);
    for (const text of texts) if (isWhole(text, transactions, isFull)) return new JsonText(text);
    // Where no node has answered, they may only be out of reach, which this throws.
    if (texts.length === 0) await this.#pass(method, params, async () => new JsonText("null"));
    throw blobsUnavailable(owner);
  }
}

/** Wrong parameters are for the node to refuse. */
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

function isWhole(text: string, transactions: readonly BlobTransaction[], isFull: boolean): boolean {
  const answered: unknown = JSON.parse(text);
  const records = Array.isArray(answered) ? (answered as unknown[]) : [answered];
  return records.length === transactions.length && transactions.every((tx, at) => fits(tx, records[at], isFull));
}

function fits({ hash, names }: BlobTransaction, record: unknown, isFull: boolean): boolean {
  if (!isObject(record) || record.txHash !== toHex(hash) || !isObject(record.blobSidecar)) return false;
  const { blobs, commitments, proofs } = record.blobSidecar;
  if (!Array.isArray(blobs) || blobs.length !== names.length) return false;
  // Of blobs that are cut short the commitments alone can be looked at.
  const whole = isFull ? blobs : blobs.map(() => EMPTY_BLOB);
  const shown = decodeShownSidecar({ blobs: whole, commitments, proofs }, names, new WireReader());
  return shown?.sidecar !== undefined;
}

const EMPTY_BLOB = `0x${"00".repeat(131_072)}`;
