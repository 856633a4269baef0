import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { equalBytes } from "../../../chain/encoding/bytes.ts";
import type { AuditReport } from "../../audit/auditReport.ts";
import type { Connection, Value } from "../../engine/engine.ts";
import type { AssetCounts } from "../assets/assetCounts.ts";
import { assetCounts, countMoves, NO_ASSETS } from "../assets/assetCounts.ts";
import { listedMoves } from "../assets/assetLists.ts";

type Key = readonly number[];

const AT_ONCE = 10_000;

/** The assets of addresses with many holdings are listed and counted as their holdings say, which are audited before. */
export async function auditAssets(connection: Connection, report: AuditReport): Promise<void> {
  const assets = new Merge(
    walk(connection, "SELECT address, list, asset FROM asset WHERE (address, list, asset) > (?, ?, ?)", 3),
    ([address, list, asset]) =>
      report.expect(false, `no holding tells of asset ${asset} of list ${list} that address ${address} has`),
  );
  const counts = new Merge(walk(connection, "SELECT id, value FROM asset_count WHERE id > ?", 1), ([address]) =>
    report.expect(false, `there are counts of assets that address ${address} does not have`),
  );
  let owner: { readonly address: number; counts: AssetCounts } | undefined;
  const close = async () => {
    if (owner === undefined) return;
    const row = await counts.find([owner.address]);
    const isCounted = row !== undefined && equalBytes(row[1] as Bytes, assetCounts.write(owner.counts));
    report.expect(isCounted, `what address ${owner.address} has is not counted as it is`);
  };
  for await (const move of listedMoves(connection)) {
    const { address, list, asset, by } = move;
    if (owner?.address !== address) {
      await close();
      owner = { address, counts: NO_ASSETS };
    }
    owner.counts = countMoves(owner.counts, [move]);
    if (by === 0) continue;
    const row = await assets.find([address, list, asset]);
    report.expect(row !== undefined, `address ${address} has asset ${asset} of list ${list}`);
  }
  await close();
  await assets.finish();
  await counts.finish();
}

/** Finds rows by ascending keys in others that ascend; what no key asks for is surplus. */
class Merge {
  readonly #rows: AsyncGenerator<Value[], undefined>;
  readonly #surplus: (row: Value[]) => void;
  #next: Promise<IteratorResult<Value[], undefined>>;

  constructor(rows: AsyncGenerator<Value[], undefined>, surplus: (row: Value[]) => void) {
    this.#rows = rows;
    this.#surplus = surplus;
    this.#next = rows.next();
  }

  async find(key: Key): Promise<Value[] | undefined> {
    for (;;) {
      const { done, value } = await this.#next;
      if (done === true) return undefined;
      const order = compareKeys(value as number[], key);
      if (order > 0) return undefined;
      this.#next = this.#rows.next();
      if (order === 0) return value;
      this.#surplus(value);
    }
  }

  async finish(): Promise<void> {
    for (let next = await this.#next; next.done !== true; next = await this.#rows.next()) this.#surplus(next.value);
  }
}

/** By the columns of the key. */
function compareKeys(row: readonly number[], key: Key): number {
  for (const [at, part] of key.entries()) if (row[at] !== part) return row[at]! - part;
  return 0;
}

/** The rows of a table by its key, some at a time. */
async function* walk(connection: Connection, select: string, keys: number): AsyncGenerator<Value[], undefined> {
  const order = Array.from({ length: keys }, (_, at) => at + 1).join(", ");
  for (let after: Value[] = Array.from({ length: keys }, () => -1); ; ) {
    const rows = await connection.all(`${select} ORDER BY ${order} LIMIT ?`, ...after, AT_ONCE);
    yield* rows;
    if (rows.length < AT_ONCE) return;
    after = rows.at(-1)!.slice(0, keys);
  }
}
