import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import { equalBytes } from "../../../../chain/encoding/bytes.ts";
import type { AuditReport } from "../../../audit/auditReport.ts";
import type { Reader } from "../../../engine/database.ts";
import { keysetPages } from "../../../engine/keysetPages.ts";
import type { AddressId } from "../../../rows/ids.ts";
import type { AssetCounts } from "../tables/assetCounts.ts";
import { assetCounts, countMoves, NO_ASSETS } from "../tables/assetCounts.ts";
import { listedMoves } from "../tables/assetLists.ts";

const ASSETS =
  "SELECT address, list, asset FROM asset WHERE (address, list, asset) > (?, ?, ?) ORDER BY 1, 2, 3 LIMIT ?";
const COUNTS = "SELECT id, value FROM asset_count WHERE id > ? ORDER BY 1 LIMIT ?";

const BATCH_SIZE = 10_000;

/** Compares listed and counted assets with the holdings, audited before. */
export async function auditAssets(db: Reader, report: AuditReport): Promise<void> {
  const assets = new Merge(
    rowsOf<Key>((last = [-1, -1, -1], count) => db.all(ASSETS, ...last, count)),
    compareKeys,
    ([address, list, asset]) =>
      report.expect(false, `no holding tells of asset ${asset} of list ${list} that address ${address} has`),
  );
  const counts = new Merge(
    rowsOf<[number, Bytes]>((last, count) => db.all(COUNTS, last?.[0] ?? -1, count)),
    ([id], address: AddressId) => id - address,
    ([address]) => report.expect(false, `there are counts of assets that address ${address} does not have`),
  );
  let owner: { readonly address: AddressId; counts: AssetCounts } | undefined;
  const close = async () => {
    if (owner === undefined) return;
    const row = await counts.find(owner.address);
    const isCounted = row !== undefined && equalBytes(row[1], assetCounts.write(owner.counts));
    report.expect(isCounted, `what address ${owner.address} has is not counted as it is`);
  };
  for await (const move of listedMoves(db)) {
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

/** Merge join over ascending keys; unmatched rows are surplus. */
class Merge<R, K> {
  readonly #rows: AsyncGenerator<R, undefined>;
  readonly #compare: (row: R, key: K) => number;
  readonly #surplus: (row: R) => void;
  #next: Promise<IteratorResult<R, undefined>>;

  constructor(rows: AsyncGenerator<R, undefined>, compare: (row: R, key: K) => number, surplus: (row: R) => void) {
    this.#rows = rows;
    this.#compare = compare;
    this.#surplus = surplus;
    this.#next = rows.next();
  }

  async find(key: K): Promise<R | undefined> {
    for (;;) {
      const { done, value } = await this.#next;
      if (done === true) return undefined;
      const order = this.#compare(value, key);
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

type Key = [address: AddressId, list: number, asset: number];

function compareKeys([address, list, asset]: Key, [otherAddress, otherList, otherAsset]: Key): number {
  return address - otherAddress || list - otherList || asset - otherAsset;
}

async function* rowsOf<R>(read: (last: R | undefined, count: number) => Promise<R[]>): AsyncGenerator<R, undefined> {
  for await (const rows of keysetPages(BATCH_SIZE, read)) yield* rows;
}
