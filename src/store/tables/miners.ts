import type { BlockNumber, Header } from "../../chain/block/header.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { settleAll } from "../../std/async.ts";
import { Dictionary } from "../dictionary/dictionary.ts";
import type { KeyedHash } from "../dictionary/keyedHash.ts";
import type { Reader, Writer } from "../engine/database.ts";
import { readNumber } from "../engine/database.ts";
import type { KeyMerges } from "../keys/keyMerges.ts";
import { blockOf, firstPosition } from "../rows/position.ts";
import type { ListTable, SearchableList } from "./list.ts";
import { ListReads, PositionList } from "./list.ts";

const CACHED = 10_000;

/** Block numbers by miner. */
export const minerBlocks = (db: Reader): ListReads<"miner id", "block number"> => new ListReads(db, MINER_BLOCKS);

const MINER_BLOCKS: ListTable = { name: "miner_block", isTagged: false };

/** Ids are in order of first blocks, so that an unwind releases them. */
export class MinerTables {
  readonly #miners: Dictionary<"miner id">;
  readonly #blocks: PositionList<"miner id", "block number">;
  /** Id of the last miner in the table; undefined until it is read. */
  #lastStored: number | undefined;

  constructor(hash: KeyedHash, merges: KeyMerges) {
    this.#miners = new Dictionary(hash, "miner", 20, CACHED, merges);
    this.#blocks = new PositionList(MINER_BLOCKS);
  }

  clear(): void {
    this.#miners.clear();
    this.#blocks.clear();
    this.#lastStored = undefined;
  }

  async add(db: Reader, headers: readonly Pick<Header, "number" | "miner">[]): Promise<void> {
    const noted = headers.map(({ miner, number }) => ({ entry: this.#miners.note(miner), number }));
    this.#lastStored ??= await lastId(db, "miner", "id");
    await this.#miners.load(db, this.#lastStored + this.#miners.fresh + 1, [this.#miners.noted]);
    for (const { entry, number } of noted) this.#blocks.add(this.#miners.id(entry), number);
  }

  async flush(writer: Writer): Promise<void> {
    if (this.#lastStored === undefined) return;
    const firstNew = this.#lastStored + 1;
    this.#lastStored += this.#miners.fresh;
    await settleAll([this.#miners.flush(writer), this.#blocks.flush(writer, firstNew)]);
  }

  /** `headers` are of the dropped blocks. */
  async cut(writer: Writer, number: BlockNumber, headers: readonly Pick<Header, "miner">[]): Promise<void> {
    const entries = headers.map(({ miner }) => this.#miners.note(miner));
    await this.#miners.loadKnown(writer);
    this.#lastStored = undefined;
    const owners = new Set(entries.map((entry) => this.#miners.id(entry)));
    await this.#blocks.cut(writer, [...owners], number);
    await this.#miners.cut(writer, await lastId(writer, "miner_block_tail", "owner"));
  }
}

function lastId(db: Reader, table: string, column: string): Promise<number> {
  return readNumber(db, `SELECT max(${column}) FROM ${table}`);
}

/** Blocks are represented by their first positions. */
export async function blocksOfMiner(db: Reader, hash: KeyedHash, address: Bytes): Promise<SearchableList> {
  const { count, slice, ordinalsOf } = await minerBlocks(db).find("miner", hash, address);
  return {
    count,
    slice: async (from, to) => (await slice(from, to)).map(firstPosition),
    ordinalsOf: (positions) => ordinalsOf(positions.map((position) => blockOf(position - 1) + 1)),
  };
}
