import assert from "node:assert/strict";
import { test } from "node:test";
import { assemble, word } from "../../../test/support/assembler.ts";
import { CodeChain } from "../../../test/support/codeChain.ts";
import { threadCpuMs } from "../../../test/support/threadCpu.ts";
import type { Hex } from "../../chain/encoding/hex.ts";

const CONTRACT = "0x00000000000000000000000000000000000000c0";

/** Turns of the event loop during some work. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await work.catch(() => undefined);
  clearInterval(timer);
  return turns;
}

const LOOP = assemble("JUMPDEST PUSH1 00 JUMP");
const CALLING = assemble(`JUMPDEST PUSH1 00 DUP1 DUP1 DUP1 ${word(4)} GAS STATICCALL POP PUSH1 00 JUMP`);
const RECURSING = assemble(
  "PUSH1 00 DUP1 DUP1 DUP1 DUP1 ADDRESS GAS CALL PUSH1 00 DUP1 DUP1 DUP1 DUP1 ADDRESS GAS CALL",
);

for (const [name, code] of Object.entries({ loops: LOOP, calls: CALLING, recurses: RECURSING })) {
  test(`a contract that ${name} without end is ended in time and yields to the event loop`, async () => {
    const limits = { gas: 10n ** 12n, milliseconds: 300 };
    const chain = await CodeChain.open({ [CONTRACT]: { code } }, { limits });

    let max = 0;
    // Other programs may take most of the processor time.
    for (let attempt = 0; attempt < 5 && max < 5; attempt++) {
      const started = threadCpuMs();
      const call = chain.ask("eth_call", { to: CONTRACT });
      max = Math.max(max, await turnsDuring(call));

      await assert.rejects(call, { code: -32000, message: "execution aborted (timeout = 300ms)" });
      assert.ok(threadCpuMs() - started < 3000);
    }
    assert.ok(max >= 5, `${max} turns`);
  });
}

test("many concurrent calls yield to the event loop", async () => {
  const limits = { gas: 10n ** 12n, milliseconds: 400 };
  const chain = await CodeChain.open({ [CONTRACT]: { code: LOOP } }, { limits });

  const calls = Array.from({ length: 10 }, () => chain.ask("eth_call", { to: CONTRACT }));
  const turns = await turnsDuring(Promise.allSettled(calls));

  assert.ok(turns >= 5, `${turns} turns`);
});

test("an estimate, a list and a trace are ended in time as well", async () => {
  const limits = { gas: 10n ** 12n, milliseconds: 100 };
  const chain = await CodeChain.open({ [CONTRACT]: { code: LOOP } }, { limits });
  const ended = { code: -32000, message: "execution aborted (timeout = 100ms)" };
  const request = { to: CONTRACT, gas: "0xffffffffff" };
  const config = { timeout: "100ms", tracer: "callTracer" };

  await assert.rejects(chain.ask("eth_estimateGas", request), ended);
  await assert.rejects(chain.ask("eth_createAccessList", request), ended);
  await assert.rejects(chain.ask("debug_traceCall", request, "latest", config), ended);
});

test("what has run leaves nothing behind that grows", async () => {
  const chain = await CodeChain.open({ [CONTRACT]: { code: "0x00" } });
  const { events } = chain.chain.rules.at(chain.chain.head.header);

  for (let i = 0; i < 5; i++) await chain.ask("eth_call", { to: CONTRACT } satisfies { to: Hex });

  assert.equal(events.listenerCount("hardforkChanged"), 0);
});

test("making a block with a heavy transaction yields to the event loop, and readers see the head before it", async () => {
  const chain = await CodeChain.open({ [CONTRACT]: { code: LOOP } });
  const seen: number[] = [];
  const timer = setInterval(() => seen.push(chain.chain.head.header.number), 1);

  const { receipts } = await chain.mine({ to: CONTRACT, gas: 29_000_000n });

  clearInterval(timer);
  assert.equal(receipts[0]!.gasUsed, 29_000_000);
  assert.ok(seen.length >= 5, `${seen.length} turns`);
  assert.ok(seen.every((number) => number === 0));
});
