import type { Bytes } from "../chain/bytes.ts";
import { equalBytes } from "../chain/bytes.ts";
import type { Header } from "../chain/header.ts";
import { toHex } from "../chain/hex.ts";
import type { AuditReport } from "./auditReport.ts";
import { expectFindable } from "./dictionaryAudit.ts";
import type { Outlines } from "./listAudit.ts";
import { compareLists, extendOf } from "./listAudit.ts";
import { minerBlocks } from "./miners.ts";
import type { Store } from "./store.ts";

/** What the headers say of who made which blocks. Miners have ids in the order of their first blocks. */
export class MinerAudit {
  readonly #ids = new Map<string, number>();
  readonly #values = new Map<number, Bytes>();
  readonly #blocks: Outlines = new Map();

  add({ miner, number }: Header): void {
    const name = toHex(miner);
    const id = this.#ids.get(name) ?? this.#ids.size + 1;
    this.#ids.set(name, id);
    this.#values.set(id, miner);
    extendOf(this.#blocks, id, number);
  }

  async compare(store: Store, report: AuditReport): Promise<void> {
    const { engine } = store;
    await compareLists(report, minerBlocks(engine), this.#blocks, { what: "blocks", whose: "miner" });
    const rows = (await engine.all("SELECT id, value FROM miner")) as [number, Bytes][];
    const [keys] = await engine.all("SELECT count(*) FROM miner_hash");
    const isDense = rows.length === this.#ids.size && keys![0] === this.#ids.size;
    report.expect(isDense, "the miner dictionary is not dense");
    for (const [id, value] of rows) {
      const expected = this.#values.get(id);
      report.expect(
        expected !== undefined && equalBytes(value, expected),
        `miner ${id} is another than the headers say`,
      );
    }
    await expectFindable(report, store, "miner", this.#values);
  }
}
