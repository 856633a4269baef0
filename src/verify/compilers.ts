import { hash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { ChainError } from "../chain/error.ts";
import type { CompilerVersion } from "./compilerVersion.ts";
import { parseCompilerVersion, spellVersion } from "./compilerVersion.ts";
import { digestPath, fetchFromNpm } from "./npmCompilers.ts";

interface Compiler extends CompilerVersion {
  readonly path: string;
}

interface CompilerOptions {
  readonly cache: string;
  /** Additional directories: files named as solc releases, or npm packages. */
  readonly directories?: readonly string[] | undefined;
  /** Whether missing versions are fetched from npm. */
  readonly fetches: boolean;
}

/** Released compilers: from configured directories, bundled, cached, or fetched from npm. */
export class Compilers {
  readonly #options: CompilerOptions;
  readonly #fetching = new Map<string, Promise<string>>();

  constructor(options: CompilerOptions) {
    this.#options = options;
  }

  /** Locally available, newest first, one per version. */
  list(): Compiler[] {
    const { cache, directories = [] } = this.#options;
    const found = [...directories.flatMap(compilersIn), ...ownCompiler(), ...compilersIn(cache)];
    const byVersion = new Map(found.toReversed().map((compiler) => [compiler.version, compiler]));
    return [...byVersion.values()].sort((a, b) => b.version.localeCompare(a.version, "en", { numeric: true }));
  }

  /** Throws with a message for the user if no such compiler is available. */
  async find(wanted: CompilerVersion, signal?: AbortSignal): Promise<Compiler> {
    const known = this.list().find(({ version }) => version === wanted.version);
    if (known === undefined) return { ...wanted, path: await this.#fetch(wanted, signal) };
    if (known.commit !== undefined && wanted.commit !== undefined && known.commit !== wanted.commit) {
      throw unavailable(wanted, `the release ${known.version} was built from commit ${known.commit}`);
    }
    await expectUnchanged(known.path);
    return known;
  }

  #fetch(wanted: CompilerVersion, signal: AbortSignal | undefined): Promise<string> {
    const { version } = wanted;
    if (!this.#options.fetches) throw unavailable(wanted, "it is not among the compilers here, and none are fetched");
    const running = this.#fetching.get(version);
    if (running !== undefined) return running;
    const fetched = fetchFromNpm(version, this.#options.cache, signal).catch((cause: unknown) => {
      throw unavailable(wanted, "npm has no such solc, or cannot be reached", cause);
    });
    this.#fetching.set(version, fetched);
    const end = () => this.#fetching.delete(version);
    fetched.then(end, end);
    return fetched;
  }
}

function unavailable(wanted: CompilerVersion, reason: string, cause?: unknown): ChainError {
  return new ChainError("not_found", `solc ${spellVersion(wanted)} is not available: ${reason}`, { cause });
}

/** A cached compiler is executed, so its digest must match the one recorded when npm verified it. */
async function expectUnchanged(path: string): Promise<void> {
  if (!existsSync(digestPath(path))) return;
  const digest = await readFile(digestPath(path), "utf8");
  if (hash("sha256", await readFile(path)) === digest.trim()) return;
  throw new ChainError("store_corrupt", `the compiler ${basename(path)} is not what was fetched; delete its file`);
}

const RELEASE = /^soljson-(v\d+\.\d+\.\d+(?:\+commit\.[\da-f]{8})?)\.js$/;

function compilersIn(directory: string): Compiler[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory).flatMap((name) => {
    const path = join(directory, name);
    const release = RELEASE.exec(name)?.[1];
    if (release !== undefined) return [{ ...parseCompilerVersion(release), path }];
    return name.startsWith("solc") ? packageIn(path) : [];
  });
}

function ownCompiler(): Compiler[] {
  try {
    return packageIn(dirname(createRequire(import.meta.url).resolve("solc/soljson.js")));
  } catch {
    return [];
  }
}

function packageIn(directory: string): Compiler[] {
  const path = join(directory, "soljson.js");
  const version = packageVersion(directory);
  return version !== undefined && existsSync(path) ? [{ version, commit: undefined, path }] : [];
}

/** Undefined if there is no package, or a nightly build. */
function packageVersion(directory: string): string | undefined {
  try {
    const { version } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as { version?: unknown };
    return typeof version === "string" && /^\d+\.\d+\.\d+$/.test(version) ? version : undefined;
  } catch {
    return undefined;
  }
}
