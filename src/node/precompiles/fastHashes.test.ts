import assert from "node:assert/strict";
import { test } from "node:test";
import type { PrecompileFunc } from "@ethereumjs/evm";
import { createEVM } from "@ethereumjs/evm";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import { threadCpuMs } from "../../../test/support/threadCpu.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { EMPTY_ROOT } from "../../chain/hashing/trie.ts";
import { developmentGenesis } from "../developmentGenesis.ts";
import { States } from "../machine/machine.ts";
import { Rules } from "../rules.ts";

const SEED = firstSeed();

async function open() {
  const genesis = developmentGenesis({ chainId: 677, gasLimit: 30_000_000, timestamp: 1000, funded: [] });
  const rules = new Rules(genesis).fork("prague");
  const { evm } = await new States({ node: () => undefined }, () => undefined).machine({ root: EMPTY_ROOT, rules });
  const library = await createEVM();
  const [common, plain] = [evm.common, library.common];
  return (number: number) => {
    const address = `${number}`.padStart(40, "0");
    const [own, theirs] = [evm.precompiles.get(address)!, library.precompiles.get(address)!];
    const run = (data: Uint8Array, gasLimit: bigint) => own({ data, gasLimit, common, _EVM: evm });
    const expect: typeof run = (data, gasLimit) => theirs({ data, gasLimit, common: plain, _EVM: library });
    return { run, expect };
  };
}

async function wordsOf(result: ReturnType<PrecompileFunc>) {
  const { executionGasUsed, returnValue, exceptionError } = await result;
  return [executionGasUsed, toHex(returnValue), exceptionError?.error];
}

test(`hashes and their gas are those of the library (seed ${SEED})`, async () => {
  const of = await open();
  const random = new Random(SEED);
  for (const number of [2, 3]) {
    const { run, expect } = of(number);
    for (let count = 0; count < 200; count++) {
      const data = random.bytes(random.int(300));
      const gas = BigInt(random.int(3000));
      assert.deepEqual(await wordsOf(run(data, gas)), await wordsOf(expect(data, gas)), `${toHex(data)} ${gas}`);
    }
  }
});

/** Also with a flag that is none, and a byte too many or too few. */
function blake2Input(random: Random): Uint8Array {
  const data = random.bytes(random.pick([213, 213, 213, 213, 212, 214]));
  data.set([0, 0, 0, random.int(40)]);
  data[212] = random.pick([0, 0, 1, 1, 2]);
  return data;
}

test(`BLAKE2b is the library's, whatever the rounds (seed ${SEED})`, async () => {
  const { run, expect } = (await open())(9);
  const random = new Random(SEED);
  for (let count = 0; count < 300; count++) {
    const data = blake2Input(random);
    const gas = BigInt(random.int(100));
    assert.deepEqual(await wordsOf(run(data, gas)), await wordsOf(expect(data, gas)), `${toHex(data)} ${gas}`);
  }
});

test("rounds are the library's where they take several calls", async () => {
  const { run, expect } = (await open())(9);
  const data = new Random(SEED).bytes(213);
  data[212] = 1;
  for (const rounds of [100_000, 100_007, 230_001]) {
    new DataView(data.buffer, data.byteOffset).setUint32(0, rounds);
    assert.deepEqual(await wordsOf(run(data, 1_000_000n)), await wordsOf(expect(data, 1_000_000n)), `${rounds}`);
  }
});

test("hashes of a megabyte and of 65,536 rounds take less time than the library's", async () => {
  const of = await open();
  const megabyte = new Uint8Array(1 << 20).fill(7);
  const rounds = new Uint8Array(213);
  rounds.set([0, 1]);
  for (const [number, data] of [
    [2, megabyte],
    [3, megabyte],
    [9, rounds],
  ] as const) {
    const { run, expect } = of(number);
    const cpuOf = (hash: typeof run) => {
      let least = Number.POSITIVE_INFINITY;
      for (let round = 0; round < 10; round++) {
        const before = threadCpuMs();
        hash(data, 100_000_000n);
        least = Math.min(least, threadCpuMs() - before);
      }
      return least;
    };

    const [own, theirs] = [cpuOf(run), cpuOf(expect)];

    assert.ok(own < 0.75 * theirs, `${own.toFixed(1)} ms, ${theirs.toFixed(1)} ms in the library`);
  }
});
