import type { CompilerVersion } from "./compilerVersion.ts";
import type { SubmittedSource } from "./submission.ts";

/** The standard JSON input of solc. Sources are texts; nothing is read from elsewhere. */
export interface StandardInput {
  readonly language: "Solidity" | "Yul";
  readonly sources: Readonly<Record<string, { readonly content: string }>>;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** A contract in its source. Where several files have one of this name, the path is needed. */
export interface ContractName {
  readonly path: string | undefined;
  readonly name: string;
}

/** How a contract came to be, as far as that is known. Bytes are hexadecimal. */
export interface CreationCode {
  readonly input: string | undefined;
  readonly transaction: string;
  readonly sender: string;
}

/** What the sandbox is given. */
export interface VerificationTask {
  readonly soljson: string;
  readonly compiler: CompilerVersion;
  readonly source: SubmittedSource;
  /** With its file or without. */
  readonly contract: string;
  readonly chainId: number;
  readonly address: string;
  /** What is deployed. */
  readonly code: string;
  readonly creation: CreationCode | undefined;
}

/** `perfect`: the source is the very one that was deployed. `partial`: the metadata differ, as by a comment. */
export type Match = "perfect" | "partial";

/** What a verified contract was compiled from. */
export interface VerifiedContract {
  readonly name: string;
  readonly path: string;
  readonly language: string;
  /** How the source was sent. */
  readonly format: SubmittedSource["format"];
  readonly compiler: string;
  readonly abi: readonly unknown[];
  readonly settings: object;
  readonly sources: Readonly<Record<string, string>>;
  readonly matches: { readonly runtime: Match; readonly creation?: Match | undefined };
  /** Hexadecimal, where the creation is known. */
  readonly constructorArguments: string | undefined;
  /** Addresses by the full names of libraries. */
  readonly libraries: Readonly<Record<string, string>>;
  /** The code as it was compiled, before anything was filled in. */
  readonly runtime: { readonly object: string; readonly linkReferences: object; readonly immutableReferences: object };
  readonly documentation: { readonly user: object; readonly developer: object };
}

/** Why a contract was not verified: by its source, the compiler, or because other code is deployed. */
export interface VerificationFailure {
  readonly reason: "source" | "compiler" | "mismatch" | "limit" | "unavailable";
  readonly message: string;
}

/** What is at hand of a verified contract without reading all of it. */
export interface VerifiedHead {
  readonly name: string;
  readonly language: string;
  readonly compiler: string;
  readonly isOptimized: boolean;
  readonly match: Match;
}

/** A success has the contract as tools write their artifacts, and its `VerifiedContract`, both as JSON. */
export type VerificationOutcome =
  | { readonly verified: VerifiedHead; readonly artifact: string; readonly record: string }
  | { readonly failure: VerificationFailure };
