import assert from "node:assert/strict";
import { test } from "node:test";
import { typicalEventLoopDelay } from "../../../../test/support/eventLoopDelay.ts";
import { Turn } from "../../../std/async.ts";
import { escapeHtml } from "../../html.ts";
import { safeLines } from "./format.ts";
import { MAX_HIGHLIGHTED_LENGTH } from "./highlight.ts";
import { longText } from "./longText.ts";
import { MAX_SHOWN_LENGTH, sourceView } from "./sourceView.ts";

const fill = (piece: string, length: number) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

/** Worst cases for the tokenizer. */
const HOSTILE = {
  "one line of statements": "contract A { uint256 x = 1; } ",
  "comments in comments": "/* /* ",
  "strings without an end": '"\\"a ',
  "a string on each line": "\"\n'\n",
  "only identifiers": "a ",
  "only keywords": "if ",
  "only signs of markup": "<",
  "only signs that cannot be seen": "\u202e",
  "only ends of lines": "\r\n",
  "numbers and points": "1_1.1e1 ",
  "a comment without an end": "/* ",
} as const;

test("text is the same in pieces as at once", async () => {
  for (const piece of ["\u{1f600}", "a\r\n", "\u{e0001}b", "<\u202e&", "\ud800"]) {
    for (const start of ["", "x"]) {
      const text = start + fill(piece, 40_000);
      assert.equal((await longText(text)).text, escapeHtml(safeLines(text)), JSON.stringify(piece));
    }
  }
});

test("highlighting a hostile source yields to the event loop", async (t) => {
  const turn = new Turn();
  const giving = async () => {
    for (let at = 0; at < 3e6; at++) if (at % 1000 === 0) await turn.yieldToEventLoop();
  };
  const bound = 1.5 * Math.max(await typicalEventLoopDelay(giving), 20);

  for (const [name, piece] of Object.entries(HOSTILE)) {
    for (const length of [MAX_HIGHLIGHTED_LENGTH - 1, MAX_SHOWN_LENGTH]) {
      const text = fill(piece, length);
      const delay = await typicalEventLoopDelay(
        (round) => sourceView([["A.sol", `${round}${text}`]], {}, "/address/0x"),
        bound,
      );
      t.diagnostic(`${name}, ${length} characters: ${delay.toFixed(1)} ms`);
      assert.ok(delay < bound, `${name}: ${delay} ms of ${bound}`);
    }
  }
});

test("one of 200 large files is shown without blocking the event loop", async () => {
  const text = fill("contract A { uint256 x = 1; } /* a */\n", 100_000);
  const files = Array.from({ length: 200 }, (_, at) => [`src/${"deep/".repeat(10)}${at}.sol`, `${text}${at}`] as const);

  const delay = await typicalEventLoopDelay((round) => sourceView(files, { file: String(round) }, "/address/0x"), 50);

  assert.ok(delay < 50, `${delay} ms`);
});
