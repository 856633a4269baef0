import assert from "node:assert/strict";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { after, test } from "node:test";
import { encodeFunctionData } from "viem";
import { contractNamed } from "../../../test/support/contracts.ts";
import { manualClock } from "../../../test/support/waiting.ts";
import { readAbi } from "../../chain/abi/parseAbi.ts";
import { decodeCall } from "../../chain/abi/resolve.ts";
import type { Signature } from "../../chain/abi/signature.ts";
import { fullText } from "../../chain/abi/signature.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { fromHex } from "../../chain/encoding/hex.ts";
import { MAX_FUNCTIONS, recoverFunctions } from "./recoverFunctions.ts";
import { MAX_CODE_LENGTH, Recovery } from "./recovery.ts";

const NAMES = [
  "ERC20PresetMinterPauser",
  "ERC721PresetMinterPauserAutoId",
  "ERC1155PresetMinterPauser",
  "TimelockController",
];
const TO: Hex = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";

const codeOf = (name: string) =>
  fromHex((contractNamed(name) as unknown as { deployedBytecode: Hex }).deployedBytecode);

/** A dispatcher whose selectors all lead into one endless loop. */
function dispatcher(count: number): Bytes {
  const loop = (5 + count * 11).toString(16).padStart(4, "0");
  const branches = Array.from({ length: count }, (_, i) => `8063${(0x10000000 + i * 7919).toString(16)}1461${loop}57`);
  return fromHex(`0x5f3560e01c${branches.join("")}5b60043560243561${loop}56`);
}

const errors: string[] = [];
const recovery = new Recovery({ onError: (reason) => errors.push(reason) });
after(() => recovery.close());

test("the functions of compiled contracts are found, and nearly all of their argument types", () => {
  let right = 0;
  let all = 0;
  for (const name of NAMES) {
    const abi = readAbi(contractNamed(name).abi).functions as ReadonlyMap<string, readonly Signature[]>;
    const found = new Map(recoverFunctions(codeOf(name)).map(([selector, types]) => [selector, types]));

    assert.deepEqual([...found.keys()].map((selector) => `0x${selector}`).sort(), [...abi.keys()].sort(), name);
    for (const [selector, [signature]] of abi) {
      all++;
      const types = signature!.inputs.map(({ type }) => type.text).join();
      // Code that only stores or compares a word does not distinguish these types.
      if (found.get(selector.slice(2)) === types.replaceAll("bytes32", "uint256")) right++;
    }
  }
  assert.ok(right / all > 0.9, `${right} of ${all}`);
});

test("a call to unknown code is decoded by its bytecode, as a guess without names", async () => {
  const { abi } = contractNamed("ERC20PresetMinterPauser");
  const input = encodeFunctionData({ abi: abi as readonly object[], functionName: "mint", args: [TO, 7n] } as never);

  const candidates = (await recovery.recover(codeOf("ERC20PresetMinterPauser")))!;

  const decoded = decodeCall(fromHex(input), [candidates])!;
  assert.equal(fullText(decoded.signature), "0x40c10f19(address, uint256)");
  assert.deepEqual(
    decoded.signature.inputs.map(({ name, type }) => [name, type.text]),
    [
      ["", "address"],
      ["", "uint256"],
    ],
  );
  assert.deepEqual(
    { ...decoded, signature: undefined },
    {
      id: "0x40c10f19",
      signature: undefined,
      values: [fromHex(TO), 7n],
      origin: "bytecode",
      isGuess: true,
    },
  );
  assert.equal(decodeCall(fromHex("0x12345678"), [candidates]), undefined);
  assert.equal(fullText(candidates.signatures.functions.get("0x40c10f19")![0]!), "0x40c10f19(address, uint256)");
});

test("the same code is analysed once", async () => {
  const code = codeOf("TimelockController");

  const [first, second] = await Promise.all([recovery.recover(code), recovery.recover(Uint8Array.from(code))]);

  assert.equal(first, second);
  assert.equal(await recovery.recover(code), first);
});

test("code that takes too long has no result, and delays the next only until its timeout", async () => {
  const recovery = new Recovery({ deadline: 300 });
  await recovery.recover(codeOf("ERC20PresetMinterPauser"));
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();

  const hostile = recovery.recover(dispatcher(2000));
  const good = recovery.recover(codeOf("TimelockController"));
  const [none, some] = await Promise.all([hostile, good]);

  delay.disable();
  assert.equal(none, undefined);
  assert.ok(some!.signatures.functions.get("0x01d5062a"));
  assert.ok(delay.percentile(90) < 50e6, `the loop was blocked for ${delay.percentile(90) / 1e6} ms`);
  await recovery.close();
});

test("code that took too long is analysed again, but not at once", async () => {
  const clock = manualClock();
  const recovery = new Recovery({ deadline: 100, pause: 60_000, now: clock.now });
  const code = dispatcher(2000);
  let threads = 0;
  const count = () => threads++;
  process.on("worker", count);
  const first = await recovery.recover(code);

  const soon = await recovery.recover(code);
  assert.deepEqual([first, soon, threads], [undefined, undefined, 1]);
  clock.advance(60_000);
  await recovery.recover(code);

  assert.equal(threads, 2);
  process.off("worker", count);
  await recovery.close();
});

test("a thread that exits without an answer is an error, and the next one answers", async () => {
  const fragile = new Recovery();
  const code = codeOf("TimelockController");
  process.once("worker", (worker) => worker.terminate());

  await assert.rejects(fragile.recover(code), { code: "internal" });
  const { signatures } = (await fragile.recover(code))!;

  assert.ok(signatures.functions.get("0x01d5062a"));
  await fragile.close();
});

test("code that is empty or longer than any contract's is not analysed", async () => {
  const none = await recovery.recover(new Uint8Array(0));
  const long = await recovery.recover(new Uint8Array(MAX_CODE_LENGTH + 1));

  assert.equal(none!.signatures.functions.get("0x40c10f19"), undefined);
  assert.equal(long!.signatures.functions.get("0x40c10f19"), undefined);
});

test("what is no program gives nothing and harms nothing", async () => {
  const noise = [
    "0x00",
    "0xfe",
    `0x${"5b600035600057".repeat(3500)}`,
    `0x${"60".repeat(MAX_CODE_LENGTH)}`,
    `0x${"80".repeat(9000)}`,
  ];

  for (const code of noise) {
    const { signatures } = (await recovery.recover(fromHex(code)))!;
    assert.equal(signatures.functions.get("0x40c10f19"), undefined);
  }
  assert.deepEqual(errors, []);
});

test("no more than so many functions of a contract are kept, and so many contracts wait", async () => {
  assert.equal(recoverFunctions(dispatcher(MAX_FUNCTIONS + 50)).length, MAX_FUNCTIONS);

  const busy = new Recovery({ waiting: 2 });
  const asked = [1, 2, 3, 4].map((byte) => busy.recover(new Uint8Array([byte])));
  const outcomes = await Promise.allSettled(asked);

  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["fulfilled", "fulfilled", "fulfilled", "rejected"],
  );
  await busy.recover(new Uint8Array([4]));
  await busy.close();
  await assert.rejects(busy.recover(new Uint8Array([5])), { code: "internal" });
});

test("pending requests fail on close", async () => {
  const closing = new Recovery();
  const waiting = [1, 2].map((byte) => closing.recover(new Uint8Array([byte])));
  const outcomes = Promise.allSettled(waiting);

  await closing.close();

  assert.deepEqual(
    (await outcomes).map(({ status }) => status),
    ["rejected", "rejected"],
  );
});
