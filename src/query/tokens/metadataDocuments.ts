import { ChainError } from "../../chain/error.ts";

/** Where URIs lead to that are no data themselves. */
export interface MetadataDocuments {
  /** Throws a `ChainError` that says why there is none. */
  read(uri: string): Promise<string>;
}

/** Where no host is allowed. */
export const NO_DOCUMENTS: MetadataDocuments = {
  read: async () => {
    throw new ChainError("unsupported", "the URI is not followed: no host is allowed");
  },
};
