import type { Block } from "../chain/block/block.ts";
import { ChainError } from "../chain/error.ts";
import { Appender } from "./append.ts";
import type { Totals } from "./blockBody.ts";
import type { LoggedBlock } from "./blockLogs.ts";
import { receiptLogsOf } from "./blockLogs.ts";
import type { Tip } from "./blocks.ts";
import { BlockReads } from "./blocks.ts";
import { CoreTables } from "./core.ts";
import { mustHave } from "./encoding.ts";
import type { Engine, Row, WriteLock } from "./engine/engine.ts";
import type { KeyedHash } from "./keyedHash.ts";
import { lowestPast } from "./lowestPast.ts";
import { ReadSession, Reads } from "./session.ts";
import { TokenObservations } from "./tokens/observations.ts";
import { TokenAppender } from "./tokens/tokenAppend.ts";
import { TokenTables } from "./tokens/tokenTables.ts";
import { readTokenTip } from "./tokens/tokenTip.ts";
import { unwindTokensTo } from "./tokens/tokenUnwind.ts";
import type { BlockTransfers } from "./tokens/transferIds.ts";
import { unwindTo } from "./unwind.ts";

/** Blocks that can be taken back, at least and at most: between the two, as many as the node does not call finalized. */
export const JOURNALED_BLOCKS = { least: 256, most: 8192 };

/** Transfers after which a derivation commits what it has. */
const DERIVED_TRANSFERS = 100_000;

/** Transactions and logs that are taken back at once. */
const UNWOUND_AT_ONCE = 100_000;

const JOURNALS = ["journal", "holding_journal", "item_holding_journal"];
const CORE = { name: "core", version: 1 };
const TOKENS = { name: "tokens", version: 2 };

/**
 * Takes the next blocks of a batch, then what their logs mean for the stages above the core. Both may come in one call;
 * in two, blocks need not be held while their transfers are stored. Transfers are taken out of their array.
 */
export type AddBlocks = (blocks: readonly Block[], transfers?: BlockTransfers[] | undefined) => Promise<void>;

/** What we remember of one chain. Writing is for one process at a time, reading for any number. */
export class Store {
  readonly engine: Engine;
  /** Reads outside a session: each is of the newest state, and inside a write of what it has written. */
  readonly latest: Reads;
  readonly observations: TokenObservations;
  readonly #addressHasher: KeyedHash;
  readonly #lock: WriteLock | undefined;
  readonly #tables: CoreTables;
  readonly #tokenTables: TokenTables;

  /** Of a database that is prepared; a lock that is given ends with the store. */
  constructor(engine: Engine, hash: KeyedHash, lock?: WriteLock) {
    this.engine = engine;
    this.latest = new Reads(engine, hash);
    this.observations = new TokenObservations(engine);
    this.#addressHasher = hash;
    this.#lock = lock;
    this.#tables = new CoreTables(engine, hash);
    this.#tokenTables = new TokenTables(engine, hash);
  }

  /** With every change of the index it is another, and never one that it was before. */
  version(): Promise<number> {
    return this.engine.version();
  }

  /** Runs reads in a session, which `work` must not use afterwards. It must not wait for anything but the session. */
  read<T>(work: (session: ReadSession) => Promise<T>): Promise<T> {
    return this.engine.snapshot((snapshot) => work(new ReadSession(snapshot, this.#addressHasher)));
  }

  /**
   * Adds the blocks that `work` hands over, all or none; they must join on to the tip. `head` is the newest block the
   * source knows: the `journaled` blocks up to it are journaled so that they can be unwound. What `work` answers is kept
   * as meta.
   */
  async append(
    head: number,
    work: (add: AddBlocks) => Promise<Readonly<Record<string, string>>>,
    journaled = JOURNALED_BLOCKS.least,
  ): Promise<Tip> {
    const journalFrom = head - journaled + 1;
    return this.#write(async () => {
      const before = await this.latest.blocks.tip();
      const appender = new Appender(this.#tables, before, journalFrom);
      const tokens = await this.#tokenAppender(before, journalFrom);
      let first: number | undefined;
      const meta = await work(async (blocks, transfers) => {
        first ??= blocks[0]?.header.number;
        if (blocks.length > 0) await appender.add(blocks);
        if (transfers !== undefined) await tokens?.add(transfers);
      });
      await appender.finish();
      const tip = appender.tip!;
      await this.#finishTokens(tokens);
      await this.#pruneJournal(first ?? tip.number + 1, tip.number, { journalFrom, journaled });
      await this.setMeta(meta);
      await this.#setCursor(CORE, tip);
      return tip;
    });
  }

  /**
   * Brings the tokens stage up to the core by up to `count` blocks from the rows we have, without the node, or by fewer
   * that have many transfers. `read` says what a block's logs mean. Answers how many blocks are left.
   */
  async deriveTokens(
    count: number,
    read: (block: LoggedBlock) => Omit<BlockTransfers, "number">,
    mostTransfers = DERIVED_TRANSFERS,
  ): Promise<number> {
    return this.#write(async () => {
      const [core, at] = [await this.latest.blocks.tip(), await readTokenTip(this.engine)];
      const first = (await this.latest.blocks.first())?.header.number;
      if (core === undefined || first === undefined) return 0;
      const from = at === undefined ? first : at.number + 1;
      const to = Math.min(core.number, from + count - 1);
      const tokens = new TokenAppender(this.#tokenTables, this.#tables.dictionaries.addresses, at, {
        journalFrom: await this.latest.oldestUnwindable(),
        firstNew: Number.MAX_SAFE_INTEGER,
      });
      let number = from;
      for (let left = mostTransfers; number <= to && left > 0; number++) {
        const events = read({ receipts: await receiptLogsOf(this.engine, number) });
        await tokens.add([{ number, ...events }]);
        left -= events.transfers.length;
      }
      await this.#finishTokens(tokens);
      return core.number - number + 1;
    });
  }

  /** The tokens stage goes with the core where it is as far; where it is behind, it is derived. */
  async #tokenAppender(core: Tip | undefined, journalFrom: number): Promise<TokenAppender | undefined> {
    const at = await readTokenTip(this.engine);
    if (at?.number !== core?.number) return undefined;
    const firstNew = (core?.totals.addresses ?? 0) + 1;
    return new TokenAppender(this.#tokenTables, this.#tables.dictionaries.addresses, at, { journalFrom, firstNew });
  }

  async #finishTokens(tokens: TokenAppender | undefined): Promise<void> {
    if (tokens === undefined) return;
    await tokens.finish();
    if (tokens.tip !== undefined) await this.#setCursor(TOKENS, tokens.tip);
  }

  /** Takes back every block above `number`, which must be indexed. */
  async unwind(number: number): Promise<Tip> {
    return this.#write(async () => {
      const tip = await this.latest.blocks.tipAt(number);
      if (tip === undefined) throw new ChainError("internal", `block ${number} is not indexed`);
      const journalFrom = await this.latest.oldestUnwindable();
      if (number + 1 < journalFrom) {
        throw new ChainError("deep_reorg", `blocks below ${journalFrom} can no longer be unwound`);
      }
      await this.#unwindInParts(number);
      await this.#setCursor(CORE, tip);
      return tip;
    });
  }

  /** From the top down, so that what is held in memory does not grow with the depth. */
  async #unwindInParts(number: number): Promise<void> {
    for (let top = (await this.latest.blocks.tip())!; top.number > number; ) {
      const [bottom = number] = await lowestPast(
        [rowsOf(top.totals) - UNWOUND_AT_ONCE],
        [number, top.number - 1],
        (candidates) => this.latest.blocks.totals(candidates),
        (totals, least, candidate) => rowsOf(mustHave(totals, `block ${candidate}`)) >= least,
      );
      const tip = (await this.latest.blocks.tipAt(bottom))!;
      await this.#unwindTokens(bottom);
      await unwindTo(this.#tables, tip);
      top = tip;
    }
  }

  async #unwindTokens(number: number): Promise<void> {
    const newest = await readTokenTip(this.engine);
    const tip = await readTokenTip(this.engine, number);
    if (newest === undefined || tip === undefined || newest.number <= number) return;
    await unwindTokensTo(this.#tokenTables, tip);
    await this.#setCursor(TOKENS, tip);
  }

  /** Blocks below `journalFrom` were added without a journal, and those far below the tip lose theirs. */
  async #pruneJournal(
    first: number,
    tip: number,
    { journalFrom, journaled }: { journalFrom: number; journaled: number },
  ): Promise<void> {
    const gap = first < journalFrom ? Math.min(journalFrom, tip + 1) : 0;
    const oldest = Math.max(await this.latest.oldestUnwindable(), gap, tip - journaled + 1);
    for (const table of JOURNALS) await this.engine.run(`DELETE FROM ${table} WHERE block < ?`, oldest);
    await this.setMeta({ journal_from: String(oldest) });
  }

  async setMeta(values: Readonly<Record<string, string>>): Promise<void> {
    await this.engine.upsert("meta", ["name", "value"], Object.entries(values));
  }

  /** Forgets the chain, but not whose it is and what its indexer does: for a development chain that began again. */
  async clear(): Promise<void> {
    await this.#write(async () => {
      const tables = (await this.engine.tables()).filter((table) => table !== "meta");
      for (const table of tables) await this.engine.run(`DELETE FROM ${table}`);
      await this.engine.run("DELETE FROM meta WHERE name NOT IN ('schema', 'chain_id', 'hash_secret', 'indexer')");
      this.#tables.clear();
      this.#tokenTables.clear();
    });
  }

  /** Copies the index to a file while it is in use; answers the newest block in the copy. */
  backup(path: string): Promise<Tip | undefined> {
    return this.engine.snapshot(async (snapshot) => {
      const tip = await new BlockReads(snapshot).tip();
      await snapshot.backup(path);
      return tip;
    });
  }

  async close(): Promise<void> {
    await this.engine.close();
    this.#lock?.release();
  }

  async #write<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.engine.transaction(work);
    } catch (error) {
      this.#tables.clear();
      this.#tokenTables.clear();
      throw error;
    }
  }

  #setCursor({ name, version }: typeof CORE, tip: Pick<Tip, "number" | "digest">): Promise<void> {
    const row: Row = [name, version, tip.number, tip.digest];
    return this.engine.upsert("stage", ["name", "version", "block", "digest"], [row]);
  }
}

function rowsOf({ transactions, logs }: Totals): number {
  return transactions + logs;
}
