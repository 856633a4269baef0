import { isObject } from "../../std/values.ts";
import { parseContractName, SourceFault } from "../standardInput.ts";
import type { Submission, SubmittedSource } from "../submission.ts";
import { isLibraryName } from "../submission.ts";

/** A verified source without the contract it belongs to. */
export type RecordedSource = Omit<Submission, "address">;

/** Members of an untrusted record. */
export class Fields {
  readonly #record: Readonly<Record<string, unknown>>;

  constructor(record: Readonly<Record<string, unknown>>) {
    this.#record = record;
  }

  /** The first of the names that has a text, which is not empty. */
  text(...names: readonly string[]): string | undefined {
    return names.map((name) => this.#record[name]).find((value) => typeof value === "string" && value !== "") as
      | string
      | undefined;
  }

  requiredText(...names: readonly string[]): string {
    const text = this.text(...names);
    if (text === undefined) throw new SourceFault(`the record has no ${names[0]}`);
    return text;
  }

  object(name: string): Readonly<Record<string, unknown>> | undefined {
    const value = this.#record[name];
    return isObject(value) ? value : undefined;
  }

  objects(name: string): readonly Fields[] {
    const value = this.#record[name];
    return Array.isArray(value) ? value.filter(isObject).map((each) => new Fields(each)) : [];
  }

  /** Etherscan writes numbers and booleans as texts. */
  isTrue(name: string): boolean {
    return ["1", "true"].includes(String(this.#record[name]).toLowerCase());
  }

  number(name: string): number | undefined {
    const value = Number(this.#record[name] ?? Number.NaN);
    return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  }
}

interface Settings {
  readonly isOptimized: boolean;
  readonly runs: number | undefined;
  readonly evmVersion: string | undefined;
  readonly libraries: Readonly<Record<string, string>>;
}

const DEFAULT_RUNS = 200;

function parseEvmVersion(text: string | undefined): string | undefined {
  const version = text?.toLowerCase();
  return version === "default" ? undefined : version;
}

export function singleFile(text: string, { isOptimized, runs, evmVersion, libraries }: Settings): SubmittedSource {
  return {
    format: "single-file",
    text,
    optimizerRuns: isOptimized ? (runs ?? DEFAULT_RUNS) : undefined,
    evmVersion: parseEvmVersion(evmVersion),
    libraries,
  };
}

/** The settings of one file, as standard JSON input has them. */
export function settingsOf({ isOptimized, runs, evmVersion, libraries }: Settings, path: string): object {
  const version = parseEvmVersion(evmVersion);
  return {
    optimizer: { enabled: isOptimized, runs: runs ?? DEFAULT_RUNS },
    ...(version !== undefined && { evmVersion: version }),
    ...(Object.keys(libraries).length > 0 && { libraries: { [path]: libraries } }),
  };
}

export function standardJson(
  language: string,
  sources: Readonly<Record<string, string>>,
  settings: object,
): SubmittedSource {
  const contents = Object.fromEntries(Object.entries(sources).map(([path, content]) => [path, { content }]));
  return { format: "standard-json", text: JSON.stringify({ language, sources: contents, settings }) };
}

export function contractName(path: string | undefined, name: string): string {
  const contract = path === undefined ? name : `${path}:${name}`;
  parseContractName(contract);
  return contract;
}

export function libraryOf(name: string, address: string): readonly [name: string, address: string] {
  const hex = address.startsWith("0x") ? address : `0x${address}`;
  // Some explorers write the path of a library as well.
  const bare = name.slice(name.lastIndexOf(":") + 1);
  if (!isLibraryName(bare) || !/^0x[\da-f]{40}$/i.test(hex)) throw new SourceFault("a library has no name or address");
  return [bare, hex];
}
