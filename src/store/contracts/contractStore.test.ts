import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/support/program.ts";
import { until } from "../../../test/support/waiting.ts";
import type { Lookup } from "../../chain/abi/parseAbi.ts";
import { fullText } from "../../chain/abi/signature.ts";
import type { Artifact } from "../../chain/contract/artifact.ts";
import { parseArtifact } from "../../chain/contract/artifact.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { fromHex } from "../../chain/encoding/hex.ts";
import { ContractStore } from "./contractStore.ts";

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

const onlyId = (lookup: Lookup) => [...(lookup as ReadonlyMap<Hex, unknown>).keys()][0]!;

const entry = (name: string, type = "function", ...inputs: object[]) => ({ type, name, inputs });
const parameter = (name: string, type = "uint256", indexed = false) => ({ name, type, indexed });

const codeOf = (text: string): Bytes => fromHex(`0x${text}`);

async function open(t: TestContext, directory = temporaryDirectory(t)): Promise<ContractStore> {
  const contractStore = await ContractStore.open(directory);
  t.after(() => contractStore.close());
  return contractStore;
}

const shown = (contractStore: ContractStore, kind: "functions" | "events" | "errors", id: string) =>
  contractStore.all[kind].get(id as Hex)?.map(fullText);

const F = "0x26121ff0";

test("a store without imports is empty and knows nothing", async (t) => {
  const contractStore = await open(t);

  assert.equal(contractStore.isEmpty, true);
  assert.equal(await contractStore.ofCode(codeOf(BODY)), undefined);
  assert.equal(shown(contractStore, "functions", F), undefined);
  assert.deepEqual(await contractStore.list(), []);
});

test("importing the same again changes nothing, also within one import", async (t) => {
  const contractStore = await open(t);

  assert.equal(
    await contractStore.add([artifactOf(), artifactOf(), artifactOf({ name: "Other" })], 1_700_000_000_500),
    2,
  );
  const listed = await contractStore.list();
  assert.equal(await contractStore.add([artifactOf({ name: "Other" }), artifactOf()], 1_800_000_000_000), 0);

  assert.deepEqual(await contractStore.list(), listed);
  assert.deepEqual(listed, [
    { name: "Other", path: "a.sol", imported: 1_700_000_000, functions: 1, events: 0, isVerified: false },
    { name: "Own", path: "a.sol", imported: 1_700_000_000, functions: 1, events: 0, isVerified: false },
  ]);
});

test("of several that fit the newest counts, and one with the same metadata before all", async (t) => {
  const contractStore = await open(t);
  const named = (name: string, hash: string) =>
    artifactOf({ abi: [entry("f", "function", parameter(name))], code: BODY + METADATA(hash) });
  await contractStore.add([named("first", "11")]);
  await contractStore.add([named("second", "22"), named("third", "22")]);
  await contractStore.add([named("fourth", "33")]);
  await contractStore.refresh();
  const nameFor = async (hash: string) => {
    const abi = await contractStore.ofCode(codeOf(BODY + METADATA(hash)));
    return abi?.functions.get("0xb3de648b")?.[0]?.inputs[0]?.name;
  };

  assert.deepEqual(await Promise.all(["11", "22", "33", "44"].map(nameFor)), ["first", "third", "fourth", "fourth"]);
  assert.equal(await contractStore.ofCode(codeOf(BODY)), undefined, "one has metadata, the other has not");
  assert.equal(
    await contractStore.ofCode(codeOf(`${BODY.slice(2)}5b${METADATA("11")}`)),
    undefined,
    "it is as long, but another",
  );
});

test("immutables at other places are another pattern, and all of them are tried", async (t) => {
  const contractStore = await open(t);
  const slots = Array.from({ length: 40 }, (_, at) => `${"5b".repeat(at)}7f${"00".repeat(32)}${"5b".repeat(80 - at)}`);
  const artifacts = slots.map((code, at) => artifactOf({ name: `At${at}`, abi: [entry(`at${at}`)], code }));
  await contractStore.add(artifacts);
  await contractStore.refresh();

  for (const [at, code] of slots.entries()) {
    const abi = await contractStore.ofCode(codeOf(code.replace("00".repeat(32), "ab".repeat(32))));
    assert.ok(abi?.functions.get(onlyId(artifacts[at]!.abi.functions)), `at ${at}`);
  }
});

test("every signature is found by its id, those of the newest contract first", async (t) => {
  const contractStore = await open(t);
  const transfer = (from: string, isIndexed: boolean) =>
    entry("Moved", "event", parameter(from, "address", true), parameter("id", "uint256", isIndexed));
  await contractStore.add([
    artifactOf({ abi: [entry("f", "function", parameter("old")), transfer("from", false), entry("Bad", "error")] }),
  ]);
  await contractStore.add([
    artifactOf({ abi: [entry("f", "function", parameter("fresh")), transfer("from", true)], code: "" }),
  ]);
  await contractStore.refresh();
  const moved = onlyId(artifactOf({ abi: [transfer("", true)] }).abi.events);

  assert.deepEqual(shown(contractStore, "functions", "0xb3de648b"), ["f(uint256 fresh)", "f(uint256 old)"]);
  assert.deepEqual(shown(contractStore, "events", moved), [
    "Moved(address indexed from, uint256 indexed id)",
    "Moved(address indexed from, uint256 id)",
  ]);
  assert.equal(shown(contractStore, "errors", "0xb3de648b"), undefined);
  assert.equal(contractStore.isEmpty, false);
});

test("a signature that a text cannot tell is in its ABI alone", async (t) => {
  const contractStore = await open(t);
  const misread = entry("f", "function", parameter("indexed"));
  const long = entry("g", "function", ...Array.from({ length: 200 }, (_, i) => parameter(`p${i}${"x".repeat(200)}`)));
  await contractStore.add([artifactOf({ abi: [misread, long, entry("h")] })]);
  await contractStore.refresh();
  const { abi } = artifactOf({ abi: [misread, long, entry("h")] });

  const ids = [...(abi.functions as ReadonlyMap<Hex, unknown>).keys()];
  assert.deepEqual(
    ids.map((id) => shown(contractStore, "functions", id)?.length ?? 0),
    [0, 0, 1],
  );
  assert.equal(
    (await contractStore.ofCode(codeOf(BODY + METADATA("11"))))?.functions.get(ids[0]!)?.[0]?.inputs[0]?.name,
    "indexed",
  );
});

test("many signatures are read in several steps, none twice and none left out", async (t) => {
  const directory = temporaryDirectory(t);
  const contractStore = await open(t, directory);
  const artifacts = Array.from({ length: 5 }, (_, n) =>
    artifactOf({ name: `Big${n}`, abi: Array.from({ length: 700 }, (_, i) => entry(`f${n * 500 + i}`)) }),
  );
  await contractStore.add(artifacts);
  await contractStore.refresh();

  const again = await open(t, directory);
  const ids = artifacts.flatMap(({ abi }) => [...(abi.functions as ReadonlyMap<Hex, unknown>).keys()]);
  for (const id of ids) assert.equal(again.all.functions.get(id)?.length, 1, id);
});

test("what is removed is forgotten, and what others have too is not", async (t) => {
  const contractStore = await open(t);
  await contractStore.add([
    artifactOf({ abi: [entry("f"), entry("g")] }),
    artifactOf({ name: "Other", abi: [entry("f")], code: "" }),
  ]);
  await contractStore.refresh();
  const own = codeOf(BODY + METADATA("11"));
  assert.ok(await contractStore.ofCode(own));

  assert.equal(await contractStore.remove("Absent"), 0);
  assert.equal(await contractStore.remove("Own"), 1);
  await contractStore.refresh();
  assert.equal(await contractStore.ofCode(own), undefined);
  assert.deepEqual(
    [shown(contractStore, "functions", F), shown(contractStore, "functions", "0xe2179b8e")],
    [["f()"], undefined],
  );
  assert.equal(contractStore.isEmpty, false);

  assert.equal(await contractStore.remove(), 1);
  await contractStore.refresh();
  assert.equal(shown(contractStore, "functions", F), undefined);
  assert.equal(contractStore.isEmpty, true);
});

test("what another opening of the file imports is seen, and what it removes", async (t) => {
  const directory = temporaryDirectory(t);
  const running = await open(t, directory);
  running.watch((reason) => assert.fail(reason));
  const code = codeOf(BODY + METADATA("11"));
  assert.equal(await running.ofCode(code), undefined);
  const other = await open(t, directory);

  await other.add([artifactOf()]);
  await until("the import is seen", () => !running.isEmpty);
  assert.ok(await running.ofCode(code));
  assert.deepEqual(shown(running, "functions", F), ["f()"]);

  await other.add([artifactOf({ abi: [entry("renamed")] })]);
  await running.refresh();
  assert.ok((await running.ofCode(code))?.functions.get(onlyId(artifactOf({ abi: [entry("renamed")] }).abi.functions)));

  await other.remove();
  await until("the removal is seen", () => running.isEmpty);
  assert.equal(await running.ofCode(code), undefined);
});

test("any number of processes may open and import at the same time", async (t) => {
  const directory = temporaryDirectory(t);
  const url = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const script = `
    const { ContractStore } = await import(${url("./contractStore.ts")});
    const { parseArtifact } = await import(${url("../../chain/contract/artifact.ts")});
    const [, directory, ...artifacts] = process.argv;
    const contractStore = await ContractStore.open(directory);
    for (const text of artifacts) await contractStore.add([parseArtifact(text, "")]);
    await contractStore.close();`;
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
  const contractStore = await open(t);
  await contractStore.add([artifactOf()]);
  await contractStore.refresh();

  for (const code of ["", "00", "a1", "ffff", "5b".repeat(200_000), "7f".repeat(500), METADATA("11"), `${BODY}ffff`]) {
    assert.equal(await contractStore.ofCode(codeOf(code)), undefined);
  }
});

test("a file that is no database is named", async (t) => {
  const directory = temporaryDirectory(t);
  writeFileSync(join(directory, "contracts.sqlite"), "no database at all ".repeat(1000));

  await assert.rejects(ContractStore.open(directory), {
    code: "store_corrupt",
    message: /contracts\.sqlite cannot be used/,
  });
});

test("what was verified is listed as such, and stays when imports are removed", async (t) => {
  const contractStore = await open(t);
  const verified = artifactOf({ name: "Verified", abi: [entry("f")] });
  const code = verified.compiled!.code;
  const address = new Uint8Array(20).fill(7);
  const about = {
    name: "Verified",
    language: "Solidity",
    compiler: "0.8.37",
    optimized: false,
    license: "MIT",
    verified: 5,
  };
  await contractStore.add([artifactOf({ name: "Imported", abi: [entry("g")], code: `60ff${BODY}${METADATA("22")}` })]);
  await contractStore.addVerified(verified, { ...about, address, code, match: "perfect", record: "{}" });

  const listed = await contractStore.list();
  const removed = [await contractStore.remove("Verified"), await contractStore.remove()];
  await contractStore.refresh();

  assert.deepEqual(
    listed.map(({ name, isVerified }) => [name, isVerified]),
    [
      ["Imported", false],
      ["Verified", true],
    ],
  );
  assert.deepEqual(removed, [0, 1]);
  assert.deepEqual(shown(contractStore, "functions", F), ["f()"]);
  assert.notEqual(await contractStore.ofCode(code), undefined);
  assert.equal((await contractStore.sourceOf(new Uint8Array(20), code))?.isSimilar, true);
});
