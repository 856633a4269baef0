import type { Database, Reader } from "../engine/database.ts";
import { storedBlocks } from "../read/blocks.ts";
import { mustHave } from "../rows/encoding.ts";
import { listedLogs, storedFacts } from "../rows/facts.ts";
import type { AddressId, SignatureId } from "../rows/ids.ts";
import type { Position } from "../rows/position.ts";
import { blockOf } from "../rows/position.ts";
import type { Growth, ListTable } from "./list.ts";
import { ListReads, PositionList } from "./list.ts";
import { TagCounts } from "./tagCounts.ts";

/** Each entry is tagged with the id of the log's signature, 0 for an anonymous log. */
const ADDRESS_LOGS: ListTable = { name: "address_log", isTagged: true };
const SIGNATURE_LOGS: ListTable = { name: "signature_log", isTagged: false };

/** How often each signature is in the list of an address. */
export const signatureCounts = new TagCounts(ADDRESS_LOGS.name);

export const addressLogs = (db: Reader): ListReads<"address id"> => new ListReads(db, ADDRESS_LOGS);

/** The logs of each event signature, whoever emitted them. Anonymous logs are in none. */
export const signatureLogs = (db: Reader): ListReads<"signature id"> => new ListReads(db, SIGNATURE_LOGS);

/** The first ids that addresses and signatures can get in a batch: what they are new to has no row yet. */
export interface FirstNew {
  readonly addresses: AddressId;
  readonly signatures: SignatureId;
}

/** Lists logs by the address that emitted them and by their signature. */
export class LogLists {
  readonly #database: Database;
  readonly #ofAddresses: PositionList<"address id">;
  readonly #ofSignatures: PositionList<"signature id">;

  constructor(database: Database) {
    this.#database = database;
    this.#ofAddresses = new PositionList(database, ADDRESS_LOGS);
    this.#ofSignatures = new PositionList(database, SIGNATURE_LOGS);
  }

  clear(): void {
    this.#ofAddresses.clear();
    this.#ofSignatures.clear();
  }

  /** The signature is 0 where the log is anonymous. */
  add(emitter: AddressId, signature: SignatureId, position: Position): void {
    this.#ofAddresses.add(emitter, position, signature);
    if (signature !== 0) this.#ofSignatures.add(signature, position);
  }

  async flush({ addresses, signatures }: FirstNew): Promise<void> {
    const grown: Growth[] = [];
    await this.#ofAddresses.flush(addresses, grown);
    await signatureCounts.grow(this.#database, grown);
    await this.#ofSignatures.flush(signatures);
  }

  /** Drops the logs from a position on that some addresses emitted with some signatures. */
  async cut(emitters: readonly AddressId[], signatures: readonly SignatureId[], position: Position): Promise<void> {
    await signatureCounts.shrink(this.#database, await this.#ofAddresses.cut(emitters, position));
    await this.#ofSignatures.cut(signatures, position);
  }
}

/** Lists logs by their signatures, and counts them in the lists of addresses, in an index that has only those lists. */
export async function fillLogLists(database: Database): Promise<void> {
  const list = new PositionList(database, SIGNATURE_LOGS);
  for await (const blocks of storedBlocks(database)) {
    const sizes = new Map(blocks.map(({ header, sums }) => [header.number, sums.transactions]));
    const [first, last] = [blocks[0]?.header.number ?? 0, blocks.at(-1)?.header.number ?? -1];
    for await (const facts of storedFacts(database, first, last)) {
      const transactions = mustHave(sizes.get(blockOf(facts.position)), "the block of a transaction");
      for (const { signature, position } of listedLogs(facts, transactions)) {
        if (signature !== 0) list.add(signature, position);
      }
    }
    await list.flush(Number.MAX_SAFE_INTEGER);
  }
  for await (const [owner, after] of addressLogs(database).counts()) {
    await signatureCounts.grow(database, [{ owner, before: 0, after }]);
  }
}
