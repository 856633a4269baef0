import type { PlainChain } from "./plainChain.ts";

/** A log in a node's JSON, and its expected record. */
export interface PlainLog {
  readonly address: string;
  readonly transaction_hash: string;
  readonly topics: readonly (string | null)[];
  readonly data: string;
  readonly index: number;
  readonly block_number: number;
  readonly block_hash: string;
  readonly smart_contract: string | null;
}

/** Every log from a block to the head, oldest first: an oracle that shares no code with the index. */
export function plainLogs(chain: PlainChain, since = 0): PlainLog[] {
  const found: PlainLog[] = [];
  for (let number = since; number < chain.length; number++) {
    const { block, receipts } = chain.at(number)!;
    let index = 0;
    for (const receipt of receipts) {
      for (const log of receipt.logs as unknown as { address: string; topics: string[]; data: string }[]) {
        found.push({
          address: log.address,
          transaction_hash: receipt.transactionHash as string,
          topics: [0, 1, 2, 3].map((at) => log.topics[at] ?? null),
          data: log.data,
          index: index++,
          block_number: number,
          block_hash: block.hash,
          smart_contract: (receipt.to ?? null) as string | null,
        });
      }
    }
  }
  return found;
}
