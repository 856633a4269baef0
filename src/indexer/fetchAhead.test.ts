import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../test/support/random.ts";
import { SimulatedChain } from "../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../test/support/simulatedSource.ts";
import { eventLoopTurns } from "../../test/support/waiting.ts";
import type { Block } from "../chain/block/block.ts";
import { ChainError } from "../chain/error.ts";
import type { Source } from "../chain/source.ts";
import { estimateBytes, fetchAhead, MAX_BACKFILLED_BYTES } from "./fetchAhead.ts";

const chain = new SimulatedChain({ seed: 3, traffic: { transactions: [0, 2] } });
chain.mine(400);

class CountingSource {
  readonly source: Source;
  readonly asked: { from: number; count: number }[] = [];
  open = 0;
  maxOpen = 0;
  answered = 0;

  constructor(answer: (from: number, count: number) => Promise<Block[]> = simulatedSource(chain).blocks) {
    const random = new Random(9);
    const blocks = async (from: number, count: number) => {
      this.asked.push({ from, count });
      this.maxOpen = Math.max(this.maxOpen, ++this.open);
      await eventLoopTurns(random.int(4));
      try {
        const found = await answer(from, count);
        this.answered += found.length;
        return found;
      } finally {
        this.open--;
      }
    };
    this.source = { ...simulatedSource(chain), blocks };
  }
}

function numbers(blocks: readonly Block[]): number[] {
  return blocks.map(({ header }) => header.number);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

test("blocks come in order, each once, whatever order the answers come in", async () => {
  const { source } = new CountingSource();

  const batches = await Array.fromAsync(fetchAhead(source, 7, 390));

  assert.deepEqual(numbers(batches.flat()), range(7, 390));
});

test("no more requests than allowed are under way, and no more blocks wait than they bring", async () => {
  const counting = new CountingSource();
  let consumed = 0;

  for await (const blocks of fetchAhead(counting.source, 0, 400, { limits: { requests: 2, bytes: 48 << 20 } })) {
    await eventLoopTurns(5);
    consumed += blocks.length;
    assert.ok(counting.answered - consumed <= 2 * 64);
  }

  assert.equal(counting.maxOpen, 2);
  assert.equal(consumed, 401);
});

test("it begins with one block, and asks for nothing else before it is there", async () => {
  const counting = new CountingSource();

  const fetched = fetchAhead(counting.source, 0, 400);
  await fetched.next();
  const [first, ...others] = counting.asked;
  await fetched.return(undefined);

  assert.deepEqual(first, { from: 0, count: 1 });
  assert.deepEqual(others, []);
});

test("a block heavier than the limit is the only one there is", async () => {
  const big = { input: new Uint8Array(1 << 20) } as never;
  const heavy = (block: Block): Block => ({ ...block, transactions: [big], receipts: [{ logs: [] } as never] });
  const counting = new CountingSource(async (from, count) =>
    (await simulatedSource(chain).blocks(from, count)).map(heavy),
  );

  for await (const blocks of fetchAhead(counting.source, 0, 30, { limits: { requests: 3, bytes: 1 << 20 } })) {
    await eventLoopTurns(2);
    assert.equal(blocks.length, 1);
    assert.equal(counting.open, 0);
  }

  assert.equal(counting.maxOpen, 1);
});

test("the heavier the blocks, the fewer are asked for", async () => {
  const counting = new CountingSource();

  await Array.fromAsync(fetchAhead(counting.source, 0, 30, { limits: { requests: 3, bytes: 1 } }));

  assert.ok(counting.asked.every(({ count }) => count === 1));
});

test("blocks that turn out heavier than those before stay within the limit", async () => {
  const share = 1 << 20;
  const heavy = (block: Block): Block =>
    block.header.number < 130 ? block : { ...block, transactions: [big], receipts: [{ logs: [] } as never] };
  const big = { input: new Uint8Array(share / 2) } as never;
  const { source } = new CountingSource(async (from, count) =>
    (await simulatedSource(chain).blocks(from, Math.min(count, 4))).map(heavy),
  );

  const seen: number[] = [];
  for await (const blocks of fetchAhead(source, 0, 200, { limits: { requests: 3, bytes: 3 * share } })) {
    seen.push(...numbers(blocks));
    const bytes = blocks.reduce((sum, block) => sum + estimateBytes(block), 0);
    assert.ok(bytes < share * 3.5, `${blocks.length} blocks of ${bytes} bytes`);
  }

  assert.deepEqual(seen, range(0, 200));
});

test("a source that answers fewer blocks than asked is asked for the rest", async () => {
  const { source } = new CountingSource((from, count) => simulatedSource(chain).blocks(from, Math.min(count, 3)));

  assert.deepEqual(numbers((await Array.fromAsync(fetchAhead(source, 0, 100))).flat()), range(0, 100));
});

test("a source that ends early ends the blocks, without a gap", async () => {
  const { source } = new CountingSource(async (from, count) =>
    from > 70 ? [] : simulatedSource(chain).blocks(from, Math.min(count, 71 - from)),
  );

  assert.deepEqual(numbers((await Array.fromAsync(fetchAhead(source, 0, 400))).flat()), range(0, 70));
  assert.deepEqual(await Array.fromAsync(fetchAhead(source, 71, 400)), []);
  assert.deepEqual(await Array.fromAsync(fetchAhead(source, 5, 4)), []);
});

test("a failure comes after the blocks before it, when nothing is under way any more", async () => {
  const counting = new CountingSource(async (from, count) => {
    if (from >= 128) throw new ChainError("upstream_unavailable", "gone");
    return simulatedSource(chain).blocks(from, Math.min(count, 128 - from));
  });
  const seen: number[] = [];

  await assert.rejects(
    async () => {
      const limits = { requests: 3, bytes: 1 << 30 };
      for await (const blocks of fetchAhead(counting.source, 0, 400, { limits })) seen.push(...numbers(blocks));
    },
    { code: "upstream_unavailable" },
  );

  assert.deepEqual(seen, range(0, 127));
  assert.equal(counting.open, 0);
});

test("a consumer that stops leaves nothing under way and asks for nothing more", async () => {
  const counting = new CountingSource();

  for await (const blocks of fetchAhead(counting.source, 0, 400)) if (numbers(blocks)[0]! >= 64) break;
  const asked = counting.asked.length;
  await eventLoopTurns(10);

  assert.equal(counting.open, 0);
  assert.equal(counting.asked.length, asked);
});

test("authorizations and fields that are not known estimateBytes too", async () => {
  const [block] = await simulatedSource(chain).blocks(5, 1);
  const tx = { input: new Uint8Array(0) };
  const weightOf = (more: object) =>
    estimateBytes({ ...block!, transactions: [{ ...tx, ...more } as never], receipts: [{ logs: [] } as never] });

  assert.ok(weightOf({ authorizationList: new Array(100) }) - weightOf({}) >= 100 * 800);
  assert.ok(weightOf({ extra: { note: "x".repeat(50_000) } }) - weightOf({}) >= 50_000);
  assert.ok(weightOf({ extra: { list: new Array(9000).fill(1) } }) - weightOf({}) >= 18_000);
});

test("the source itself has the first block, and those after a large one until blocks are small again", async () => {
  const large = { input: new Uint8Array(MAX_BACKFILLED_BYTES) } as never;
  const answer = async (from: number, count: number) =>
    (await simulatedSource(chain).blocks(from, count)).map((block): Block => {
      const isLarge = block.header.number >= 100 && block.header.number < 300;
      return isLarge ? { ...block, transactions: [large], receipts: [{ logs: [] } as never] } : block;
    });
  const [source, backfill] = [new CountingSource(answer), new CountingSource(answer)];

  const batches = await Array.fromAsync(fetchAhead(source.source, 0, 400, { backfill: backfill.source }));

  assert.deepEqual(numbers(batches.flat()), range(0, 400));
  assert.equal(source.asked[0]?.from, 0);
  const isAsked = ({ asked }: CountingSource, first: number, below: number) =>
    asked.some(({ from }) => from >= first && from < below);
  assert.ok(isAsked(backfill, 1, 100) && !isAsked(source, 1, 100));
  assert.ok(isAsked(source, 250, 310));
  assert.ok(isAsked(backfill, 300, 401));
});
