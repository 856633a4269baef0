import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/support/fastCheck.ts";
import { MAX_FIELDS } from "./formError.ts";
import { MAX_PART_HEADERS, parseMultipart } from "./multipart.ts";

test("a multipart form is read as the platform reads it", async () => {
  const text = fc.oneof(fc.string(), fc.constantFrom("", "\r\n", "--", 'a"b', "%22", "ü€", "\r\n--X", "\r"));
  const fields = fc.array(fc.tuple(text, text, fc.boolean()), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(fields, async (entries) => {
      const form = new FormData();
      for (const [name, value, isFile] of entries) form.append(name, isFile ? new File([value], "a.sol") : value);
      const sent = new Response(form);
      const type = sent.headers.get("content-type")!;
      const body = Buffer.from(await sent.arrayBuffer());

      const read = await new Response(body, { headers: { "content-type": type } }).formData();
      const expected = [...read].map(async ([name, value]) => [
        name,
        typeof value === "string" ? value : await value.text(),
      ]);

      assert.deepEqual(parseMultipart(body, type), await Promise.all(expected));
    }),
  );
});

const part = (name: string) => `--X\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n1\r\n`;
const parse = (body: string, type = "multipart/form-data; boundary=X") => parseMultipart(Buffer.from(body), type);

test("a preamble, an epilogue and a quoted boundary are read", () => {
  const form = `ignored\r\n${part("a")}--X--\r\nignored`;

  assert.deepEqual(parse(form, 'multipart/form-data; charset=utf-8; boundary="X"'), [["a", "1"]]);
  assert.deepEqual(parse("--X--\r\n"), []);
});

test("a multipart form that cannot be read says why", () => {
  const refused: [body: string, message: RegExp, type?: string][] = [
    [part("a"), /cut off/],
    [`${part("a")}--X--`, /no boundary/, "multipart/form-data"],
    ["a=b", /does not have its boundary/],
    ["", /does not have its boundary/],
    ["--X\r\nContent-Type: text/plain\r\n\r\n1\r\n--X--", /has no name/],
    [`--X\r\nA: ${"b".repeat(MAX_PART_HEADERS)}\r\n\r\n1\r\n--X--`, /no headers, or more than 8192 bytes/],
  ];
  for (const [body, message, type] of refused) assert.throws(() => parse(body, type), { message, statusCode: 400 });
  assert.equal(parse(`${part("a").repeat(MAX_FIELDS)}--X--`).length, MAX_FIELDS);
  assert.throws(() => parse(`${part("a").repeat(MAX_FIELDS + 1)}--X--`), { statusCode: 413 });
});
