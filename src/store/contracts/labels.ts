import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import type { Reader, Writer } from "../engine/database.ts";
import { readNumber } from "../engine/database.ts";

export const MAX_LABEL_LENGTH = 60;

/** All are in memory. */
export const MAX_LABELS = 100_000;

export type LabelMap = ReadonlyMap<Hex, string>;

export async function readLabels(db: Reader): Promise<LabelMap> {
  const rows = await db.all<[Bytes, string]>("SELECT address, text FROM label ORDER BY address");
  return new Map(rows.map(([address, text]) => [toHex(address), text]));
}

/** Runs inside a transaction. */
export async function writeLabels(writer: Writer, labels: LabelMap): Promise<void> {
  await writer.upsert(
    "label",
    ["address", "text"],
    [...labels].map(([address, text]) => [fromHex(address), text]),
  );
  const count = await readNumber(writer, "SELECT count(*) FROM label");
  if (count > MAX_LABELS) throw new ChainError("limit_exceeded", `there are at most ${MAX_LABELS} labels`);
}

/** Removes one, or all. Returns how many. Runs inside a transaction. */
export async function deleteLabels(writer: Writer, address?: Bytes): Promise<number> {
  const [condition, values] = address === undefined ? ["", []] : [" WHERE address = ?", [address]];
  const count = await readNumber(writer, `SELECT count(*) FROM label${condition}`, ...values);
  await writer.run(`DELETE FROM label${condition}`, ...values);
  return count;
}
