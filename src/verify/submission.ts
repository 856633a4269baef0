import type { Bytes } from "../chain/encoding/bytes.ts";
import { toHex } from "../chain/encoding/hex.ts";

/** Standard JSON input, or one file and its settings. */
export type SubmittedSource =
  | { readonly format: "standard-json"; readonly text: string }
  | {
      readonly format: "single-file";
      readonly text: string;
      readonly optimizerRuns: number | undefined;
      readonly evmVersion: string | undefined;
      readonly viaIr?: boolean;
      readonly libraries: Readonly<Record<string, string>>;
    };

/** solc's maximum. */
export const MAX_RUNS = 2 ** 32 - 1;

export const isLibraryName = (text: string): boolean => /^[A-Za-z_$][\w$]{0,99}$/.test(text);

/** A verification request. */
export interface Submission {
  readonly address: Bytes;
  /** As tools write it: `v0.8.28+commit.7893614a`. */
  readonly compiler: string;
  readonly source: SubmittedSource;
  /** `src/A.sol:A`, or the name alone. */
  readonly contract: string;
  /** SPDX identifier; empty if not given. */
  readonly license: string;
}

export type StoredSubmission = Omit<Submission, "address"> & { readonly address: string };

export const storeSubmission = (submission: Submission): string =>
  JSON.stringify({ ...submission, address: toHex(submission.address) } satisfies StoredSubmission);
