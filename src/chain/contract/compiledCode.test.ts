import assert from "node:assert/strict";
import { test } from "node:test";
import { contractNamed } from "../../../test/support/contracts.ts";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import type { Bytes } from "../encoding/bytes.ts";
import { fromHex } from "../encoding/hex.ts";
import type { CodeRange } from "./compiledCode.ts";
import { bodyLength, codeKeys, patternOf } from "./compiledCode.ts";

const SEED = firstSeed();
const CASES = Number(process.env.ORIEL_CASES ?? 400);

/** solc metadata: a file hash and the compiler version. */
const metadataWith = (hash: Bytes) =>
  Buffer.concat([
    Buffer.from("a2646970667358221220", "hex"),
    hash,
    Buffer.from("64736f6c6343000825", "hex"),
    Buffer.of(0, 51),
  ]);

/** Straightforward implementation, byte by byte. */
function plainFit(
  deployed: Bytes,
  compiled: Bytes,
  values: readonly CodeRange[],
  hashes: readonly CodeRange[],
  length: number,
) {
  const isIn = (holes: readonly CodeRange[], at: number) =>
    holes.some(([start, size]) => at >= start && at < start + size);
  const hasMetadata = compiled.length > length;
  if (deployed.length !== compiled.length && !hasMetadata) return "none";
  const differing: number[] = [];
  for (let at = 0; at < Math.max(deployed.length, compiled.length); at++) {
    if (deployed[at] !== compiled[at] && !isIn(values, at)) differing.push(at);
  }
  if (differing.length === 0) return "exact";
  return differing.every((at) => at >= length || isIn(hashes, at)) ? "fit" : "none";
}

function compile(random: Random) {
  const parts: Bytes[] = [];
  const values: CodeRange[] = [];
  const hashes: CodeRange[] = [];
  let at = 0;
  const add = (...bytes: Bytes[]) => {
    for (const part of bytes) {
      parts.push(part);
      at += part.length;
    }
  };
  if (random.chance(0.3)) {
    values.push([1, 20]);
    add(Buffer.from(`73${"00".repeat(20)}3014`, "hex"));
  }
  for (let count = random.between(1, 6); count > 0; count--) {
    // Single-byte opcodes only: the rest is disassembled too.
    add(random.bytes(random.between(8, 60)).map((byte) => 1 + (byte % 0x50)));
    if (random.chance(0.5)) {
      values.push([at + 1, 32]);
      add(Buffer.of(0x7f), new Uint8Array(32));
    }
  }
  if (random.chance(0.3)) {
    add(Buffer.of(0xfe));
    hashes.push([at + 10, 32]);
    add(metadataWith(random.bytes(32)));
  }
  add(Buffer.of(0xfe));
  const length = at;
  if (random.chance(0.8)) add(metadataWith(random.bytes(32)));
  return { code: new Uint8Array(Buffer.concat(parts)), values, hashes, length };
}

/** Fills the open ranges and possibly changes another byte. */
function deploy(random: Random, { code, values, hashes, length }: ReturnType<typeof compile>): Bytes {
  const deployed = Uint8Array.from(code);
  for (const [start, size] of values) deployed.set(random.bytes(size), start);
  if (random.chance(0.4)) for (const [start, size] of hashes) deployed.set(random.bytes(size), start);
  if (random.chance(0.4) && length < code.length) deployed.set(random.bytes(32), length + 10);
  if (random.chance(0.3)) deployed[random.int(length)]! ^= 1 << random.int(8);
  return deployed;
}

test(`code fits what it was compiled from but for what is open and its metadata (seed ${SEED})`, () => {
  const random = new Random(SEED);
  const seen = { exact: 0, fit: 0, none: 0 };
  for (let i = 0; i < CASES; i++) {
    const compiled = compile(random);
    const deployed = deploy(random, compiled);

    const pattern = patternOf(compiled.code, [], false);
    const [ours, theirs] = [codeKeys(compiled.code, pattern), codeKeys(deployed, pattern)];
    const found =
      Buffer.compare(ours.exact, theirs.exact) === 0
        ? "exact"
        : Buffer.compare(ours.fit, theirs.fit) === 0
          ? "fit"
          : "none";

    const { code, values, hashes, length } = compiled;
    assert.deepEqual(pattern, { values, hashes }, `case ${i}`);
    assert.equal(bodyLength(code), length, `case ${i}`);
    const expected = plainFit(deployed, code, values, hashes, length);
    assert.equal(found, expected, `case ${i}`);
    seen[expected]++;
  }
  for (const [what, count] of Object.entries(seen)) assert.ok(count > CASES / 20, `${what}: ${count}`);
});

test("noise is read without harm, and a hole past its end is none", () => {
  const random = new Random(SEED);
  for (let i = 0; i < CASES; i++) {
    const code = random.bytes(random.int(80));
    if (random.chance(0.7) && code.length > 4) {
      code.set([0, random.int(code.length)], code.length - 2);
      code[Math.max(0, code.length - 2 - code.at(-1)!)] = 0xa1 + random.int(3);
    }

    assert.ok(bodyLength(code) <= code.length);
    const pattern = patternOf(code, [[random.int(200), 32]], random.chance(0.5));
    assert.deepEqual(codeKeys(code, pattern), codeKeys(Uint8Array.from(code), pattern));
  }
});

test("metadata is distinguished from code with a similar ending", () => {
  const hash = new Uint8Array(32).fill(7);
  const metadata = metadataWith(hash);
  const endings: [ending: string, isMetadata: boolean][] = [
    [metadata.toString("hex"), true],
    ["a164736f6c63430008250009", false],
    ["a164736f6c6343000825000a", true],
    [`a265627a7a72315820${"11".repeat(32)}64736f6c63430005110032`, true],
    [`a165627a7a72305820${"11".repeat(32)}0029`, true],
    ["a26c6578706572696d656e74616cf564736f6c63430008250018", true],
    ["a264736f6c6343000825000a", false],
    ["a0000001", false],
    ["a1000002", false],
    ["a164736f6c6344000825000a", false],
    ["a164736f6c635fffffff000a", false],
    ["00ffff", false],
    ["0000", false],
  ];
  for (const [ending, isMetadata] of endings) {
    const code = fromHex(`0x600160025500${ending}`);
    assert.equal(bodyLength(code), isMetadata ? 6 : code.length, ending);
  }
  assert.equal(bodyLength(new Uint8Array(0)), 0);
  assert.equal(bodyLength(new Uint8Array(1)), 1);
});

test("published contracts end with metadata", () => {
  for (const name of ["ERC20PresetMinterPauser", "TimelockController", "ERC1967Proxy"]) {
    const { deployedBytecode } = contractNamed(name) as unknown as { deployedBytecode: string };
    const code = fromHex(deployedBytecode);
    assert.equal(code.length - bodyLength(code), 53, name);
  }
});
