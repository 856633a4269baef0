import type { Bytes } from "../../chain/encoding/bytes.ts";
import { fromHex } from "../../chain/encoding/hex.ts";
import { isAddress, parseInteger } from "../../chain/encoding/parse.ts";
import { ChainError } from "../../chain/error.ts";
import type { MatchWindow } from "../../query/contracts/verifiedMatches.ts";
import { isObject } from "../../std/values.ts";
import { parseCompilerVersion } from "../../verify/compilerVersion.ts";
import { NO_LICENSE } from "../../verify/licenses.ts";
import { readMetadata } from "../../verify/records/metadata.ts";
import { parseContractName, SourceFault } from "../../verify/standardInput.ts";
import type { Submission } from "../../verify/submission.ts";
import type { ContractLocation, Field } from "./presentContract.ts";
import { FIELD_NAMES } from "./presentContract.ts";
import { SourcifyError } from "./sourcifyError.ts";

const invalid = (message: string) => new SourcifyError(400, "invalid_parameter", message);

export function expectChain(text: string, chainId: number): void {
  if (text !== String(chainId)) {
    throw new SourcifyError(400, "unsupported_chain", `The chain ${text.slice(0, 30)} is not supported, ${chainId} is`);
  }
}

export function parsePlace({ chainId, address }: { chainId: string; address: string }, own: number): ContractLocation {
  expectChain(chainId, own);
  return { chainId: own, address: parseAddress(address) };
}

function parseAddress(text: string): Bytes {
  const address = text.toLowerCase();
  if (!isAddress(address)) throw invalid("address must be 20 bytes in hex");
  return fromHex(address);
}

/** The compiler input is a string here. */
export function parseSubmission(address: Bytes, fields: ReadonlyMap<string, string>): Submission {
  const text = required(fields, "stdJsonInput");
  const [compiler, contract] = [required(fields, "compilerVersion"), required(fields, "contractIdentifier")];
  try {
    parseCompilerVersion(compiler);
    parseContractName(contract);
  } catch (error) {
    if (error instanceof ChainError) throw new SourcifyError(400, "invalid_compiler_version", error.message);
    if (error instanceof SourceFault) throw invalid("contractIdentifier must be a path and a name: src/A.sol:A");
    throw error;
  }
  return { address, compiler, contract, license: NO_LICENSE, source: { format: "standard-json", text } };
}

/** Metadata of solc, and the files that it names, by any path. */
export function parseMetadata(address: Bytes, fields: ReadonlyMap<string, string>): Submission {
  const [metadata, sources] = [required(fields, "metadata"), parseSources(required(fields, "sources"))];
  try {
    return { address, ...readMetadata(metadata, sources) };
  } catch (error) {
    if (error instanceof ChainError) throw new SourcifyError(400, "invalid_compiler_version", error.message);
    if (error instanceof SourceFault) throw new SourcifyError(400, "missing_or_invalid_source", error.message);
    throw error;
  }
}

function parseSources(text: string): string[] {
  let sources: unknown;
  try {
    sources = JSON.parse(text);
  } catch {
    throw invalid("sources must be an object");
  }
  const contents = isObject(sources) ? Object.values(sources) : [];
  if (contents.length === 0 || contents.some((content) => typeof content !== "string")) {
    throw invalid("sources must be an object with the content of each file");
  }
  return contents as string[];
}

function required(fields: ReadonlyMap<string, string>, name: string): string {
  const value = fields.get(name);
  if (value === undefined || value === "") throw invalid(`${name} is required`);
  return value;
}

type Query = Readonly<Record<string, unknown>>;

/**
 * `fields=abi,sources`, `fields=all` or `omit=sources`. A path such as `compilation.name` selects all of `compilation`.
 */
export function parseFields({ fields, omit }: Query): Field[] {
  if (fields !== undefined && omit !== undefined) throw invalid("fields and omit cannot be used together");
  if (omit !== undefined) {
    const omitted = parseNames(omit);
    return FIELD_NAMES.filter((name) => !omitted.includes(name));
  }
  if (fields === undefined) return [];
  return fields === "all" ? [...FIELD_NAMES] : parseNames(fields);
}

function parseNames(text: unknown): Field[] {
  const names = new Set(
    String(text)
      .split(",")
      .map((path) => path.split(".")[0] ?? ""),
  );
  return [...names].map((name) => {
    const known = FIELD_NAMES.find((field) => field === name);
    if (known === undefined) throw invalid(`there is no field ${name.slice(0, 30)}: ${FIELD_NAMES.join(", ")}`);
    return known;
  });
}

/** Each contract's whole source is read. */
export const MAX_PAGE = 50;

export function parseWindow({ limit, sort = "desc", afterMatchId }: Query): MatchWindow {
  if (sort !== "asc" && sort !== "desc") throw invalid("sort must be asc or desc");
  const max = limit === undefined ? MAX_PAGE : parseNumber(limit, "limit");
  const after = afterMatchId === undefined ? undefined : parseNumber(afterMatchId, "afterMatchId");
  return { limit: Math.min(max, MAX_PAGE), isNewestFirst: sort === "desc", after };
}

const MAX_DIGITS = 15;

function parseNumber(text: unknown, name: string): number {
  const number = parseInteger(text, MAX_DIGITS);
  if (number === undefined) throw invalid(`${name} must be a whole number`);
  return number;
}
