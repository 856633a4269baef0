import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createBrotliCompress, createGzip, constants as zlib } from "node:zlib";
import { openServer } from "../../../test/support/rpcServer.ts";
import { MAX_VALUES } from "./bodyBuffer.ts";

const LIMIT = 64;
const PIECE = Buffer.alloc(1 << 20, "0");
/** Base memory of V8 and zlib in MiB. */
const OVERHEAD = 24;

async function send(to: NodeJS.WritableStream, pieces: number, piece: Buffer): Promise<void> {
  for (let at = 0; at < pieces; at++) {
    if (!to.write(piece)) await new Promise((resolve) => to.once("drain", resolve));
  }
  to.end();
}

const gzip = (level: number) => (response: ServerResponse, pieces: number) => {
  response.writeHead(200, { "content-encoding": "gzip" });
  const encoder = createGzip({ level });
  encoder.pipe(response);
  void send(encoder, pieces, PIECE);
};

const FORMS: Readonly<Record<string, (response: ServerResponse, pieces: number) => void>> = {
  "in chunks": (response, pieces) => void send(response, pieces, PIECE),
  "of a stated length": (response, pieces) => {
    response.writeHead(200, { "content-length": pieces * PIECE.length });
    void send(response, pieces, PIECE);
  },
  "in gzip that is a thousandth of it": gzip(9),
  "in gzip that is as long": gzip(0),
  "in brotli": (response, pieces) => {
    response.writeHead(200, { "content-encoding": "br" });
    const encoder = createBrotliCompress({ params: { [zlib.BROTLI_PARAM_QUALITY]: 1 } });
    encoder.pipe(response);
    void send(encoder, pieces, PIECE);
  },
};

const CHILD = fileURLToPath(new URL("../../../test/support/fetchPeak.ts", import.meta.url));

async function fetchPeak(url: string, maxMebibytes: number): Promise<{ outcome: string | number; mebibytes: number }> {
  const args = [...process.execArgv, CHILD, url, String(maxMebibytes << 20)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as { outcome: string; mebibytes: number };
}

for (const [form, answer] of Object.entries(FORMS)) {
  test(`an answer ${form} takes no more memory than its limit, however long it is`, {
    skip: process.platform !== "linux",
  }, async (t) => {
    const server = await openServer(t, ({ response }) => {
      response.on("error", () => {});
      if (server.posts.length === 1) response.end("1");
      else answer(response, 2 * LIMIT);
    });

    const { outcome, mebibytes } = await fetchPeak(server.url, LIMIT);

    assert.equal(outcome, "limit_exceeded");
    assert.ok(mebibytes < LIMIT + OVERHEAD, `${mebibytes} MiB`);
  });
}

test("an answer within its limit takes twice its size, as bytes and as text", {
  skip: process.platform !== "linux",
}, async (t) => {
  const server = await openServer(t, ({ response }) => {
    if (server.posts.length === 1) response.end("1");
    else gzip(9)(response, LIMIT);
  });

  const { outcome, mebibytes } = await fetchPeak(server.url, LIMIT);

  assert.equal(outcome, LIMIT << 20);
  assert.ok(mebibytes < 2 * LIMIT + OVERHEAD, `${mebibytes} MiB`);
});

test("an answer with more values than are parsed is too large, though its bytes are few", {
  skip: process.platform !== "linux",
}, async (t) => {
  const server = await openServer(t, ({ response }) => {
    const count = server.posts.length === 1 ? 1 : MAX_VALUES / 2 + 10;
    response.end(`[${"{},".repeat(count)}0]`);
  });

  const { outcome, mebibytes } = await fetchPeak(server.url, LIMIT);

  assert.equal(outcome, "limit_exceeded");
  assert.ok(mebibytes < OVERHEAD, `${mebibytes} MiB`);
});
