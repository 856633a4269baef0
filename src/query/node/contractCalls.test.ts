import assert from "node:assert/strict";
import { test } from "node:test";
import { SimulatedChain } from "../../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../../test/support/simulatedSource.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import type { Source } from "../../chain/source.ts";
import { UpstreamError } from "../../source/failure.ts";
import { ContractCalls, MAX_VALUES } from "./contractCalls.ts";
import { HeadWatch } from "./headWatch.ts";
import { ReadThrough } from "./readThrough.ts";

const chain = new SimulatedChain({ seed: 21 });
chain.mine(20);
const TO = fromHex(`0x${"ab".repeat(20)}`);
const at = (number: number) => ({ number, hash: fromHex(chain.at(number)!.hash) });
const inputs = Array.from({ length: 40 }, (_, i) => Uint8Array.of(0, 0, 0, i));

function calling(changes: Partial<Source>): ContractCalls {
  const source = { ...simulatedSource(chain), ...changes };
  return new ContractCalls(new ReadThrough(source, new HeadWatch(source)));
}

test("so many values are read at once, few in one batch, and kept until the state is another", async () => {
  const batches: number[] = [];
  const calls = calling({
    call: async (asked) => {
      batches.push(asked.length);
      return asked.map(({ data }) => data.slice(3));
    },
  });
  const first = await calls.values(TO, inputs, at(19));
  const again = await calls.values(TO, inputs, at(19));

  const expected = inputs.map((data, i) => (i < MAX_VALUES ? data.slice(3) : undefined));
  assert.deepEqual(first, expected);
  assert.deepEqual(again, expected);
  assert.deepEqual(batches, [5, 5, 5, 5, 5, 5]);
  await calls.values(TO, inputs.slice(0, 2), at(20));
  assert.deepEqual(batches.slice(6), [2]);
});

test("calls that the node does not answer in time are omitted and not repeated", async () => {
  let batches = 0;
  const silent = calling({
    call: () => {
      batches++;
      return new Promise(() => {});
    },
  });
  const failing = calling({
    call: async () => {
      throw new ChainError("upstream_unavailable", "no");
    },
  });
  const mixed = calling({ call: async () => ["reverted", new ChainError("upstream_rejected", "no")] });

  assert.deepEqual(await silent.values(TO, inputs.slice(0, 20), at(20)), Array(20).fill(undefined));
  assert.equal(batches, 1);
  assert.deepEqual(await failing.values(TO, inputs.slice(0, 2), at(20)), [undefined, undefined]);
  assert.deepEqual(await mixed.values(TO, inputs.slice(0, 2), at(20)), ["reverted", undefined]);
});

test("what a call reverts with is found wherever a node puts it", async () => {
  const reverting = (data: unknown) =>
    calling({
      request: async () => {
        throw new UpstreamError("upstream_rejected", "no", { rpc: { code: 3, message: "execution reverted", data } });
      },
    }).call({ to: TO, data: inputs[1]! }, at(20));
  const cases: readonly (readonly [data: unknown, reverted: string])[] = [
    ["0x0102", "0x0102"],
    [{ data: "0x03" }, "0x03"],
    [undefined, "0x"],
    ["Reverted 0x", "0x"],
    [{ message: "0x01" }, "0x"],
  ];

  for (const [data, expected] of cases) {
    const answer = (await reverting(data)) as { readonly reverted: Bytes };
    assert.equal(toHex(answer.reverted), expected);
  }
});

test("a node that cannot be asked is a failure, and one that refuses hashes is asked by number", async () => {
  const asked: unknown[] = [];
  const failing = calling({
    request: async () => {
      throw new ChainError("upstream_unavailable", "no");
    },
  });
  const old = calling({
    request: async (_, [, block]) => {
      asked.push(block);
      if (typeof block === "string") return "0x2a";
      throw new UpstreamError("upstream_rejected", "no", { rpc: { code: -32602, message: "invalid argument" } });
    },
  });

  await assert.rejects(failing.call({ to: TO, data: inputs[0]! }, at(20)), { code: "upstream_unavailable" });
  assert.deepEqual(await old.call({ to: TO, data: inputs[0]!, from: TO }, at(20)), { returned: Uint8Array.of(42) });
  assert.deepEqual(asked.at(-1), "0x14");
});
