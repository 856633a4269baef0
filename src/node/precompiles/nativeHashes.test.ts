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

test("hashes of a megabyte take less time than the library's", async () => {
  const of = await open();
  const data = new Uint8Array(1 << 20).fill(7);
  for (const number of [2, 3]) {
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
