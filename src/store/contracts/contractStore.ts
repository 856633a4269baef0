import { hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { Abi, Signatures } from "../../chain/abi/parseAbi.ts";
import { parseAbi } from "../../chain/abi/parseAbi.ts";
import type { Artifact } from "../../chain/contract/artifact.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { asChainError, ChainError } from "../../chain/error.ts";
import { Mutex } from "../../std/async.ts";
import { LruCache } from "../../std/maps.ts";
import type { Database, Reader, Writer } from "../engine/database.ts";
import { NO_FENCE } from "../engine/database.ts";
import { databasesAt } from "../engine/databases.ts";
import { migrate } from "../schema/migrate.ts";
import type { ListedArtifact } from "./artifacts.ts";
import { abiOfCode, artifactId, deleteArtifacts, insertArtifacts, listArtifacts } from "./artifacts.ts";
import type { LabelMap } from "./labels.ts";
import { deleteLabels, readLabels, writeLabels } from "./labels.ts";
import { CONTRACT_MIGRATIONS } from "./schema.ts";
import { addSignatures, deriveSignatures, readSignatures } from "./signatures.ts";
import type { FoundSource, ListedSource, NewSource, SourceWindow, VerifiedSource } from "./sources.ts";
import {
  compressText,
  countSources,
  findSource,
  insertSource,
  listSources,
  sourcesById,
  sourcesOf,
} from "./sources.ts";
import { VerificationJobs } from "./verificationJobs.ts";
import { VerifiedContracts } from "./verifiedContracts.ts";

/** Milliseconds until changes of another process are noticed. */
const POLL_INTERVAL = 1000;

const MAX_REMEMBERED = 256;

/**
 * Imported ABIs and verified sources, in a separate database. Any number of processes may write it, and it is
 * independent of the index.
 */
export class ContractStore {
  readonly jobs: VerificationJobs;
  readonly verifiedContracts = new VerifiedContracts();
  readonly #database: Database;
  #found = new LruCache<string, Promise<Abi | undefined>>(MAX_REMEMBERED);
  #all: Signatures = NOTHING;
  #labels: LabelMap = new Map();
  #isEmpty = true;
  #version: number | undefined;
  #changes: string | undefined;
  readonly #refreshing = new Mutex();
  #poller: NodeJS.Timeout | undefined;

  private constructor(database: Database) {
    this.#database = database;
    this.jobs = new VerificationJobs(database);
  }

  static async open(url: string): Promise<ContractStore> {
    const databases = databasesAt(url);
    try {
      return await ContractStore.#prepare(await databases.open("contracts", { isShared: true, cacheMegabytes: 4 }));
    } catch (error) {
      const { code, message } = asChainError(error);
      throw new ChainError(code, `${databases.locate("contracts")} cannot be used: ${message}`, { cause: error });
    }
  }

  static exists(url: string): Promise<boolean> {
    return databasesAt(url).has("contracts");
  }

  static async #prepare(database: Database): Promise<ContractStore> {
    try {
      await migrate(database, CONTRACT_MIGRATIONS);
      const opened = new ContractStore(database);
      await opened.refresh();
      return opened;
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** All signatures, newest contract first. A new object after every change. */
  get all(): Signatures {
    return this.#all;
  }

  /** The operator's names of addresses. A new object after every change. */
  get labels(): LabelMap {
    return this.#labels;
  }

  async setLabels(labels: LabelMap): Promise<void> {
    await this.#database.transaction(NO_FENCE, async (writer) => {
      await writeLabels(writer, labels);
      await countChange(writer);
    });
    await this.refresh();
  }

  /** Removes one, or all. Returns how many. */
  async removeLabels(address?: Bytes): Promise<number> {
    const count = await this.#database.transaction(NO_FENCE, async (writer) => {
      const removed = await deleteLabels(writer, address);
      if (removed > 0) await countChange(writer);
      return removed;
    });
    await this.refresh();
    return count;
  }

  ofCode(code: Bytes): Promise<Abi | undefined> {
    if (this.#isEmpty) return Promise.resolve(undefined);
    const key = hash("sha256", code);
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const found = this.#find(code);
    this.#found.set(key, found);
    found.catch(() => this.#forget());
    return found;
  }

  async textOfCode(code: Bytes): Promise<string | undefined> {
    return this.#isEmpty ? undefined : await abiOfCode(this.#database, code);
  }

  async add(artifacts: readonly Artifact[], now = Date.now()): Promise<number> {
    return await this.#database.transaction(NO_FENCE, (writer) => addAll(writer, artifacts, Math.floor(now / 1000)));
  }

  async addVerified(artifact: Artifact, source: NewSource): Promise<void> {
    const record = await compressText(source.record);
    await this.#database.transaction(NO_FENCE, async (writer) => {
      await addAll(writer, [artifact], source.verified);
      await insertSource(writer, await artifactId(writer, artifact), source, record);
      await countChange(writer);
    });
    await this.refresh();
  }

  sourceOf(address: Bytes, code: Bytes): Promise<FoundSource | undefined> {
    return findSource(this.#database, address, code);
  }

  verified(window: SourceWindow): Promise<ListedSource[]> {
    return listSources(this.#database, window);
  }

  verifiedSources(ids: readonly number[]): Promise<VerifiedSource[]> {
    return sourcesById(this.#database, ids);
  }

  countVerified(from: number): Promise<number> {
    return countSources(this.#database, from);
  }

  verifiedAmong(addresses: readonly Bytes[]): Promise<ListedSource[]> {
    return sourcesOf(this.#database, addresses);
  }

  /** Undefined if it was verified or there was none. */
  async lastFailure(address: Bytes): Promise<string | undefined> {
    const result = await this.jobs.lastResult(address);
    return result?.state === "failed" ? result.reason : undefined;
  }

  /** Deletes by name, or all; keeps verified ones. Returns how many were deleted. */
  async remove(name?: string): Promise<number> {
    return await this.#database.transaction(NO_FENCE, async (writer) => {
      const count = await deleteArtifacts(writer, name);
      if (count === 0) return 0;
      await deriveSignatures(writer);
      await countChange(writer);
      return count;
    });
  }

  list(): Promise<ListedArtifact[]> {
    return listArtifacts(this.#database);
  }

  refresh(): Promise<void> {
    return this.#refreshing.run(() => this.#refresh());
  }

  /** Polls for changes. An error is reported once until it is over. */
  watch(onError: (reason: string) => void): void {
    let isFailing = false;
    const poll = () =>
      this.refresh().then(
        () => {
          isFailing = false;
        },
        (error: unknown) => {
          if (!isFailing) onError(asChainError(error).message);
          isFailing = true;
        },
      );
    this.#poller = setInterval(poll, POLL_INTERVAL).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#poller);
    await this.#refreshing.idle();
    await this.#database.close();
  }

  async #refresh(): Promise<void> {
    const version = await this.#database.readVersion();
    if (version === this.#version) return;
    const changes = await readChanges(this.#database);
    // Queued verification jobs change the database without changing contracts.
    if (this.#version === undefined || changes !== this.#changes) await this.#readContracts();
    this.#changes = changes;
    this.#version = version;
  }

  async #readContracts(): Promise<void> {
    const all = await readSignatures(this.#database);
    const [any] = await this.#database.all("SELECT id FROM artifact LIMIT 1");
    const labels = await readLabels(this.#database);
    const replaceVerified = await this.verifiedContracts.read(this.#database);
    // Synchronous from here on: cached responses compare the identity of the signatures object.
    replaceVerified();
    this.#all = all;
    this.#labels = labels;
    this.#isEmpty = any === undefined;
    this.#forget();
  }

  #forget(): void {
    this.#found = new LruCache(MAX_REMEMBERED);
  }

  async #find(code: Bytes): Promise<Abi | undefined> {
    const text = await abiOfCode(this.#database, code);
    if (text === undefined) return undefined;
    // A page may need many; yields in between.
    await setImmediate();
    return parseAbi(text);
  }
}

async function addAll(writer: Writer, artifacts: readonly Artifact[], now: number): Promise<number> {
  const fresh = await insertArtifacts(writer, artifacts, now);
  for (const [id, { abi }] of fresh) await addSignatures(writer, id, abi);
  if (fresh.length > 0) await countChange(writer);
  return fresh.length;
}

const CHANGES = "changes";

/** Runs inside a transaction. */
async function countChange(writer: Writer): Promise<void> {
  const count = Number((await readChanges(writer)) ?? 0);
  await writer.upsert("meta", ["name", "value"], [[CHANGES, String(count + 1)]]);
}

async function readChanges(db: Reader): Promise<string | undefined> {
  const [row] = await db.all<[string]>("SELECT value FROM meta WHERE name = ?", CHANGES);
  return row?.[0];
}

const NONE = { get: () => undefined };
const NOTHING: Signatures = { functions: NONE, events: NONE, errors: NONE };
