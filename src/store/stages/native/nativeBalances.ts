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
import { NO_BALANCES, writeBalances } from "./nativeWrite.ts";
import { recordPolledAccounts } from "./polledAccounts.ts";

/** Balances after a block, and how far the backfill of addresses is. */
interface BalanceBatch {
  readonly number: number;
  readonly hash: Hash;
  readonly backfilled: number;
  readonly balances: readonly NativeBalance[];
}

/** Native balances according to nodes. New blocks are written by the stage. */
export class NativeBalances {
  readonly #transact: Transact;

  constructor(transact: Transact) {
    this.#transact = transact;
  }

  /** Starts at a block, with all addresses up to it to be backfilled. */
  begin(number: number, targets: AddressCounts): Promise<void> {
    return this.#transact(async (writer) => {
      await clearBalances(writer);
      await writeTargets(writer, targets);
      await write(writer, NO_BALANCES, { number, backfilled: 0, balances: [] });
    });
  }

  /** Discarded if the stage has moved to another block. */
  fill(asked: BalanceBatch): Promise<void> {
    return this.#transact(async (writer) => {
      await writeAtTip(writer, asked);
    });
  }

  /** For accounts that no block changed. Those that differ are queried after every block from then on. */
  correct(asked: BalanceBatch): Promise<void> {
    return this.#transact(async (writer) => recordPolledAccounts(writer, await writeAtTip(writer, asked)));
  }

  forget(): Promise<void> {
    return this.#transact(async (writer) => {
      await clearBalances(writer);
      await writer.run("DELETE FROM stage WHERE name = ?", NATIVE_BALANCES.name);
    });
  }
}

async function writeAtTip(writer: Writer, { hash, ...asked }: BalanceBatch): Promise<readonly Hex[]> {
  const tip = await readNativeTip(writer);
  const block = await new BlockReads(writer).byNumber(asked.number);
  if (tip?.number !== asked.number || block === undefined || !equalBytes(block.header.hash, hash)) return [];
  return write(writer, tip, asked);
}

async function write(
  writer: Writer,
  tip: NativeTip,
  { number, backfilled, balances }: Omit<BalanceBatch, "hash">,
): Promise<readonly Hex[]> {
  const { tip: next, changed } = await writeBalances(writer, tip, { number, backfilled }, balances);
  if (next === tip) return changed;
  const { name, version } = NATIVE_BALANCES;
  await writer.upsert("stage", ["name", "version", "block", "digest"], [[name, version, number, next.digest]]);
  return changed;
}
