import type { BlockNumber, Header } from "../../chain/block/header.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { Dictionary, findId } from "../dictionary/dictionary.ts";
import type { KeyedHash } from "../dictionary/keyedHash.ts";
import { loadHasher } from "../dictionary/secret.ts";
import type { Database, Reader } from "../engine/database.ts";
import { readNumber } from "../engine/database.ts";
import { storedBlocks } from "../read/blocks.ts";
import { blockOf, firstPosition } from "../rows/position.ts";
import type { ListTable, SearchableList } from "./list.ts";
import { ListReads, NO_LIST, PositionList } from "./list.ts";

const CACHED = 10_000;

/** The numbers of the blocks that each miner made. */
export const minerBlocks = (db: Reader): ListReads<"miner id", "block number"> => new ListReads(db, MINER_BLOCKS);

const MINER_BLOCKS: ListTable = { name: "miner_block", isTagged: false };

/** Lists blocks by who made them. Miners get their ids in order of their first blocks, so that unwinding gives them back. */
export class MinerTables {
  readonly #database: Database;
  readonly #miners: Dictionary<"miner id">;
  readonly #blocks: PositionList<"miner id", "block number">;

  constructor(database: Database, hash: KeyedHash) {
    this.#database = database;
    this.#miners = new Dictionary(database, hash, "miner", 20, CACHED);
    this.#blocks = new PositionList(database, MINER_BLOCKS);
  }

  clear(): void {
    this.#miners.clear();
    this.#blocks.clear();
  }

  async add(headers: readonly Pick<Header, "number" | "miner">[]): Promise<void> {
    const noted = headers.map(({ miner, number }) => ({ entry: this.#miners.note(miner), number }));
    const next = (await this.#lastId("miner", "id")) + this.#miners.fresh + 1;
    await this.#miners.load(next, [this.#miners.noted]);
    for (const { entry, number } of noted) this.#blocks.add(this.#miners.id(entry), number);
  }

  async flush(): Promise<void> {
    const firstNew = (await this.#lastId("miner", "id")) + 1;
    await this.#miners.flush();
    await this.#blocks.flush(firstNew);
  }

  /** Drops the blocks from `number` on, which the miners of `headers` made. */
  async cut(number: BlockNumber, headers: readonly Pick<Header, "miner">[]): Promise<void> {
    const entries = headers.map(({ miner }) => this.#miners.note(miner));
    await this.#miners.loadKnown();
    const owners = new Set(entries.map((entry) => this.#miners.id(entry)));
    await this.#blocks.cut([...owners], number);
    await this.#miners.cut(await this.#lastId("miner_block_tail", "owner"));
  }

  async #lastId(table: string, column: string): Promise<number> {
    return readNumber(this.#database, `SELECT max(${column}) FROM ${table}`);
  }
}

/** The blocks that an address made; the first position of a block stands for it. */
export async function blocksOfMiner(db: Reader, hash: KeyedHash, address: Bytes): Promise<SearchableList> {
  const id = await findId(db, "miner", hash, address);
  if (id === undefined) return NO_LIST;
  const { count, slice, ordinalsOf } = minerBlocks(db).of(id);
  return {
    count,
    slice: async (from, to) => (await slice(from, to)).map(firstPosition),
    ordinalsOf: (positions) => ordinalsOf(positions.map((position) => blockOf(position - 1) + 1)),
  };
}

/** Derives the lists from the blocks that are there. */
export async function fillMiners(database: Database): Promise<void> {
  const hash = await loadHasher(database);
  if (hash === undefined) return;
  const tables = new MinerTables(database, hash);
  for await (const blocks of storedBlocks(database)) {
    await tables.add(blocks.map(({ header }) => header));
    await tables.flush();
  }
}
