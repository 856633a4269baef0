import { settleAll } from "../../std/async.ts";
import type { Reader, Writer } from "../engine/database.ts";
import type { AddressId, SignatureId } from "../rows/ids.ts";
import type { Position } from "../rows/position.ts";
import type { Growth, ListTable } from "./list.ts";
import { ListReads, PositionList } from "./list.ts";
import { TagCounts } from "./tagCounts.ts";

/** Tagged with the signature id, 0 if anonymous. */
const ADDRESS_LOGS: ListTable = { name: "address_log", isTagged: true };
const SIGNATURE_LOGS: ListTable = { name: "signature_log", isTagged: false };

/** Signature counts per address. */
export const signatureCounts = new TagCounts(ADDRESS_LOGS.name);

export const addressLogs = (db: Reader): ListReads<"address id"> => new ListReads(db, ADDRESS_LOGS);

/** By signature, of all emitters, without anonymous logs. */
export const signatureLogs = (db: Reader): ListReads<"signature id"> => new ListReads(db, SIGNATURE_LOGS);

/** Ids from here on have no rows yet. */
interface FirstNew {
  readonly addresses: AddressId;
  readonly signatures: SignatureId;
}

export class LogLists {
  readonly #ofAddresses = new PositionList<"address id">(ADDRESS_LOGS);
  readonly #ofSignatures = new PositionList<"signature id">(SIGNATURE_LOGS);

  clear(): void {
    this.#ofAddresses.clear();
    this.#ofSignatures.clear();
  }

  /** `signature` is 0 if anonymous. */
  add(emitter: AddressId, signature: SignatureId, position: Position): void {
    this.#ofAddresses.add(emitter, position, signature);
    if (signature !== 0) this.#ofSignatures.add(signature, position);
  }

  async flush(writer: Writer, { addresses, signatures }: FirstNew): Promise<void> {
    await settleAll([this.#flushAddresses(writer, addresses), this.#ofSignatures.flush(writer, signatures)]);
  }

  async #flushAddresses(writer: Writer, firstNew: AddressId): Promise<void> {
    const grown: Growth[] = [];
    await this.#ofAddresses.flush(writer, firstNew, grown);
    await signatureCounts.grow(writer, grown);
  }

  /** Drops logs from a position on. */
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
