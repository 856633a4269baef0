import type { Reader, Writer } from "../engine/database.ts";
import type { AddressId, SignatureId } from "../rows/ids.ts";
import type { Position } from "../rows/position.ts";
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
  readonly #ofAddresses = new PositionList<"address id">(ADDRESS_LOGS);
  readonly #ofSignatures = new PositionList<"signature id">(SIGNATURE_LOGS);

  clear(): void {
    this.#ofAddresses.clear();
    this.#ofSignatures.clear();
  }

  /** The signature is 0 where the log is anonymous. */
  add(emitter: AddressId, signature: SignatureId, position: Position): void {
    this.#ofAddresses.add(emitter, position, signature);
    if (signature !== 0) this.#ofSignatures.add(signature, position);
  }

  async flush(writer: Writer, { addresses, signatures }: FirstNew): Promise<void> {
    const grown: Growth[] = [];
    await this.#ofAddresses.flush(writer, addresses, grown);
    await signatureCounts.grow(writer, grown);
    await this.#ofSignatures.flush(writer, signatures);
  }

  /** Drops the logs from a position on that some addresses emitted with some signatures. */
  async cut(
    writer: Writer,
    emitters: readonly AddressId[],
    signatures: readonly SignatureId[],
    position: Position,
  ): Promise<void> {
    await signatureCounts.shrink(writer, await this.#ofAddresses.cut(writer, emitters, position));
    await this.#ofSignatures.cut(writer, signatures, position);
  }
}
