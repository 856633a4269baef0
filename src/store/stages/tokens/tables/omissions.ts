import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import type { OmittedTransfers } from "../../../../chain/token/tokenTransfer.ts";
import type { Reader, Row, Writer } from "../../../engine/database.ts";

/** Cumulative omissions in blocks with too many transfers. */
export interface Omissions {
  readonly blocks: number;
  readonly transfers: number;
  /** The newest such block. */
  readonly last: {
    readonly block: number;
    readonly transfers: number;
    readonly tokens: number;
    readonly busiest: Bytes;
  };
}

const COLUMNS = ["block", "transfers", "tokens", "busiest", "all_blocks", "all_transfers"] as const;

export async function readOmissions(db: Reader): Promise<Omissions | undefined> {
  const sql = `SELECT ${COLUMNS.join()} FROM omitted_transfer ORDER BY block DESC LIMIT 1`;
  const [row] = await db.all<[number, number, number, Bytes, number, number]>(sql);
  if (row === undefined) return undefined;
  const [block, transfers, tokens, busiest, allBlocks, allTransfers] = row;
  return { blocks: allBlocks, transfers: allTransfers, last: { block, transfers, tokens, busiest } };
}

/** A block with omitted transfers. */
export interface OmittingBlock {
  readonly number: number;
  readonly omitted: OmittedTransfers;
}

export async function writeOmissions(writer: Writer, omitting: readonly OmittingBlock[]): Promise<void> {
  if (omitting.length === 0) return;
  let { blocks: allBlocks, transfers: allTransfers } = (await readOmissions(writer)) ?? { blocks: 0, transfers: 0 };
  const rows = omitting.map(({ number, omitted: { transfers, tokens, busiest } }): Row => {
    allBlocks++;
    allTransfers += transfers;
    return [number, transfers, tokens, busiest, allBlocks, allTransfers];
  });
  await writer.insert("omitted_transfer", COLUMNS, rows);
}
