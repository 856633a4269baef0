import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { ChainError } from "../../../chain/error.ts";
import type { InternalCall, TracedTransaction } from "../../../chain/trace/internalCall.ts";
import { hasHappened, isCreation } from "../../../chain/trace/internalCall.ts";
import type { Reader, Row, Writer } from "../../engine/database.ts";
import { ByteWriter, mustHave } from "../../rows/encoding.ts";
import type { TraceAddressId } from "../../rows/ids.ts";
import { IntegerPairs } from "../../rows/integerPairs.ts";
import { firstPosition, MAX_SLOTS, slotOf } from "../../rows/position.ts";
import type { StageAppender } from "../stage.ts";
import type { TracedIndex } from "./traceBody.ts";
import { writeCall, writeTracedIndexes } from "./traceBody.ts";
import type { TraceTables } from "./traceTables.ts";
import type { TraceTip } from "./traceTip.ts";
import { NO_TRACES, traceDigest } from "./traceTip.ts";

/** Traces in transaction order. */
export interface TraceEvents {
  readonly transactions: readonly TracedTransaction[];
}

type TracedBlock = TraceEvents & { readonly number: number };

/** Blocks without calls and failures cost nothing. */
export class TraceAppender implements StageAppender<TraceEvents> {
  readonly #tables: TraceTables;
  readonly #firstNew: TraceAddressId;
  readonly #blocks: Row[] = [];
  readonly #calls: Row[] = [];
  readonly #creations = new IntegerPairs();
  #tip: TraceTip | undefined;

  constructor(tables: TraceTables, tip: TraceTip | undefined) {
    this.#tables = tables;
    this.#tip = tip;
    this.#firstNew = (tip?.addresses ?? 0) + 1;
  }

  get tip(): TraceTip | undefined {
    return this.#tip;
  }

  async add(db: Reader, blocks: TracedBlock[]): Promise<void> {
    for (const block of blocks) {
      const isEmpty = block.transactions.every(({ calls, error }) => calls.length === 0 && error === undefined);
      if (isEmpty) this.#tip = { ...(this.#tip ?? NO_TRACES), number: block.number };
      else await this.#enter(db, block);
    }
    blocks.length = 0;
  }

  async #enter(db: Reader, { number, transactions }: TracedBlock): Promise<void> {
    const before = this.#tip ?? NO_TRACES;
    const indexes = indexesOf(transactions);
    const slots = await this.#slotsOf(db, number, transactions.length);
    const listed = indexes.filter(({ isUntraced }) => !isUntraced);
    const ids = await this.#assignIds(
      db,
      listed.flatMap(({ index }) => callsOf(transactions[index])),
      before.addresses,
    );
    const writer = new ByteWriter(1 << 12);
    const ends: number[] = [];
    for (const { index } of listed) {
      for (const call of callsOf(transactions[index])) {
        const [from, to] = [ids.next(), call.to === null ? 0 : ids.next()];
        this.#list(call, firstPosition(number) + ends.length, from, to);
        writeCall(call, slots[index]!, from, to, writer);
        ends.push(writer.length);
      }
    }
    for (const [at, end] of ends.entries()) {
      this.#calls.push([firstPosition(number) + at, writer.copy(ends[at - 1] ?? 0, end)]);
    }
    const body = writeTracedIndexes(indexes);
    const tip = {
      number,
      digest: traceDigest(before, number, body, [writer.view(), ids.fresh]),
      calls: before.calls + ends.length,
      addresses: ids.addresses,
      untraced: before.untraced + indexes.length - listed.length,
    };
    this.#blocks.push([number, tip.calls, tip.addresses, tip.untraced, body, tip.digest]);
    this.#tip = tip;
  }

  #list(call: InternalCall, position: number, from: TraceAddressId, to: TraceAddressId): void {
    this.#tables.calls.add(from, position);
    if (to !== 0 && to !== from) this.#tables.calls.add(to, position);
    if (to !== 0 && isCreation(call) && hasHappened(call)) this.#creations.add(to, position);
  }

  /** Slots of a block's transactions. */
  async #slotsOf(db: Reader, number: number, count: number): Promise<number[]> {
    const sql = "SELECT position FROM tx WHERE position >= ? AND position < ? ORDER BY position";
    const bounds = [firstPosition(number), firstPosition(number + 1)] as const;
    const rows = await db.all<[number]>(sql, ...bounds);
    if (rows.length === count) return rows.map(([position]) => slotOf(position));
    throw new ChainError("internal", `block ${number} has ${rows.length} transactions, and traces of ${count}`);
  }

  async #assignIds(db: Reader, calls: readonly InternalCall[], before: number) {
    const { addresses } = this.#tables;
    const entries: number[] = [];
    for (const { from, to } of calls) {
      entries.push(addresses.note(from));
      if (to !== null) entries.push(addresses.note(to));
    }
    const known = addresses.fresh;
    const [given = 0] = await addresses.load(db, before + 1, [addresses.noted]);
    let at = 0;
    return {
      next: (): TraceAddressId => addresses.id(mustHave(entries[at++], "an address")),
      addresses: before + given,
      fresh: addresses.freshValues(known, known + given) as Bytes,
    };
  }

  async finish(writer: Writer): Promise<void> {
    const { addresses, calls } = this.#tables;
    const columns = ["number", "calls", "addresses", "untraced", "body", "digest"];
    await writer.insert("trace_block", columns, this.#blocks);
    await writer.insert("trace_call", ["position", "body"], this.#calls);
    await writer.insert("trace_creation", ["address", "position"], this.#creations.sorted());
    await addresses.flush(writer);
    await calls.flush(writer, this.#firstNew);
  }
}

const callsOf = (traced: TracedTransaction | undefined): readonly InternalCall[] =>
  traced === undefined || traced.calls === "too long" ? [] : traced.calls;

/** Transactions with calls or failures; those beyond the last slot count as too long. */
function indexesOf(transactions: readonly TracedTransaction[]): TracedIndex[] {
  const indexes: TracedIndex[] = [];
  let room = MAX_SLOTS;
  for (const [index, { calls, error }] of transactions.entries()) {
    if (calls.length === 0 && error === undefined) continue;
    const isUntraced = calls === "too long" || calls.length > room;
    if (!isUntraced) room -= calls.length;
    indexes.push({ index, calls: isUntraced ? 0 : calls.length, isUntraced, error });
  }
  return indexes;
}
