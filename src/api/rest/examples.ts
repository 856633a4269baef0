import { checksumAddress } from "../../chain/encoding/checksum.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import type { Newest } from "../../query/newest.ts";
import { newestOf } from "../../query/newest.ts";
import type { StoreReader } from "../../store/storeReader.ts";
import type { Examples } from "../openapi/page.ts";

const NONE: Examples = {};

/** Current example values. Identity is stable while unchanged. */
export function readExamples(store: StoreReader): () => Promise<Examples> {
  const read = newestOf(store);
  let known: Newest | undefined;
  let examples = NONE;
  return async () => {
    const newest = await read();
    if (newest !== known) [known, examples] = [newest, newest === undefined ? NONE : presentExamples(newest)];
    return examples;
  };
}

function presentExamples({ block, transaction, versionedHash, token, item }: Newest): Examples {
  const contract = token && checksumAddress(token);
  return {
    blocks: String(block),
    "blocks/countdown": String(block + 1000),
    ...(transaction && { transactions: toHex(transaction.hash), addresses: checksumAddress(transaction.from) }),
    ...(versionedHash && { blobs: toHex(versionedHash) }),
    ...(item && { "tokens/instances": checksumAddress(item.token), instances: uintToBigInt(item.tokenId).toString() }),
    ...(contract && { tokens: contract, "smart-contracts": contract }),
  };
}
