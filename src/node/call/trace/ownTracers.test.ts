import assert from "node:assert/strict";
import { test } from "node:test";
import { Mainnet } from "@ethereumjs/common";
import { createAddressFromString } from "@ethereumjs/util";
import { runTx } from "@ethereumjs/vm";
import { Random } from "../../../../test/support/random.ts";
import type { RandomCase } from "../../../../test/support/randomTransactions.ts";
import { blockOf, fillWorld, randomCase, SENDER, transactionOf } from "../../../../test/support/randomTransactions.ts";
import { firstSeed } from "../../../../test/support/seed.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import { EMPTY_ROOT } from "../../../chain/hashing/trie.ts";
import { jsonOf } from "../../../jsonrpc/envelope.ts";
import { keepPace } from "../../machine/instructions.ts";
import { States } from "../../machine/machine.ts";
import { ForkRules } from "../../rules.ts";
import { Pace } from "../../state/pace.ts";
import { observe } from "./observe.ts";
import { beginningOf } from "./traceBlock.ts";
import { readTraceConfig } from "./traceConfig.ts";
import type { EmittedLog, Frame, FrameEnd, Step, Tracer } from "./tracer.ts";

const CASES = Number(process.env.ORIEL_CASES ?? 8);
const SEED = firstSeed();

const STOP = 0x00;

/**
 * Whether the stack or the gas does not suffice. The library then names another cost, and reports write protection
 * first, which geth does not.
 */
function isPoorStep(gas: number, cost: number, error: string | undefined): boolean {
  return cost > gas || error === "out of gas" || error?.startsWith("stack ") === true;
}

/** Everything that a tracer is told. */
class Recorder implements Tracer {
  readonly events: unknown[] = [];
  #isPoor = false;

  step({ opcode, programCounter, gas, cost, depth, error, scope }: Step): number {
    const stack = Array.from({ length: scope.height }, (_, distance) => scope.peek(distance).toString(16));
    const memory = toHex(scope.memory(0, scope.memoryWords * 32));
    const { address } = scope;
    // The library has none left where code ends without STOP.
    const refund = opcode === STOP ? 0 : scope.refund;
    const found = { address, refund, stack, memory, returnData: toHex(scope.returnData) };
    this.#isPoor = isPoorStep(gas, cost, error);
    const price = this.#isPoor ? "unpaid" : { cost, error };
    this.events.push({ opcode, programCounter, gas, price, depth, ...found });
    return 1;
  }

  enter({ type, from, to, input, gas, value, depth }: Frame): void {
    this.events.push({ type, from: from.toString(), to: to?.toString(), input: toHex(input), gas, value, depth });
  }

  exit({ depth }: Frame, { output, gasUsed, error, createdAddress }: FrameEnd): void {
    const created = error === undefined ? createdAddress?.toString() : undefined;
    this.events.push({ depth, output: toHex(output), gasUsed, error: this.#isPoor ? "unpaid" : error, created });
    this.#isPoor = false;
  }

  log({ address, topics, data }: EmittedLog): void {
    this.events.push({ address: address.toString(), topics: topics.map(toHex), data: toHex(data) });
  }

  result(): unknown {
    return this.events;
  }
}

async function trace(each: RandomCase, tracer: Tracer, usesLibrary: boolean): Promise<unknown> {
  const states = new States({ node: () => undefined }, () => new Uint8Array(32));
  const rules = new ForkRules({ chain: Mainnet, hardfork: each.fork });
  const machine = await states.machine({ root: EMPTY_ROOT, rules });
  await fillWorld(machine.vm, each.world);
  const [tx, block] = [transactionOf(each, rules), blockOf(rules)];
  const environment = { rules, header: block.header };
  const message = { from: createAddressFromString(SENDER), to: tx.to, gas: tx.gasLimit, authorizationList: undefined };
  machine.evm.usesLibrary = usesLibrary;
  keepPace(machine, new Pace(Number.POSITIVE_INFINITY));
  await tracer.begin?.(beginningOf({ machine, environment }, message));
  const stop = observe(machine, tracer, new Pace(Number.POSITIVE_INFINITY));
  try {
    const { totalGasSpent } = await runTx(machine.vm, { tx, block, skipHardForkValidation: true });
    await tracer.end?.(totalGasSpent);
  } catch (error) {
    return `refused: ${(error as Error).message.slice(0, 40)}`;
  } finally {
    stop();
  }
  return tracer.result();
}

test(`a tracer is told by our interpreter what the library's loop tells it (seed ${SEED})`, async () => {
  for (let index = 0; index < CASES; index++) {
    const random = new Random(SEED + index);
    const each = randomCase(random);
    for (const gasLimit of [each.gasLimit, 60_000n + BigInt(random.int(60_000))]) {
      const traced = { ...each, gasLimit };
      const expected = (await trace(traced, new Recorder(), true)) as unknown[];
      const actual = (await trace(traced, new Recorder(), false)) as unknown[];
      const at = [...expected].findIndex((event, i) => !equal(event, actual[i]));
      const note = `ORIEL_SEED=${random.seed} ORIEL_CASES=1 ${each.fork} gas ${gasLimit}, event ${at}`;
      if (at >= 0) assert.deepEqual(actual.slice(at, at + 2), expected.slice(at, at + 2), note);
      assert.equal(actual.length, expected.length, note);
    }
  }
});

function equal(one: unknown, other: unknown): boolean {
  try {
    assert.deepEqual(one, other);
    return true;
  } catch {
    return false;
  }
}

const CONFIGS: readonly object[] = [
  {},
  { enableMemory: true, enableReturnData: true },
  { tracer: "callTracer", tracerConfig: { withLog: true } },
  { tracer: "flatCallTracer" },
  { tracer: "prestateTracer" },
  { tracer: "prestateTracer", tracerConfig: { diffMode: true } },
  { tracer: "4byteTracer" },
  { tracer: "muxTracer", tracerConfig: { callTracer: {}, prestateTracer: { diffMode: true } } },
];

function withoutPoor(text: string): string {
  const step = /"gas":([^,]+),"gasCost":([^,]+),"depth":(\d+)(?:,"error":"([^"]+)")?/g;
  return (
    text
      .replace(step, (whole, gas, cost, depth, error) =>
        isPoorStep(Number(gas), Number(cost), error) ? `"gas":${gas},"depth":${depth}` : whole,
      )
      .replace(/,"refund":\d+/g, "")
      // The library is past the instruction that failed.
      .replace(/"error":"stack (underflow|limit)[^"]*"/g, '"error":"stack"')
      .replaceAll('"error":"write protection"', '"error":"out of gas"')
  );
}

test(`tracers answer as in the library's loop (seed ${SEED})`, async () => {
  for (let index = 0; index < CASES; index++) {
    const random = new Random(SEED + index);
    const each = randomCase(random);
    for (const config of CONFIGS) {
      const { tracer } = readTraceConfig(config, 0, 1);
      const expected = withoutPoor(jsonOf(await trace(each, tracer(), true)));
      const actual = withoutPoor(jsonOf(await trace(each, tracer(), false)));
      const note = `ORIEL_SEED=${random.seed} ORIEL_CASES=1 ${each.fork} ${JSON.stringify(config)}`;
      if (actual !== expected) assert.deepEqual(JSON.parse(actual), JSON.parse(expected), note);
    }
  }
});
