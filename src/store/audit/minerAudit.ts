import type { Header } from "../../chain/block/header.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { LruCache } from "../../std/maps.ts";
import { findId } from "../dictionary/findValues.ts";
import { readNumber } from "../engine/database.ts";
import type { CoreReads } from "../read/coreReads.ts";
import { mustHave } from "../rows/encoding.ts";
import type { AuditReport } from "./auditReport.ts";
import { auditKeys } from "./dictionaryAudit.ts";

const MAX_REMEMBERED = 10_000;

/** Miners and their blocks according to headers. Ids are in order of the first block. */
export class MinerAudit {
  readonly #session: CoreReads;
  readonly #report: AuditReport;
  readonly #found = new LruCache<string, number>(MAX_REMEMBERED);
  /** Expected ids of miners that are missing. */
  readonly #missing = new Map<string, number>();
  #count = 0;

  constructor(session: CoreReads, report: AuditReport) {
    this.#session = session;
    this.#report = report;
  }

  async add({ miner }: Header): Promise<number> {
    const found = await this.#lookup(miner);
    if (found !== undefined && found <= this.#count) return found;
    const id = ++this.#count;
    const isNext = found === undefined || found === id;
    this.#report.expect(isNext, `miner ${found} is another than the headers say`);
    this.#report.expect(found !== undefined, `miner ${id} is not found by its value`);
    if (found === undefined) this.#missing.set(toHex(miner), id);
    return found ?? id;
  }

  async idOf({ miner }: Header): Promise<number> {
    return mustHave(await this.#lookup(miner), `miner ${toHex(miner)}`);
  }

  async finish(): Promise<void> {
    const { db } = this.#session;
    const rows = await readNumber(db, "SELECT count(*) FROM miner");
    const keys = await auditKeys(this.#report, this.#session, "miner");
    const isDense = rows === this.#count && keys === this.#count;
    this.#report.expect(isDense, "the miner dictionary is not dense");
    const sql = "SELECT id FROM miner WHERE id < 1 OR id > ? LIMIT 100";
    for (const [id] of await db.all(sql, this.#count))
      this.#report.expect(false, `miner ${id} is another than the headers say`);
  }

  async #lookup(miner: Bytes): Promise<number | undefined> {
    const name = toHex(miner);
    const known = this.#found.get(name) ?? this.#missing.get(name);
    if (known !== undefined) return known;
    const { db, addressHasher: hash } = this.#session;
    const id = await findId(db, "miner", hash, miner);
    if (id !== undefined) this.#found.set(name, id);
    return id;
  }
}
