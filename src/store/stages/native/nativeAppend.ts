import type { Reader, Writer } from "../../engine/database.ts";
import type { StageAppender } from "../stage.ts";
import type { NativeTip } from "./nativeTip.ts";
import type { NativeBalance } from "./nativeWrite.ts";
import { pruneChanges, writeBalances } from "./nativeWrite.ts";

export interface NativeEvents {
  readonly balances: readonly NativeBalance[];
}

type ObservedBlock = NativeEvents & { readonly number: number };

/** Applies node balances per block. Does nothing until the stage is initialized. */
export class NativeAppender implements StageAppender<NativeEvents> {
  readonly #journalFrom: number;
  readonly #blocks: ObservedBlock[] = [];
  #tip: NativeTip | undefined;

  constructor(tip: NativeTip | undefined, journalFrom: number) {
    this.#tip = tip;
    this.#journalFrom = journalFrom;
  }

  get tip(): NativeTip | undefined {
    return this.#tip;
  }

  async add(_db: Reader, blocks: ObservedBlock[]): Promise<void> {
    if (this.#tip !== undefined) this.#blocks.push(...blocks);
    blocks.length = 0;
  }

  async finish(writer: Writer): Promise<void> {
    for (const { number, balances } of this.#blocks) {
      const { backfilled } = this.#tip!;
      this.#tip = (await writeBalances(writer, this.#tip!, { number, backfilled }, balances)).tip;
    }
    if (this.#tip !== undefined) await pruneChanges(writer, this.#tip, this.#journalFrom);
  }
}
