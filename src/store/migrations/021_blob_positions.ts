/** Transactions that name blobs in the order of the chain. */
export const blobPositions = (): string[] => ["CREATE INDEX blob_position ON blob (position)"];
