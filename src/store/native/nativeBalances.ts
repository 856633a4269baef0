import type { Hash } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import type { Database } from "../engine/database.ts";
import { BlockReads } from "../read/blocks.ts";
import { NATIVE_BALANCES } from "./nativeStage.ts";
import type { SeenCounts } from "./nativeTargets.ts";
import { clearBalances, writeTargets } from "./nativeTargets.ts";
import type { NativeTip } from "./nativeTip.ts";
import { readNativeTip } from "./nativeTip.ts";
import type { NativeBalance } from "./nativeWrite.ts";
import { NOTHING_KEPT, writeBalances } from "./nativeWrite.ts";
import { noteUnnamed } from "./unnamed.ts";

/** Balances after a block, and how far the addresses are asked about with them. */
export interface FilledBalances {
  readonly number: number;
  readonly hash: Hash;
  readonly filled: number;
  readonly balances: readonly NativeBalance[];
}

/** Keeps what nodes say that accounts have. Blocks on the way are those of the stage. */
export class NativeBalances {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Begins at a block, with the addresses that were seen up to it still to be asked about. */
  begin(number: number, targets: SeenCounts): Promise<void> {
    return this.#database.transaction(async () => {
      await clearBalances(this.#database);
      await writeTargets(this.#database, targets);
      await this.#write(NOTHING_KEPT, { number, filled: 0, balances: [] });
    });
  }

  /** Keeps what was asked at the block at which balances stand, unless they stand at another by now. */
  fill(asked: FilledBalances): Promise<void> {
    return this.#database.transaction(async () => {
      await this.#writeAtTip(asked);
    });
  }

  /** The same for accounts that no block named: those that have something else now are asked about after every block. */
  correct(asked: FilledBalances): Promise<void> {
    return this.#database.transaction(async () => noteUnnamed(this.#database, await this.#writeAtTip(asked)));
  }

  /** Forgets all of it. */
  forget(): Promise<void> {
    return this.#database.transaction(async () => {
      await clearBalances(this.#database);
      await this.#database.run("DELETE FROM stage WHERE name = ?", NATIVE_BALANCES.name);
    });
  }

  async #writeAtTip({ hash, ...asked }: FilledBalances): Promise<readonly Hex[]> {
    const tip = await readNativeTip(this.#database);
    const block = await new BlockReads(this.#database).byNumber(asked.number);
    if (tip?.number !== asked.number || block === undefined || !equalBytes(block.header.hash, hash)) return [];
    return this.#write(tip, asked);
  }

  async #write(tip: NativeTip, { number, filled, balances }: Omit<FilledBalances, "hash">): Promise<readonly Hex[]> {
    const { tip: next, changed } = await writeBalances(this.#database, tip, { number, filled }, balances);
    if (next === tip) return changed;
    const { name, version } = NATIVE_BALANCES;
    await this.#database.upsert(
      "stage",
      ["name", "version", "block", "digest"],
      [[name, version, number, next.digest]],
    );
    return changed;
  }
}
