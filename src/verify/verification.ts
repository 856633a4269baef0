import type { CompilerVersion } from "./compilerVersion.ts";
import type { SubmittedSource } from "./submission.ts";

/** solc standard JSON input with literal sources only. */
export interface StandardInput {
  readonly language: "Solidity" | "Yul";
  readonly sources: Readonly<Record<string, { readonly content: string }>>;
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface ContractName {
  readonly path: string | undefined;
  readonly name: string;
}

/** Creation of a contract as far as known. Bytes are hexadecimal. */
export interface CreationCode {
  readonly input: string | undefined;
  readonly transaction: string;
  readonly sender: string;
}

export interface VerificationTask {
  readonly soljson: string;
  readonly compiler: CompilerVersion;
  readonly source: SubmittedSource;
  readonly contract: string;
  readonly chainId: number;
  readonly address: string;
  readonly code: string;
  readonly creation: CreationCode | undefined;
}

/** `perfect`: the metadata hash matches too. `partial`: only the code matches, for instance after a changed comment. */
type Match = "perfect" | "partial";

export interface VerifiedContract {
  readonly name: string;
  readonly path: string;
  readonly language: string;
  readonly format: SubmittedSource["format"];
  readonly compiler: string;
  readonly abi: readonly unknown[];
  readonly settings: object;
  readonly sources: Readonly<Record<string, string>>;
  readonly matches: { readonly runtime: Match; readonly creation?: Match | undefined };
  /** Hexadecimal; undefined if the creation is unknown. */
  readonly constructorArguments: string | undefined;
  readonly libraries: Readonly<Record<string, string>>;
  /** Compiled code before linking and immutables. */
  readonly runtime: { readonly object: string; readonly linkReferences: object; readonly immutableReferences: object };
  readonly documentation: { readonly user: object; readonly developer: object };
}

/** Why verification failed: the source, the compiler, or different deployed code. */
export interface VerificationFailure {
  readonly reason: "source" | "compiler" | "mismatch" | "limit" | "unavailable";
  readonly message: string;
}

/** Summary fields that can be read without parsing the whole record. */
export interface VerifiedHead {
  readonly name: string;
  readonly language: string;
  readonly compiler: string;
  readonly isOptimized: boolean;
  readonly match: Match;
}

/** The artifact and the `VerifiedContract` are JSON. */
export interface VerifiedOutcome {
  readonly verified: VerifiedHead;
  readonly artifact: string;
  readonly record: string;
}

export type VerificationOutcome = VerifiedOutcome | { readonly failure: VerificationFailure };
