import { ChainError } from "../chain/error.ts";

/** A solc release; the commit is optional. */
export interface CompilerVersion {
  readonly version: string;
  readonly commit: string | undefined;
}

const FORM = /^v?(\d{1,2}\.\d{1,3}\.\d{1,3})(?:\+commit\.([\da-f]{8}))?(?:\.[A-Za-z.]{1,40})?$/;

/** Parses a version as tools write it: `v0.8.28+commit.7893614a`. The result is safe in a path. */
export function parseCompilerVersion(text: string): CompilerVersion {
  const [, version, commit] = FORM.exec(text) ?? [];
  if (version === undefined) {
    throw new ChainError(
      "invalid_argument",
      "the compiler version is no released solc, such as v0.8.28+commit.7893614a",
    );
  }
  return { version, commit };
}

export function spellVersion({ version, commit }: CompilerVersion): string {
  return commit === undefined ? version : `${version}+commit.${commit}`;
}
