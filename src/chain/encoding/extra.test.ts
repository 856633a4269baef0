import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/support/fastCheck.ts";
import { threadCpuMs } from "../../../test/support/threadCpu.ts";
import { ExtraReader, MAX_BLOCK_EXTRA_BYTES, MAX_EXTRA_BYTES } from "./extra.ts";

const KNOWN: ReadonlySet<string> = new Set(["known"]);
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

test("unknown fields are kept, also one named __proto__", () => {
  const wire = JSON.parse('{"known":1,"other":{"a":2},"__proto__":"x"}');

  const { extra, omittedFields } = new ExtraReader().read(wire, KNOWN, "header")!;

  assert.deepEqual(Object.entries(extra!), [
    ["other", { a: 2 }],
    ["__proto__", "x"],
  ]);
  assert.equal(omittedFields, undefined);
  assert.equal(new ExtraReader().read({ known: "x".repeat(9999) }, KNOWN, "header"), undefined);
});

test("of any fields those are kept that fit, in order, and the others are counted", () => {
  const long = fc.integer({ min: 0, max: 3 * MAX_EXTRA_BYTES }).map((length) => "é\u0001x".repeat(length / 3));
  const value = fc.oneof(fc.jsonValue(), long, fc.array(long, { maxLength: 3 }));
  fc.assert(
    fc.property(fc.dictionary(fc.string({ maxLength: 20 }), value, { maxKeys: 12 }), (fields) => {
      const wire = JSON.parse(JSON.stringify({ ...fields, known: 1 })) as Record<string, unknown>;
      const kept: Record<string, unknown> = {};
      let left = MAX_EXTRA_BYTES;
      for (const [key, each] of Object.entries(wire)) {
        const size = bytesOf({ [key]: each });
        if (key === "known" || size > left) continue;
        Object.defineProperty(kept, key, { value: each, enumerable: true });
        left -= size;
      }
      const reader = new ExtraReader();

      const read = reader.read(wire, KNOWN, "receipt");

      const unknown = Object.keys(wire).length - 1;
      // A separator is counted after every entry, including the last, so slightly less fits.
      const names = Object.keys(read?.extra ?? {});
      assert.equal(read === undefined, unknown === 0);
      assert.equal(names.length + (read?.omittedFields ?? 0), unknown);
      assert.ok(read?.extra === undefined || bytesOf(read.extra) <= MAX_EXTRA_BYTES);
      for (const name of names) assert.deepEqual(read!.extra![name], wire[name]);
      if (bytesOf(wire) <= MAX_EXTRA_BYTES / 2) assert.deepEqual(names, Object.keys(kept));
      assert.equal(reader.omission !== undefined, (read?.omittedFields ?? 0) > 0);
    }),
  );
});

test("a small field is kept beside one that is too large, before it or after it", () => {
  const reader = new ExtraReader();

  const read = reader.read(
    { first: "0x1", [`huge${"x".repeat(500)}`]: "y".repeat(60 << 20), last: "0x2" },
    KNOWN,
    "header",
  );

  assert.deepEqual({ ...read!.extra }, { first: "0x1", last: "0x2" });
  assert.equal(read!.omittedFields, 1);
  assert.match(reader.omission!, /^1 unknown fields of a header are not kept: "hugex+/);
  assert.ok(reader.omission!.length < 150);
});

test("a value that is too deep or too wide is not kept, and is not walked to its end", () => {
  const deep: unknown = JSON.parse(`${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`);
  const wide = new Array(5_000_000).fill(0);
  const start = threadCpuMs();

  const read = new ExtraReader().read({ deep, wide, lists: [[[[1]]]] }, KNOWN, "log");

  assert.ok(threadCpuMs() - start < 500);
  assert.deepEqual({ ...read!.extra }, { lists: [[[[1]]]] });
  assert.equal(read!.omittedFields, 2);
});

test("all unknown fields of a block together have a bound", () => {
  const reader = new ExtraReader();
  const field = "x".repeat(4000);
  let bytes = 0;

  for (let at = 0; at < 3000; at++) bytes += bytesOf(reader.read({ field }, KNOWN, "log")!.extra);

  assert.ok(bytes > MAX_BLOCK_EXTRA_BYTES * 0.99 && bytes < MAX_BLOCK_EXTRA_BYTES + 3000 * 2, String(bytes));
});
