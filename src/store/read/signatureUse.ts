import type { Bytes } from "../../chain/encoding/bytes.ts";
import { findId } from "../dictionary/findValues.ts";
import type { Position } from "../rows/position.ts";
import { signatureLogs } from "../tables/logLists.ts";
import type { CoreReads } from "./coreReads.ts";

interface SignatureUse {
  /** Of all emitters. */
  readonly logs: number;
  /** Oldest of these first. */
  readonly newest: readonly Position[];
}

/** Number of events and their last emitter, in the order of the signatures. */
export async function readSignatureUse(
  { db, addressHasher }: CoreReads,
  signatures: readonly Bytes[],
  limit: number,
): Promise<SignatureUse[]> {
  const list = signatureLogs(db);
  const ids = await Promise.all(signatures.map((signature) => findId(db, "signature", addressHasher, signature)));
  const counts = await list.countEach(ids.flatMap((id) => id ?? []));
  return Promise.all(
    ids.map(async (id) => {
      const logs = id === undefined ? 0 : (counts.get(id) ?? 0);
      if (id === undefined || logs === 0) return { logs: 0, newest: [] };
      const entries = await list.slice(id, Math.max(logs - limit, 0), logs);
      return { logs, newest: entries.map(({ position }) => position) };
    }),
  );
}
