import type { Block } from "../../chain/block/block.ts";
import type { BodyIds, IdSource } from "./ids.ts";
import { IdCursor } from "./ids.ts";
import { noteLog } from "./logBody.ts";

interface Dictionaries {
  readonly addresses: IdSource<"address id">;
  /** The first topics of logs: the hashes of event signatures. */
  readonly signatures: IdSource<"signature id">;
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
