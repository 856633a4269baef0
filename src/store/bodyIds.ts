import type { Block } from "../chain/block.ts";
import type { Dictionaries } from "./dictionary.ts";
import { IdCursor } from "./dictionary.ts";
import { noteLog } from "./logBody.ts";

/** The ids of everything a block names that has one, each kind in the order in which rows hold it. */
export interface BodyIds {
  /** Sender, recipient and created contract of each transaction. */
  readonly parties: IdCursor;
  readonly emitters: IdCursor;
  readonly topics: IdCursor;
  readonly signatures: IdCursor;
}

/** Notes the values of a block in the order of the chain, so that ids do not depend on how it was batched. */
export function noteBlock(block: Block, { addresses, signatures }: Dictionaries): BodyIds {
  const ids: BodyIds = {
    parties: new IdCursor(addresses),
    emitters: new IdCursor(addresses),
    topics: new IdCursor(addresses),
    signatures: new IdCursor(signatures),
  };
  for (const [index, tx] of block.transactions.entries()) {
    const receipt = block.receipts[index]!;
    ids.parties.note(tx.from);
    if (tx.to !== null) ids.parties.note(tx.to);
    if (receipt.contractAddress !== null) ids.parties.note(receipt.contractAddress);
    for (const log of receipt.logs) noteLog(log, ids);
  }
  return ids;
}
