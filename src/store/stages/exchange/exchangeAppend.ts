import type { Reader, Row, Writer } from "../../engine/database.ts";
import type { StageAppender } from "../stage.ts";
import { encodeChanges } from "./exchangeBlocks.ts";
import type { ExchangeMemory } from "./exchangeMemory.ts";
import { textOf } from "./exchangeMemory.ts";
import type { BlockChanges, ExchangeBlock } from "./exchangeReducer.ts";
import { ExchangeReducer } from "./exchangeReducer.ts";
import { CREATION_COLUMNS, creationRow } from "./exchangeRows.ts";
import type { ExchangeTip } from "./exchangeTip.ts";
import { NO_EXCHANGE } from "./exchangeTip.ts";
import { noteDuePools } from "./observe/poolObservations.ts";
import { moveOwners } from "./positionOwners.ts";
import type { PositionChange } from "./positionReducer.ts";

const NEWEST = Number.MAX_SAFE_INTEGER;

/** Applies exchange events. Blocks without any cost nothing. */
export class ExchangeAppender implements StageAppender<Omit<ExchangeBlock, "number">> {
  readonly #memory: ExchangeMemory;
  readonly #blocks: Row[] = [];
  readonly #pools: Row[] = [];
  readonly #creations: Row[] = [];
  readonly #states: Row[] = [];
  readonly #positions: Row[] = [];
  readonly #moved = new Map<string, PositionChange>();
  #tip: ExchangeTip | undefined;

  constructor(memory: ExchangeMemory, tip: ExchangeTip | undefined) {
    this.#memory = memory;
    this.#tip = tip;
    memory.begin(tip?.pools ?? 0);
  }

  get tip(): ExchangeTip | undefined {
    return this.#tip;
  }

  async add(db: Reader, blocks: ExchangeBlock[]): Promise<void> {
    const logs = blocks.flatMap(({ logs }) => logs);
    if (logs.length > 0) await this.#memory.load(db, logs, NEWEST);
    for (const { number, logs } of blocks) {
      const changes = logs.length === 0 ? undefined : new ExchangeReducer(this.#memory, number).reduce(logs);
      if (changes !== undefined && changes.events > 0) this.#enter(changes);
      else this.#tip = { ...this.#before, number };
    }
    blocks.length = 0;
  }

  get #before(): ExchangeTip {
    return this.#tip ?? NO_EXCHANGE;
  }

  #enter(changes: BlockChanges): void {
    const { number } = changes;
    const before = this.#before;
    const { states, positions, body, tip } = encodeChanges(before, changes, this.#memory.pools);
    let pools = before.pools;
    for (const creation of changes.creations) {
      this.#creations.push(creationRow(creation));
      if (creation.pool > pools) this.#pools.push([++pools, creation.address]);
    }
    for (const [pool, state] of states) this.#states.push([pool, number, state]);
    for (const [id, position] of positions) this.#positions.push([id, number, position]);
    for (const change of changes.positions) {
      const text = textOf(change.id);
      this.#moved.set(text, { ...change, before: (this.#moved.get(text) ?? change).before });
    }
    this.#blocks.push([number, tip.events, tip.pools, body, tip.digest]);
    this.#tip = tip;
  }

  async finish(writer: Writer): Promise<void> {
    const byPool = (a: Row, b: Row) => (a[0] as number) - (b[0] as number) || (a[1] as number) - (b[1] as number);
    await writer.insert("pool", ["id", "address"], this.#pools);
    await writer.insert("pool_creation", CREATION_COLUMNS, this.#creations);
    await writer.insert("exchange_block", ["number", "events", "pools", "body", "digest"], this.#blocks);
    await writer.insert("pool_state", ["pool", "block", "body"], this.#states.sort(byPool));
    await writer.insert("position", ["id", "block", "body"], this.#positions);
    await moveOwners(writer, this.#moved.values());
    const idsOf = (rows: readonly Row[]) => new Set(rows.map(([pool]) => pool as number));
    await noteDuePools(writer, idsOf(this.#states), idsOf(this.#creations));
    this.#memory.trim();
  }
}
