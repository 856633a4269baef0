import assert from "node:assert/strict";
import { test } from "node:test";
import { BodyBuffer } from "./bodyBuffer.ts";

const PIECE = Buffer.alloc(1 << 20, "abc");

function collect(body: BodyBuffer, pieces: number, expected: number): string {
  body.start(expected);
  for (let piece = 0; piece < pieces; piece++) body.append(PIECE, 0, PIECE.length);
  return body.takeText();
}

test("bodies larger than what is kept are whole, with and without a known length", () => {
  const body = new BodyBuffer();

  for (const pieces of [1, 20, 0, 3, 9]) {
    const expected = PIECE.toString().repeat(pieces);
    assert.ok(collect(body, pieces, 0) === expected);
    assert.ok(collect(body, pieces, expected.length) === expected);
  }
});

test("bodies of one size after another take no new memory", () => {
  const body = new BodyBuffer();
  collect(body, 3, 0);
  const before = process.memoryUsage().arrayBuffers;

  for (let round = 0; round < 20; round++) collect(body, 3, round % 2 === 0 ? 0 : 3 << 20);

  assert.ok(process.memoryUsage().arrayBuffers < before + (1 << 20));
});

test("a large body leaves nothing behind, and a promised one takes no memory before it comes", () => {
  const before = process.memoryUsage().arrayBuffers;
  const body = new BodyBuffer();

  collect(body, 40, 0);
  assert.ok(process.memoryUsage().arrayBuffers < before + (1 << 20));
  body.start(200 << 20);
  assert.ok(process.memoryUsage().arrayBuffers < before + (9 << 20));
});
