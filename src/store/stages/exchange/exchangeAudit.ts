import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { equalBytes } from "../../../chain/encoding/bytes.ts";
import type { AuditOptions } from "../../audit/audit.ts";
import { AuditReport } from "../../audit/auditReport.ts";
import type { Reader } from "../../engine/database.ts";
import { readNumber } from "../../engine/database.ts";
import { receiptLogsOf } from "../../read/blockLogs.ts";
import type { CoreReads } from "../../read/coreReads.ts";
import { firstPosition } from "../../rows/position.ts";
import type { ReadEvents } from "../stage.ts";
import { encodeChanges } from "./exchangeBlocks.ts";
import { ExchangeMemory } from "./exchangeMemory.ts";
import type { BlockChanges, ExchangeBlock } from "./exchangeReducer.ts";
import { ExchangeReducer } from "./exchangeReducer.ts";
import type { CreationRow } from "./exchangeRows.ts";
import { creationRow, readCreation, SELECT_CREATIONS } from "./exchangeRows.ts";
import type { ExchangeTip } from "./exchangeTip.ts";
import { exchangeTipAt, readExchangeTip } from "./exchangeTip.ts";
import { isHeld, readPosition } from "./position.ts";

type ReadExchangeLogs = ReadEvents<Omit<ExchangeBlock, "number">>;

const OWNER_BATCH_SIZE = 1000;

/** Recomputes all rows of the stage from logs. Returns the differences. */
export async function auditExchange(
  session: CoreReads,
  read: ReadExchangeLogs,
  options: AuditOptions = {},
): Promise<string[]> {
  const report = new AuditReport();
  await report.gather(() => new ExchangeAudit(session, read, report).run(options));
  return report.problems;
}

export class ExchangeAudit {
  readonly #session: CoreReads;
  readonly #db: Reader;
  readonly #read: ReadExchangeLogs;
  readonly #report: AuditReport;
  readonly #memory: ExchangeMemory;
  readonly #rows = { exchange_block: 0, pool_creation: 0, pool_state: 0, position: 0 };

  constructor(session: CoreReads, read: ReadExchangeLogs, report: AuditReport) {
    this.#session = session;
    this.#db = session.db;
    this.#read = read;
    this.#report = report;
    this.#memory = new ExchangeMemory(session.addressHasher);
  }

  async run({ onBlock }: AuditOptions): Promise<void> {
    const [first, tip] = [await this.#session.blocks.first(), await readExchangeTip(this.#db)];
    if (first === undefined || tip === undefined) return;
    let at = await exchangeTipAt(this.#db, first.header.number - 1);
    for (let number = first.header.number; number <= tip.number; number++) {
      at = await this.block(number, at);
      if (number % 100 === 0) await onBlock?.(number);
    }
    await this.#finish(at);
  }

  /** `before` must be correct. */
  async block(number: number, before: ExchangeTip): Promise<ExchangeTip> {
    const { logs } = this.#read({ receipts: await receiptLogsOf(this.#db, number) });
    this.#memory.begin(before.pools);
    if (logs.length > 0) await this.#memory.load(this.#db, logs, number - 1);
    const changes = new ExchangeReducer(this.#memory, number).reduce(logs);
    this.#memory.trim();
    const sql = "SELECT events, pools, body, digest FROM exchange_block WHERE number = ?";
    const [row] = await this.#db.all<[number, number, Bytes, Bytes]>(sql, number);
    if (changes.events === 0) {
      this.#report.expect(row === undefined, `block ${number} has no exchange events, but a row`);
      return { ...before, number };
    }
    if (!this.#report.expect(row !== undefined, `the exchange stage has no block ${number}`)) return before;
    return this.#compare(before, changes, row!);
  }

  async #compare(before: ExchangeTip, changes: BlockChanges, row: [number, number, Bytes, Bytes]) {
    const { number } = changes;
    const { states, positions, body, tip } = encodeChanges(before, changes, this.#memory.pools);
    const [events, pools, storedBody, digest] = row;
    const isSame = events === tip.events && pools === tip.pools && equalBytes(storedBody, body);
    this.#report.expect(isSame && equalBytes(digest, tip.digest), `the exchange row of block ${number} is wrong`);
    const isEqual = (stored: readonly Bytes[], computed: readonly (readonly [unknown, Bytes])[]) =>
      stored.length === computed.length && computed.every(([, bytes], at) => equalBytes(stored[at]!, bytes));
    const storedStates = await this.#bodies(
      "SELECT body FROM pool_state WHERE (pool, block) IN ($pairs) ORDER BY pool",
      states.map(([pool]) => [pool, number] as const),
    );
    this.#report.expect(isEqual(storedStates, states), `the pools of block ${number} are not those of its logs`);
    const storedPositions: Bytes[] = [];
    for (const [id] of positions)
      storedPositions.push(
        ...(await this.#bodies("SELECT body FROM position WHERE (id, block) IN ($pairs)", [[id, number]])),
      );
    this.#report.expect(
      isEqual(storedPositions, positions),
      `the positions of block ${number} are not those of its logs`,
    );
    await this.#compareCreations(changes);
    this.#rows.exchange_block++;
    this.#rows.pool_creation += changes.creations.length;
    this.#rows.pool_state += states.length;
    this.#rows.position += positions.length;
    return tip;
  }

  async #bodies(sql: string, keys: readonly (readonly [number | Bytes, number])[]): Promise<Bytes[]> {
    return (await this.#db.loadPairs<[Bytes]>(sql, keys)).map(([body]) => body);
  }

  async #compareCreations({ number, creations }: BlockChanges): Promise<void> {
    const sql = `${SELECT_CREATIONS} WHERE c.position >= ? AND c.position < ? ORDER BY c.position`;
    const bounds = [firstPosition(number), firstPosition(number + 1)] as const;
    const stored = (await this.#db.all<CreationRow>(sql, ...bounds)).map(readCreation);
    const textOf = (creation: (typeof stored)[number]) =>
      JSON.stringify([creation.address, ...creationRow(creation)].map(hexOf));
    const isSame = stored.map(textOf).join() === creations.map(textOf).join();
    this.#report.expect(isSame, `the pools created in block ${number} are not those of its logs`);
  }

  async #finish(at: ExchangeTip): Promise<void> {
    for (const [table, count] of [...Object.entries(this.#rows), ["pool", at.pools] as const]) {
      const found = await readNumber(this.#db, `SELECT count(*) FROM ${table}`);
      this.#report.expect(found === count, `there are ${found} rows of ${table}, not ${count}`);
    }
    const stage = (await this.#session.stages()).find(({ name }) => name === "exchange");
    const isAt = stage !== undefined && stage.block === at.number && equalBytes(stage.digest, at.digest);
    this.#report.expect(isAt, "the exchange stage is not at its newest block");
    await this.#auditOwners();
  }

  /** Exactly the owners of positions with liquidity have a row. */
  async #auditOwners(): Promise<void> {
    const newest = `SELECT id, body FROM position p WHERE id > ? AND block = (SELECT max(block) FROM position n WHERE n.id = p.id) ORDER BY id LIMIT ?`;
    let held = 0;
    for (let after: Bytes = new Uint8Array(0); ; ) {
      const rows = await this.#db.all<[Bytes, Bytes]>(newest, after, OWNER_BATCH_SIZE);
      for (const [id, body] of rows) {
        const position = readPosition(body);
        if (!isHeld(position)) continue;
        held++;
        const sql = "SELECT count(*) FROM position_owner WHERE owner = ? AND pool = ? AND position = ?";
        const found = await readNumber(this.#db, sql, position.owner, position.pool, id);
        this.#report.expect(found === 1, `position ${hexOf(id)} is not listed for its owner`);
      }
      if (rows.length < OWNER_BATCH_SIZE) break;
      after = rows.at(-1)![0];
    }
    const listed = await readNumber(this.#db, "SELECT count(*) FROM position_owner");
    this.#report.expect(listed === held, `${listed} positions are listed for owners, not ${held}`);
  }
}

function hexOf(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value;
}
