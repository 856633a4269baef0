import type { Hash } from "../../../chain/encoding/bytes.ts";
import { equalBytes } from "../../../chain/encoding/bytes.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";
import type { Transact, Writer } from "../../engine/database.ts";
import { BlockReads } from "../../read/blocks.ts";
import { NATIVE_BALANCES } from "./nativeStage.ts";
import type { AddressCounts } from "./nativeTargets.ts";
import { clearBalances, writeTargets } from "./nativeTargets.ts";
import type { NativeTip } from "./nativeTip.ts";
import { readNativeTip } from "./nativeTip.ts";
import type { NativeBalance } from "./nativeWrite.ts";
import { NOTHING_KEPT, writeBalances } from "./nativeWrite.ts";
import { recordUnnamedAccounts } from "./unnamed.ts";

/** Balances after a block, and how far the addresses are asked about with them. */
export interface FilledBalances {
  readonly number: number;
  readonly hash: Hash;
  readonly filled: number;
  readonly balances: readonly NativeBalance[];
}

/** Keeps what nodes say that accounts have. Blocks on the way are those of the stage. */
export class NativeBalances {
  readonly #transact: Transact;

  constructor(transact: Transact) {
    this.#transact = transact;
  }

  /** Begins at a block, with the addresses that were seen up to it still to be asked about. */
  begin(number: number, targets: AddressCounts): Promise<void> {
    return this.#transact(async (writer) => {
      await clearBalances(writer);
      await writeTargets(writer, targets);
      await write(writer, NOTHING_KEPT, { number, filled: 0, balances: [] });
    });
  }

  /** Keeps what was asked at the block at which balances stand, unless they stand at another by now. */
  fill(asked: FilledBalances): Promise<void> {
    return this.#transact(async (writer) => {
      await writeAtTip(writer, asked);
    });
  }

  /** The same for accounts that no block named: those that have something else now are asked about after every block. */
  correct(asked: FilledBalances): Promise<void> {
    return this.#transact(async (writer) => recordUnnamedAccounts(writer, await writeAtTip(writer, asked)));
  }

  /** Forgets all of it. */
  forget(): Promise<void> {
    return this.#transact(async (writer) => {
      await clearBalances(writer);
      await writer.run("DELETE FROM stage WHERE name = ?", NATIVE_BALANCES.name);
    });
  }
}

async function writeAtTip(writer: Writer, { hash, ...asked }: FilledBalances): Promise<readonly Hex[]> {
  const tip = await readNativeTip(writer);
  const block = await new BlockReads(writer).byNumber(asked.number);
  if (tip?.number !== asked.number || block === undefined || !equalBytes(block.header.hash, hash)) return [];
  return write(writer, tip, asked);
}

async function write(
  writer: Writer,
  tip: NativeTip,
  { number, filled, balances }: Omit<FilledBalances, "hash">,
): Promise<readonly Hex[]> {
  const { tip: next, changed } = await writeBalances(writer, tip, { number, filled }, balances);
  if (next === tip) return changed;
  const { name, version } = NATIVE_BALANCES;
  await writer.upsert("stage", ["name", "version", "block", "digest"], [[name, version, number, next.digest]]);
  return changed;
}
