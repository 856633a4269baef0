import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/support/fastCheck.ts";
import { HttpError } from "./httpHead.ts";
import { HttpParser } from "./httpParser.ts";

const MAX_BYTES = 1000;

interface ParseResult {
  readonly status?: number;
  readonly text?: string;
  readonly used?: number;
  readonly idleMs?: number;
  readonly fault?: string;
}

/** Feeds the pieces and ends the connection; undefined if the response is incomplete. */
function read(pieces: readonly Buffer[], parser = new HttpParser()): ParseResult {
  parser.start(MAX_BYTES);
  let used = 0;
  try {
    for (const piece of pieces) used += parser.read(piece);
  } catch (error) {
    assert.ok(error instanceof HttpError, String(error));
    return { fault: error.fault };
  }
  parser.end();
  if (!parser.isDone) return {};
  const { status, idleMs } = parser.head!;
  return { status, text: parser.takeText(), used, idleMs };
}

const readText = (text: string) => read([Buffer.from(text, "latin1")]);

function split(bytes: Buffer, places: readonly number[]): Buffer[] {
  const cuts = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...cuts].map((cut, index) => bytes.subarray(cut, cuts[index] ?? bytes.length));
}

const chunk = fc.record({
  data: fc.string({ minLength: 1, maxLength: 60, unit: "binary" }),
  extension: fc.constantFrom("", ";a", ' ;a="b c"'),
});
const answer = fc
  .record({
    framing: fc.constantFrom("length", "chunked", "close"),
    chunks: fc.array(chunk, { maxLength: 8 }),
    interim: fc.constantFrom("", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n"),
    trailers: fc.constantFrom("", "x: y\r\n", "a: b\r\nc: d\r\n"),
  })
  .map(({ framing, chunks, interim, trailers }) => {
    const text = chunks.map(({ data }) => data).join("");
    const frame = (data: string, extension: string) =>
      `${Buffer.byteLength(data).toString(16)}${extension}\r\n${data}\r\n`;
    const chunked = chunks.map(({ data, extension }) => frame(data, extension)).join("");
    const [header, body] = {
      length: [`Content-Length:  ${Buffer.byteLength(text)} \r\n`, text],
      chunked: ["transfer-encoding: Chunked\r\n", `${chunked}0\r\n${trailers}\r\n`],
      close: ["", text],
    }[framing]!;
    const bytes = Buffer.from(`${interim}HTTP/1.1 200 OK\r\nx-y: z\r\n${header}\r\n${body}`);
    return { framing, text, bytes, headBytes: bytes.length - Buffer.byteLength(body!) };
  });
const places = fc.array(fc.nat(), { maxLength: 12 });

test("a response is read correctly in any split, and one parser reads many", () => {
  const parser = new HttpParser();
  fc.assert(
    fc.property(answer, places, ({ framing, text, bytes }, cuts) => {
      const expected = { status: 200, text, used: bytes.length, idleMs: framing === "close" ? 0 : 86_400_000 };
      assert.deepEqual(read(split(bytes, cuts), parser), expected);
    }),
  );
});

test("a response is read correctly byte by byte", () => {
  fc.assert(
    fc.property(answer, ({ bytes }) => {
      const single = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
      assert.deepEqual(read(single), read([bytes]));
    }),
  );
});

test("an answer that was cut short is never taken for a whole one", () => {
  fc.assert(
    fc.property(answer, places, fc.nat(), ({ framing, bytes, headBytes }, cuts, place) => {
      const cut = place % (framing === "close" ? headBytes : bytes.length);
      assert.deepEqual(read(split(bytes.subarray(0, cut), cuts)), {});
    }),
  );
});

test("a damaged answer comes to the same however it is split", () => {
  fc.assert(
    fc.property(answer, places, fc.nat(), fc.nat({ max: 255 }), ({ bytes }, cuts, place, value) => {
      bytes[place % bytes.length] = value;
      assert.deepEqual(read(split(bytes, cuts)), read([bytes]));
    }),
    { numRuns: 500 },
  );
});

test("what follows an answer is not taken", () => {
  const first = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
  const chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";

  assert.equal(readText(`${first}HTTP/1.1 200 OK`).used, first.length);
  assert.equal(readText(`${chunked}0`).used, chunked.length);
});

test("some answers have no body, whatever their headers say", () => {
  for (const status of [204, 304]) {
    const head = `HTTP/1.1 ${status} x\r\ncontent-length: 5\r\n\r\n`;
    assert.deepEqual(readText(`${head}12345`), { status, text: "", used: head.length, idleMs: 86_400_000 });
  }
});

test("a body is text in UTF-8", () => {
  assert.equal(read([Buffer.from("HTTP/1.1 200\r\ncontent-length: 5\r\n\r\n\u00fc\u20ac")]).text, "\u00fc\u20ac");
});

test("malformed answers are refused", () => {
  const ok = "HTTP/1.1 200 OK\r\n";
  const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;
  const answers = [
    "SSH-2.0-OpenSSH_9.2\r\n",
    "x",
    "HTTP/2 200\r\n\r\n",
    "HTTP/1.2 200\r\n\r\n",
    "HTTP/1.1 20\r\n\r\n",
    "HTTP/1.1 2000\r\n\r\n",
    "HTTP/1.1 099 x\r\n\r\n",
    "HTTP/1.1 200 OK\n\n",
    "\r\nHTTP/1.1 200 OK\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\n\r\n",
    `${ok}no colon\r\n\r\n`,
    `${ok}: no name\r\n\r\n`,
    `${ok}name : x\r\n\r\n`,
    `${ok}a: b\r\n folded\r\n\r\n`,
    `${ok}a: b\rc: d\r\n\r\n`,
    `${ok}a: b\0\r\n\r\n`,
    `${ok}a: b\nc: d\r\n\r\n`,
    ...["", "-1", "+1", "1.0", "0x1", "1e1", "x", "1 1", "1,2", "1,", "9".repeat(16)].map(
      (length) => `${ok}content-length: ${length}\r\n\r\n`,
    ),
    `${ok}content-length: 1\r\ncontent-length: 2\r\n\r\n`,
    `${ok}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n`,
    `${ok}transfer-encoding: gzip, chunked\r\n\r\n`,
    `${ok}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n`,
    ...["", "-1", "0x1", "g", " 1", "1 x", "1\n", "1".repeat(13)].map((size) => `${chunked}${size}\r\n`),
    `${chunked}1\r\nab\r\n`,
    `${chunked}0\r\nno colon\r\n\r\n`,
  ];

  for (const text of answers) assert.deepEqual(readText(text), { fault: "malformed" }, JSON.stringify(text));
});

test("equal duplicate content lengths are one length", () => {
  for (const lengths of ["content-length: 2, 2", "content-length: 2\r\nContent-Length: 2"]) {
    assert.equal(readText(`HTTP/1.1 200 OK\r\n${lengths}\r\n\r\n{}`).text, "{}");
  }
});

test("a head, and what stands around chunks, is at most 64 KB", () => {
  const fill = (size: number) => "x".repeat(size);
  const chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
  const withHeader = (size: number) => `HTTP/1.1 200 OK\r\na: ${fill(size)}\r\ncontent-length: 0\r\n\r\n`;

  assert.equal(readText(withHeader(65_000)).status, 200);
  assert.equal(readText(withHeader(65_536)).fault, "malformed");
  assert.equal(readText(`HTTP/1.1 200 ${fill(65_536)}`).fault, "malformed");
  assert.equal(readText("HTTP/1.1 103 x\r\n\r\n".repeat(5000)).fault, "malformed");
  assert.equal(readText(`${chunked}${`1;${fill(1000)}\r\na\r\n`.repeat(70)}`).fault, "malformed");
  assert.equal(readText(`${chunked}0\r\n${`a: ${fill(1000)}\r\n`.repeat(70)}`).fault, "malformed");
  assert.equal(readText(`${chunked}1;${fill(65_536)}`).fault, "malformed");
});

test("a body over the bound is refused as soon as that is known", () => {
  const ok = "HTTP/1.1 200 OK\r\n";

  assert.deepEqual(readText(`${ok}content-length: 1001\r\n\r\n`), { fault: "too large" });
  assert.deepEqual(readText(`${ok}transfer-encoding: chunked\r\n\r\n3e9\r\n`), { fault: "too large" });
  assert.deepEqual(readText(`${ok}\r\n${"x".repeat(1001)}`), { fault: "too large" });
  assert.equal(readText(`${ok}\r\n${"x".repeat(1000)}`).text!.length, 1000);
});

test("a body in an encoding that is not known is refused", () => {
  assert.deepEqual(readText("HTTP/1.1 200 OK\r\ncontent-encoding: deflate\r\n\r\n"), { fault: "encoded" });
  assert.equal(readText("HTTP/1.1 200 OK\r\ncontent-encoding: Identity\r\n\r\n1").text, "1");
});

test("how long a connection may be kept follows its version and headers", () => {
  const idle = (head: string) => readText(`${head}\r\ncontent-length: 0\r\n\r\n`).idleMs;

  assert.equal(idle("HTTP/1.1 200 OK\r\nkeep-alive: timeout=5, max=100"), 4000);
  assert.equal(idle("HTTP/1.1 200 OK\r\nkeep-alive: max=3, timeout=1"), 0);
  assert.equal(idle("HTTP/1.1 200 OK\r\nkeep-alive: timeout=99999999999"), 86_400_000);
  assert.equal(idle("HTTP/1.1 200 OK\r\nconnection: x, Close"), 0);
  assert.equal(idle("HTTP/1.1 200 OK\r\nconnection: x\r\nconnection: close"), 0);
  assert.equal(idle("HTTP/1.0 200 OK\r\nconnection: keep-alive"), 0);
});
