import type { Block } from "../../chain/block/block.ts";
import type { BodyIds, IdSource } from "./ids.ts";
import { IdCursor } from "./ids.ts";
import { addLogIds } from "./logBody.ts";

interface Dictionaries {
  readonly addresses: IdSource<"address id">;
  /** topic0 of logs. */
  readonly signatures: IdSource<"signature id">;
}

/** In chain order, so that ids do not depend on batching. */
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
    for (const log of receipt.logs) addLogIds(log, ids);
  }
  return ids;
}
