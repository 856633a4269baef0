import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { temporaryDirectory, until } from "../../../test/support/program.ts";
import type { Lookup } from "../../chain/abi/parseAbi.ts";
import { fullText } from "../../chain/abi/signature.ts";
import type { Artifact } from "../../chain/contract/artifact.ts";
import { parseArtifact } from "../../chain/contract/artifact.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { fromHex } from "../../chain/encoding/hex.ts";
import { ContractBook } from "./contractBook.ts";

const METADATA = (hash: string) => `a2646970667358221220${hash.repeat(32)}64736f6c63430008250033`;
const BODY = `6001600255${"5b".repeat(80)}`;

interface Made {
  readonly name?: string;
  readonly path?: string;
  readonly abi?: readonly object[];
  readonly code?: string;
}

function jsonOf({ name = "Own", path = "a.sol", abi = [entry("f")], code = BODY + METADATA("11") }: Made): string {
  return JSON.stringify({ contractName: name, sourceName: path, abi, deployedBytecode: `0x${code}` });
}

const artifactOf = (made: Made = {}): Artifact => parseArtifact(jsonOf(made), "")!;

/** The id of the only signature of a kind. */
const onlyId = (lookup: Lookup) => [...(lookup as ReadonlyMap<Hex, unknown>).keys()][0]!;

const entry = (name: string, type = "function", ...inputs: object[]) => ({ type, name, inputs });
const parameter = (name: string, type = "uint256", indexed = false) => ({ name, type, indexed });

const codeOf = (text: string): Bytes => fromHex(`0x${text}`);

async function open(t: TestContext, directory = temporaryDirectory(t)): Promise<ContractBook> {
  const book = await ContractBook.open(directory);
  t.after(() => book.close());
  return book;
}

const shown = (book: ContractBook, kind: "functions" | "events" | "errors", id: string) =>
  book.all[kind].get(id as Hex)?.map(fullText);

const F = "0x26121ff0";

test("a book without imports is empty and knows nothing", async (t) => {
  const book = await open(t);

  assert.equal(book.isEmpty, true);
  assert.equal(await book.ofCode(codeOf(BODY)), undefined);
  assert.equal(shown(book, "functions", F), undefined);
  assert.deepEqual(await book.list(), []);
});

test("importing the same again changes nothing, also within one import", async (t) => {
  const book = await open(t);

  assert.equal(await book.add([artifactOf(), artifactOf(), artifactOf({ name: "Other" })], 1_700_000_000_500), 2);
  const listed = await book.list();
  assert.equal(await book.add([artifactOf({ name: "Other" }), artifactOf()], 1_800_000_000_000), 0);

  assert.deepEqual(await book.list(), listed);
  assert.deepEqual(listed, [
    { name: "Other", path: "a.sol", imported: 1_700_000_000, functions: 1, events: 0 },
    { name: "Own", path: "a.sol", imported: 1_700_000_000, functions: 1, events: 0 },
  ]);
});

test("of several that fit the newest counts, and one with the same metadata before all", async (t) => {
  const book = await open(t);
  const named = (name: string, hash: string) =>
    artifactOf({ abi: [entry("f", "function", parameter(name))], code: BODY + METADATA(hash) });
  await book.add([named("first", "11")]);
  await book.add([named("second", "22"), named("third", "22")]);
  await book.add([named("fourth", "33")]);
  await book.refresh();
  const nameFor = async (hash: string) => {
    const abi = await book.ofCode(codeOf(BODY + METADATA(hash)));
    return abi?.functions.get("0xb3de648b")?.[0]?.inputs[0]?.name;
  };

  assert.deepEqual(await Promise.all(["11", "22", "33", "44"].map(nameFor)), ["first", "third", "fourth", "fourth"]);
  assert.equal(await book.ofCode(codeOf(BODY)), undefined, "one has metadata, the other has not");
  assert.equal(
    await book.ofCode(codeOf(`${BODY.slice(2)}5b${METADATA("11")}`)),
    undefined,
    "it is as long, but another",
  );
});

test("immutables at other places are another pattern, and all of them are tried", async (t) => {
  const book = await open(t);
  const slots = Array.from({ length: 40 }, (_, at) => `${"5b".repeat(at)}7f${"00".repeat(32)}${"5b".repeat(80 - at)}`);
  const artifacts = slots.map((code, at) => artifactOf({ name: `At${at}`, abi: [entry(`at${at}`)], code }));
  await book.add(artifacts);
  await book.refresh();

  for (const [at, code] of slots.entries()) {
    const abi = await book.ofCode(codeOf(code.replace("00".repeat(32), "ab".repeat(32))));
    assert.ok(abi?.functions.get(onlyId(artifacts[at]!.abi.functions)), `at ${at}`);
  }
});

test("every signature is found by its id, those of the newest contract first", async (t) => {
  const book = await open(t);
  const transfer = (from: string, isIndexed: boolean) =>
    entry("Moved", "event", parameter(from, "address", true), parameter("id", "uint256", isIndexed));
  await book.add([
    artifactOf({ abi: [entry("f", "function", parameter("old")), transfer("from", false), entry("Bad", "error")] }),
  ]);
  await book.add([artifactOf({ abi: [entry("f", "function", parameter("fresh")), transfer("from", true)], code: "" })]);
  await book.refresh();
  const moved = onlyId(artifactOf({ abi: [transfer("", true)] }).abi.events);

  assert.deepEqual(shown(book, "functions", "0xb3de648b"), ["f(uint256 fresh)", "f(uint256 old)"]);
  assert.deepEqual(shown(book, "events", moved), [
    "Moved(address indexed from, uint256 indexed id)",
    "Moved(address indexed from, uint256 id)",
  ]);
  assert.equal(shown(book, "errors", "0xb3de648b"), undefined);
  assert.equal(book.isEmpty, false);
});

test("a signature that a text cannot tell is in its ABI alone", async (t) => {
  const book = await open(t);
  const misread = entry("f", "function", parameter("indexed"));
  const long = entry("g", "function", ...Array.from({ length: 200 }, (_, i) => parameter(`p${i}${"x".repeat(200)}`)));
  await book.add([artifactOf({ abi: [misread, long, entry("h")] })]);
  await book.refresh();
  const { abi } = artifactOf({ abi: [misread, long, entry("h")] });

  const ids = [...(abi.functions as ReadonlyMap<Hex, unknown>).keys()];
  assert.deepEqual(
    ids.map((id) => shown(book, "functions", id)?.length ?? 0),
    [0, 0, 1],
  );
  assert.equal(
    (await book.ofCode(codeOf(BODY + METADATA("11"))))?.functions.get(ids[0]!)?.[0]?.inputs[0]?.name,
    "indexed",
  );
});

test("many signatures are read in several steps, none twice and none left out", async (t) => {
  const directory = temporaryDirectory(t);
  const book = await open(t, directory);
  const artifacts = Array.from({ length: 5 }, (_, n) =>
    artifactOf({ name: `Big${n}`, abi: Array.from({ length: 700 }, (_, i) => entry(`f${n * 500 + i}`)) }),
  );
  await book.add(artifacts);
  await book.refresh();

  const again = await open(t, directory);
  const ids = artifacts.flatMap(({ abi }) => [...(abi.functions as ReadonlyMap<Hex, unknown>).keys()]);
  for (const id of ids) assert.equal(again.all.functions.get(id)?.length, 1, id);
});

test("what is removed is forgotten, and what others have too is not", async (t) => {
  const book = await open(t);
  await book.add([
    artifactOf({ abi: [entry("f"), entry("g")] }),
    artifactOf({ name: "Other", abi: [entry("f")], code: "" }),
  ]);
  await book.refresh();
  const own = codeOf(BODY + METADATA("11"));
  assert.ok(await book.ofCode(own));

  assert.equal(await book.remove("Absent"), 0);
  assert.equal(await book.remove("Own"), 1);
  await book.refresh();
  assert.equal(await book.ofCode(own), undefined);
  assert.deepEqual([shown(book, "functions", F), shown(book, "functions", "0xe2179b8e")], [["f()"], undefined]);
  assert.equal(book.isEmpty, false);

  assert.equal(await book.remove(), 1);
  await book.refresh();
  assert.equal(shown(book, "functions", F), undefined);
  assert.equal(book.isEmpty, true);
});

test("what another opening of the file imports is seen, and what it removes", async (t) => {
  const directory = temporaryDirectory(t);
  const running = await open(t, directory);
  running.watch((reason) => assert.fail(reason));
  const code = codeOf(BODY + METADATA("11"));
  assert.equal(await running.ofCode(code), undefined);
  const other = await open(t, directory);

  await other.add([artifactOf()]);
  await until("the import is seen", () => !running.isEmpty, 5);
  assert.ok(await running.ofCode(code));
  assert.deepEqual(shown(running, "functions", F), ["f()"]);

  await other.add([artifactOf({ abi: [entry("renamed")] })]);
  await running.refresh();
  assert.ok((await running.ofCode(code))?.functions.get(onlyId(artifactOf({ abi: [entry("renamed")] }).abi.functions)));

  await other.remove();
  await until("the removal is seen", () => running.isEmpty, 5);
  assert.equal(await running.ofCode(code), undefined);
});

test("any number of processes may open and import at the same time", async (t) => {
  const directory = temporaryDirectory(t);
  const url = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const script = `
    const { ContractBook } = await import(${url("./contractBook.ts")});
    const { parseArtifact } = await import(${url("../../chain/contract/artifact.ts")});
    const [, directory, ...artifacts] = process.argv;
    const book = await ContractBook.open(directory);
    for (const text of artifacts) await book.add([parseArtifact(text, "")]);
    await book.close();`;
  const shared = jsonOf({ name: "Shared" });
  const importing = Array.from({ length: 4 }, (_, i) => {
    const own = [0, 1, 2].map((n) => jsonOf({ name: `Of${i}At${n}` }));
    const args = ["--input-type=module", "-e", script, directory, shared, ...own];
    return once(spawn(process.execPath, args, { stdio: "inherit" }), "exit");
  });

  assert.deepEqual(await Promise.all(importing), Array(4).fill([0, null]));

  assert.equal((await (await open(t, directory)).list()).length, 13);
});

test("hostile code finds nothing and harms nothing", async (t) => {
  const book = await open(t);
  await book.add([artifactOf()]);
  await book.refresh();

  for (const code of ["", "00", "a1", "ffff", "5b".repeat(200_000), "7f".repeat(500), METADATA("11"), `${BODY}ffff`]) {
    assert.equal(await book.ofCode(codeOf(code)), undefined);
  }
});

test("a file that is no database is named", async (t) => {
  const directory = temporaryDirectory(t);
  writeFileSync(join(directory, "contracts.sqlite"), "no database at all ".repeat(1000));

  await assert.rejects(ContractBook.open(directory), {
    code: "store_corrupt",
    message: /contracts\.sqlite cannot be used/,
  });
});
