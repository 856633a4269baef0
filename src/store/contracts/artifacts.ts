import { createHash } from "node:crypto";
import type { Artifact } from "../../chain/contract/artifact.ts";
import { MAX_COMPILED_LENGTH } from "../../chain/contract/artifact.ts";
import type { CodeRange, Pattern } from "../../chain/contract/compiledCode.ts";
import { bodyLength, codeKeys } from "../../chain/contract/compiledCode.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { Reader, Row, Writer } from "../engine/database.ts";
import { readNumber } from "../engine/database.ts";

export interface ListedArtifact {
  readonly name: string;
  readonly path: string;
  readonly imported: number;
  readonly functions: number;
  readonly events: number;
  readonly isVerified: boolean;
}

const COLUMNS = [
  "id",
  "digest",
  "name",
  "path",
  "imported",
  "functions",
  "events",
  "length",
  "pattern",
  "fit",
  "exact",
  "code",
  "abi",
];

export async function insertArtifacts(
  writer: Writer,
  artifacts: readonly Artifact[],
  imported: number,
): Promise<[id: number, artifact: Artifact][]> {
  const byDigest = new Map(artifacts.map((artifact) => [toHex(digestOf(artifact)), artifact]));
  const digests = [...byDigest.keys()].map((digest) => Buffer.from(digest.slice(2), "hex"));
  const known = await writer.load<[Bytes]>("SELECT digest FROM artifact WHERE digest IN ($keys)", digests);
  for (const [digest] of known) byDigest.delete(toHex(digest));
  let id = await readNumber(writer, "SELECT max(id) FROM artifact");
  const added = [...byDigest.values()].map((artifact): [number, Artifact] => [++id, artifact]);
  await writer.insert(
    "artifact",
    COLUMNS,
    added.map(([at, artifact]) => rowOf(at, artifact, imported)),
  );
  return added;
}

export async function artifactId(db: Reader, artifact: Artifact): Promise<number> {
  return readNumber(db, "SELECT id FROM artifact WHERE digest = ?", digestOf(artifact));
}

export async function listArtifacts(db: Reader): Promise<ListedArtifact[]> {
  const sql = `SELECT name, path, imported, functions, events, id IN (${VERIFIED}) FROM artifact ORDER BY name, path, id`;
  const rows = await db.all<[string, string, number, number, number, number]>(sql);
  return rows.map(([name, path, imported, functions, events, isVerified]) => ({
    name,
    path,
    imported,
    functions,
    events,
    isVerified: Boolean(isVerified),
  }));
}

const VERIFIED = "SELECT artifact FROM source";

/** Keeps verified ones. Returns how many were deleted. Runs inside a transaction. */
export async function deleteArtifacts(writer: Writer, name: string | undefined): Promise<number> {
  const [condition, values] = name === undefined ? ["", []] : ["name = ? AND ", [name]];
  const imported = `FROM artifact WHERE ${condition}id NOT IN (${VERIFIED})`;
  const count = await readNumber(writer, `SELECT count(*) ${imported}`, ...values);
  await writer.run(`DELETE ${imported}`, ...values);
  return count;
}

const MAX_HASHED = 4 << 20;

/** The newest ABI with the same metadata, else the newest that matches. */
export async function abiOfCode(db: Reader, code: Bytes): Promise<string | undefined> {
  const keys = (await patternsOf(db, code)).map((pattern) => codeKeys(code, pattern));
  for (const key of ["exact", "fit"] as const) {
    const found = await db.load<[number]>(
      `SELECT max(id) FROM artifact WHERE ${key} IN ($keys) GROUP BY ${key}`,
      keys.map((both) => both[key]),
    );
    const id = Math.max(...found.map(([newest]) => newest));
    if (found.length > 0) return (await db.all<[string]>("SELECT abi FROM artifact WHERE id = ?", id))[0]?.[0];
  }
  return undefined;
}

export async function patternsOf(db: Reader, code: Bytes): Promise<Pattern[]> {
  if (code.length === 0 || code.length > MAX_COMPILED_LENGTH) return [];
  const patterns = await db.all<[string]>(
    "SELECT pattern FROM artifact WHERE length = ? GROUP BY pattern ORDER BY max(id) DESC LIMIT ?",
    bodyLength(code),
    Math.ceil(MAX_HASHED / Math.max(code.length, 1 << 14)),
  );
  return patterns.map(([pattern]) => readPattern(pattern));
}

function rowOf(id: number, artifact: Artifact, imported: number): Row {
  const { name, path, abiText, compiled } = artifact;
  const entries = JSON.parse(abiText) as readonly { readonly type?: string }[];
  const functions = entries.filter(({ type = "function" }) => type === "function").length;
  const events = entries.filter(({ type }) => type === "event").length;
  const head = [id, digestOf(artifact), name, path, imported, functions, events];
  if (compiled === undefined) return [...head, null, null, null, null, null, abiText];
  const { code, pattern } = compiled;
  const { fit, exact } = codeKeys(code, pattern);
  return [...head, bodyLength(code), writePattern(pattern), fit, exact, code, abiText];
}

function digestOf({ name, path, abiText, compiled }: Artifact): Bytes {
  const pattern = compiled === undefined ? null : writePattern(compiled.pattern);
  const head = JSON.stringify([name, path, abiText, pattern]);
  return createHash("sha256")
    .update(head)
    .update(compiled?.code ?? "")
    .digest();
}

function writePattern({ values, hashes }: Pattern): string {
  return JSON.stringify([values, hashes]);
}

function readPattern(text: string): Pattern {
  const [values, hashes] = JSON.parse(text) as [CodeRange[], CodeRange[]];
  return { values, hashes };
}
