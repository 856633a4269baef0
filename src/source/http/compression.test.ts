import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { fc } from "../../../test/support/fastCheck.ts";
import type { Post } from "../../../test/support/rpcServer.ts";
import { openServer } from "../../../test/support/rpcServer.ts";
import { parseEndpoint } from "../endpoint.ts";
import { HttpError } from "./httpHead.ts";
import { HttpParser } from "./httpParser.ts";
import { HttpTransport } from "./transport.ts";

const ENCODE = { gzip: gzipSync, br: brotliCompressSync };
const MAX_BYTES = 100_000;
const CASES = Number(process.env.ORIEL_CASES ?? 60);

type Encoding = keyof typeof ENCODE;

async function read(pieces: readonly Buffer[]): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<HttpError | undefined>();
  const parser = new HttpParser(resolve);
  parser.start(MAX_BYTES);
  try {
    for (const piece of pieces) parser.read(piece);
    parser.end();
    if (!parser.isDone) return "unfinished";
    const error = parser.isDecoding ? await promise : undefined;
    return error === undefined ? parser.takeText() : error.fault;
  } catch (error) {
    assert.ok(error instanceof HttpError, String(error));
    return error.fault;
  } finally {
    parser.stop();
  }
}

function split(bytes: Buffer, places: readonly number[]): Buffer[] {
  const cuts = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...cuts].map((cut, index) => bytes.subarray(cut, cuts[index] ?? bytes.length));
}

function wrap(body: Buffer, encoding: string, framing: "length" | "chunked" | "close", chunkBytes = 7): Buffer {
  const head = (header: string) =>
    Buffer.from(`HTTP/1.1 200 OK\r\ncontent-encoding: ${encoding}\r\n${header}\r\n`, "latin1");
  if (framing === "close") return Buffer.concat([head(""), body]);
  if (framing === "length") return Buffer.concat([head(`content-length: ${body.length}\r\n`), body]);
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; at += chunkBytes) {
    const chunk = body.subarray(at, at + chunkBytes);
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n"));
  }
  return Buffer.concat([head("transfer-encoding: chunked\r\n"), ...chunks, Buffer.from("0\r\n\r\n")]);
}

const encoding = fc.constantFrom<Encoding>("gzip", "br");
const framing = fc.constantFrom("length" as const, "chunked" as const, "close" as const);
const text = fc
  .array(fc.string({ maxLength: 40, unit: "binary" }), { maxLength: 40 })
  .map((parts) => parts.join("0x00"));
const places = fc.array(fc.nat(), { maxLength: 12 });
const runs = { numRuns: CASES };

test("an encoded response is read correctly in any framing and split", async () => {
  await fc.assert(
    fc.asyncProperty(text, encoding, framing, places, async (body, how, frame, cuts) => {
      const answer = wrap(ENCODE[how](body), how, frame);
      assert.equal(await read(split(answer, cuts)), Buffer.from(body).toString());
    }),
    runs,
  );
});

test("an encoded body that was cut is never taken for a whole one, nor one that something follows", async () => {
  await fc.assert(
    fc.asyncProperty(text, encoding, framing, places, fc.nat(), async (body, how, frame, cuts, place) => {
      const encoded = ENCODE[how](`[${body}]`);
      const cut = encoded.subarray(0, place % encoded.length);
      const longer = Buffer.concat([encoded, Buffer.from("more")]);
      assert.match(
        await read(split(wrap(cut, how, frame), cuts)),
        cut.length === 0 ? /^(undecodable|)$/ : /^undecodable$/,
      );
      assert.equal(await read(split(wrap(longer, how, frame), cuts)), "undecodable");
    }),
    runs,
  );
});

test("a damaged body in gzip is refused or comes to the same text", async () => {
  await fc.assert(
    fc.asyncProperty(text, fc.nat(), fc.nat({ max: 255 }), async (body, place, value) => {
      const encoded = gzipSync(body);
      encoded[place % encoded.length] = value;
      const outcome = await read([wrap(encoded, "gzip", "length")]);
      assert.ok(outcome === "undecodable" || outcome === Buffer.from(body).toString(), outcome);
    }),
    runs,
  );
});

for (const how of ["gzip", "br"] as const) {
  test(`a small body in ${how} that decodes to a huge one ends at the limit`, async () => {
    const bomb = ENCODE[how](Buffer.alloc(64 << 20, "0"));
    assert.ok(bomb.length < MAX_BYTES);

    assert.equal(await read([wrap(bomb, how, "length")]), "too large");
    assert.equal(await read([wrap(ENCODE[how](Buffer.alloc(MAX_BYTES, "0")), how, "length")]), "0".repeat(MAX_BYTES));
    assert.equal(await read([wrap(ENCODE[how](Buffer.alloc(MAX_BYTES + 1, "0")), how, "length")]), "too large");
  });
}

test("an encoding that was not asked for is refused, and an empty body needs none", async () => {
  for (const other of ["deflate", "zstd", "gzip, br", ""]) {
    assert.equal(await read([wrap(Buffer.from("x"), other, "length")]), "encoded", other);
  }
  assert.equal(await read([wrap(Buffer.alloc(0), "gzip", "length")]), "");
});

async function openTransport(t: TestContext, answer: (post: Post) => void, hostname = "127.0.0.1") {
  const server = await openServer(t, answer);
  const endpoint = parseEndpoint(`http://${hostname}:${server.port}`);
  const transport = new HttpTransport(endpoint, { timeoutMs: 5000, bodyTimeoutMs: 5000, sockets: 1 });
  t.after(() => transport.close());
  return { server, post: () => transport.post("[]", MAX_BYTES) };
}

test("compressed responses share one socket, and a bad one does not affect the next", async (t) => {
  const good = gzipSync(JSON.stringify("yes".repeat(1000)));
  const bodies = [good, good, good.subarray(0, 20), good, gzipSync(Buffer.alloc(50 << 20)), good, good];
  const { server, post } = await openTransport(t, ({ response }) => {
    const body = bodies[server.posts.length - 1]!;
    const isLast = server.posts.length === bodies.length;
    response.writeHead(200, { "content-encoding": "gzip", ...(isLast && { connection: "close" }) });
    response.end(body);
  });

  const outcomes: string[] = [];
  for (const _ of bodies) {
    outcomes.push(
      await post().then(
        (reply) => `${reply.text.length} ${reply.bytes}`,
        (error: { code: string }) => error.code,
      ),
    );
  }

  const whole = "3002 3002";
  assert.deepEqual(outcomes, [whole, whole, "upstream_invalid", whole, "limit_exceeded", whole, whole]);
  assert.equal(server.connections(), 3);
});

test("an answer that stops in the middle of its encoded body is cut off, not decoded", async (t) => {
  const body = gzipSync(JSON.stringify("x".repeat(1000)));
  const { post } = await openTransport(t, ({ response }) => {
    response.writeHead(200, { "content-encoding": "gzip", "content-length": body.length });
    response.write(body.subarray(0, 10), () => response.destroy());
  });

  await assert.rejects(post(), { code: "upstream_invalid", message: /cut its answer off/ });
});

test("compression is asked for, but not of a node on the same machine", async (t) => {
  for (const [hostname, asked] of [
    ["127.0.0.1", "identity"],
    ["localhost", "identity"],
    // Loopback in effect, but not to the rule.
    ["0.0.0.0", "gzip, br"],
  ] as const) {
    const { server, post } = await openTransport(t, ({ response }) => response.end("1"), hostname);
    await post();
    assert.equal(server.posts[0]!.request.headers["accept-encoding"], asked, hostname);
  }
});
