import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { keccak256 } from "../../chain/hashing/keccak.ts";
import { isObject } from "../../std/values.ts";
import { parseCompilerVersion } from "../compilerVersion.ts";
import { NO_LICENSE } from "../licenses.ts";
import { SourceFault } from "../standardInput.ts";
import type { RecordedSource } from "./recordedSource.ts";
import { contractName, Fields, standardJson } from "./recordedSource.ts";

/**
 * What solc's metadata of a contract and the files that it names are compiled from. Files are found by their hash, so
 * that their own names do not matter.
 */
export function readMetadata(text: string, files: Iterable<string>): RecordedSource {
  const metadata = parseObject(text);
  const compiler = new Fields(metadata.object("compiler") ?? {}).requiredText("version");
  parseCompilerVersion(compiler);
  const { compilationTarget, libraries, ...settings } = metadata.object("settings") ?? {};
  const [target, ...others] = isObject(compilationTarget) ? Object.entries(compilationTarget) : [];
  if (target === undefined || others.length > 0 || typeof target[1] !== "string") {
    throw new SourceFault("the metadata does not name one contract in compilationTarget");
  }
  const linked = isObject(libraries) ? { libraries: nestedLibraries(libraries, target[0]) } : {};
  const sources = findSources(metadata.object("sources") ?? {}, files);
  return {
    compiler,
    contract: contractName(target[0], target[1]),
    license: NO_LICENSE,
    source: standardJson(metadata.text("language") ?? "Solidity", sources, { ...settings, ...linked }),
  };
}

function parseObject(text: string): Fields {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw Object.assign(new SourceFault("the metadata is not JSON"), { cause });
  }
  if (!isObject(parsed)) throw new SourceFault("the metadata is no object");
  return new Fields(parsed);
}

function findSources(named: Readonly<Record<string, unknown>>, files: Iterable<string>): Record<string, string> {
  const contents = new Map<Hex, string>();
  for (const content of files) contents.set(toHex(keccak256(Buffer.from(content))), content);
  return Object.fromEntries(
    Object.entries(named).map(([path, source]) => {
      const fields = new Fields(isObject(source) ? source : {});
      const content = fields.text("content") ?? contents.get(fields.requiredText("keccak256").toLowerCase() as Hex);
      if (content === undefined) throw new SourceFault(`the file ${path.slice(0, 200)} of the metadata is missing`);
      return [path, content];
    }),
  );
}

/** `path:Name` in the metadata, or the name alone before solc 0.5; by path in standard JSON input. */
function nestedLibraries(libraries: Readonly<Record<string, unknown>>, path: string): object {
  const nested: Record<string, Record<string, unknown>> = Object.create(null);
  for (const [name, address] of Object.entries(libraries)) {
    const at = name.lastIndexOf(":");
    const file = at < 0 ? path : name.slice(0, at);
    nested[file] = { ...nested[file], [name.slice(at + 1)]: address };
  }
  return nested;
}
