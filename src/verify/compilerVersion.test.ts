import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../test/support/fastCheck.ts";
import { parseCompilerVersion, spellVersion } from "./compilerVersion.ts";

test("versions are read as tools write them", () => {
  const cases: readonly [string, string, string | undefined][] = [
    ["v0.8.28+commit.7893614a", "0.8.28", "7893614a"],
    ["0.8.28+commit.7893614a", "0.8.28", "7893614a"],
    ["0.4.26+commit.4563c3fc.Emscripten.clang", "0.4.26", "4563c3fc"],
    ["v0.5.17", "0.5.17", undefined],
    ["0.8.37", "0.8.37", undefined],
  ];

  for (const [text, version, commit] of cases) assert.deepEqual(parseCompilerVersion(text), { version, commit }, text);
});

const REFUSED = [
  "",
  "latest",
  "0.8",
  "v0.8.28+commit.7893614",
  "v0.8.28-nightly.2024.1.1+commit.7893614a",
  "../../etc/passwd",
  "/etc/passwd",
  "v0.8.28/../../x",
  "0.8.28+commit.../../x",
  "v0.8.28+commit.7893614a./../x",
  "v0.8.28+commit.7893614a\n",
  "v0.8.28\0",
  "file:///etc/passwd",
  "0.8.28 --registry=http://127.0.0.1",
  "npm:evil@1.0.0",
  "0.8.28+commit.7893614A",
  "999.1.1",
  "v٠.٨.٢٨",
];

test("what is no release is refused in words", () => {
  for (const text of REFUSED) {
    assert.throws(
      () => parseCompilerVersion(text),
      { code: "invalid_argument", message: /no released solc/ },
      JSON.stringify(text),
    );
  }
});

test("whatever is accepted names a version and a commit, and is no path", () => {
  const piece = fc.constantFrom("v", "0", "8", "28", ".", "+commit.", "7893614a", "/", "..", "-", "\\", "@", " ", "Z");
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));

  fc.assert(
    fc.property(text, (written) => {
      let parsed: ReturnType<typeof parseCompilerVersion>;
      try {
        parsed = parseCompilerVersion(written);
      } catch {
        return;
      }
      assert.match(spellVersion(parsed), /^\d+\.\d+\.\d+(\+commit\.[\da-f]{8})?$/);
      assert.deepEqual(parseCompilerVersion(spellVersion(parsed)), parsed);
    }),
    { numRuns: 2000 },
  );
});
