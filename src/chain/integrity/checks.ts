/** Integrity checks beyond decoding. Together they cover almost every field. */
export const CHECKS = {
  blockHash: "the block hash is the keccak of the header",
  transactionsRoot: "the transactions are those the header commits to",
  noTransactions: "a block without transactions has the root of none",
  transactionHash: "each transaction hash is the keccak of the transaction",
  fields: "a transaction has no field that only other types have",
  chainId: "the chain id beside a legacy transaction is the one its v holds",
  receiptsRoot: "the receipts and logs are those the header commits to",
  logsBloom: "the bloom is that of the logs, where the receipts root cannot be recomputed",
  withdrawalsRoot: "the withdrawals are those the header commits to",
  uncles: "a block names uncles where its header commits to some, and only there",
  logIndex: "log indexes count up from 0 without a gap",
  gasUsed: "gas used is the difference of cumulative gas, and the last sum is the header's",
  gasPrice: "the price a transaction names is the one its receipt says it paid",
  feeCap: "the price of a transaction with a fee cap is base fee and tip, within the cap",
  receipt: "what a receipt repeats agrees with its transaction",
  contractAddress: "creations, and nothing else, name the contract their sender and nonce make",
  blobGas: "blob gas follows from the number of blobs, and all of a block has one price",
  size: "the size is that of the encoded block, where it has no uncles",
  extra: "the unknown fields of a record take no more bytes than are kept",
  copies: "what is said twice is said alike",
} as const;

export type Check = keyof typeof CHECKS;
