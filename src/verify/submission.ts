import type { Bytes } from "../chain/encoding/bytes.ts";
import { toHex } from "../chain/encoding/hex.ts";

/** What a contract is to be compiled from: the JSON that solc takes, or one file and the few settings that matter. */
export type SubmittedSource =
  | { readonly format: "standard-json"; readonly text: string }
  | {
      readonly format: "single-file";
      readonly text: string;
      readonly optimizerRuns: number | undefined;
      readonly evmVersion: string | undefined;
      /** Whether it is compiled through the IR: solc's `viaIR`. */
      readonly viaIr?: boolean;
      /** Addresses by the names of libraries. */
      readonly libraries: Readonly<Record<string, string>>;
    };

/** The most optimizer runs that solc takes. */
export const MAX_RUNS = 2 ** 32 - 1;

export const isLibraryName = (text: string): boolean => /^[A-Za-z_$][\w$]{0,99}$/.test(text);

/** A source that somebody sends to be verified. */
export interface Submission {
  readonly address: Bytes;
  /** As tools write it: `v0.8.28+commit.7893614a`. */
  readonly compiler: string;
  readonly source: SubmittedSource;
  /** With its file or without: `src/A.sol:A`. */
  readonly contract: string;
  /** As SPDX spells it; empty where nobody said. */
  readonly license: string;
}

/** What is kept of a submission until its turn comes. */
export type StoredSubmission = Omit<Submission, "address"> & { readonly address: string };

export const storeSubmission = (submission: Submission): string =>
  JSON.stringify({ ...submission, address: toHex(submission.address) } satisfies StoredSubmission);
