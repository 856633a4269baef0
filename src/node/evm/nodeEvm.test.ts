import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { Common, type Hardfork, Mainnet } from "@ethereumjs/common";
import { EVM } from "@ethereumjs/evm";
import { Caches, MerkleStateManager } from "@ethereumjs/statemanager";
import { createAddressFromString } from "@ethereumjs/util";
import type { RunTxResult, VM } from "@ethereumjs/vm";
import { createVM, runTx } from "@ethereumjs/vm";
import { assemble } from "../../../test/support/assembler.ts";
import { CodeChain } from "../../../test/support/codeChain.ts";
import { Random } from "../../../test/support/random.ts";
import type { RandomCase } from "../../../test/support/randomTransactions.ts";
import {
  at,
  blockOf,
  CONTRACTS,
  FORKS,
  fillWorld,
  RICH,
  randomCase,
  SENDER,
  SINCE,
  transactionOf,
} from "../../../test/support/randomTransactions.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import type { Draft } from "../../chain/encoding/wire.ts";
import { EMPTY_ROOT } from "../../chain/hashing/trie.ts";
import { failureWords } from "../call/failure.ts";
import { States } from "../machine/machine.ts";
import { ForkRules } from "../rules.ts";

const CASES = Number(process.env.ORIEL_CASES ?? 20);
const SEED = firstSeed();

/** The library with its own state. */
async function libraryMachine(fork: Hardfork): Promise<VM> {
  const common = new Common({ chain: Mainnet, hardfork: fork });
  return createVM({ common, stateManager: new MerkleStateManager({ common, caches: new Caches() }) });
}

/** Ours; with the library's loop if observed. */
async function ourMachine(fork: Hardfork, isObserved: boolean): Promise<VM> {
  const states = new States({ node: () => undefined }, () => new Uint8Array(32));
  const machine = await states.machine({
    root: EMPTY_ROOT,
    rules: new ForkRules({ chain: Mainnet, hardfork: fork }),
  });
  machine.evm.usesLibrary = isObserved;
  assert.equal(machine.evm.isOwn, !isObserved);
  return machine.vm;
}

async function outcomeOf(vm: VM, each: RandomCase): Promise<Draft<ObservedRun>> {
  await fillWorld(vm, each.world);
  const block = blockOf(vm.common);
  const options = { tx: transactionOf(each, vm.common), block, skipHardForkValidation: true };
  let result: RunTxResult;
  try {
    result = await runTx(vm, options);
  } catch (error) {
    return { error: `refused: ${(error as Error).message.slice(0, 40)}` };
  }
  const { execResult, createdAddress, totalGasSpent, gasRefund, bloom } = result;
  const error = execResult.exceptionError;
  const seen = {
    // The library's counter may already be past the failing instruction.
    error: error && failureWords(error, execResult.runState).replace(/^(stack \w+).*/, "$1"),
    output: toHex(execResult.returnValue),
    gas: execResult.executionGasUsed,
    totalGasSpent,
    gasRefund,
    created: createdAddress?.toString(),
    logs: (execResult.logs ?? []).map(([address, topics, data]) => [toHex(address), topics.map(toHex), toHex(data)]),
    bloom: toHex(bloom.bitvector),
    root: toHex(await vm.stateManager.getStateRoot()),
    isOverflown: ((await vm.stateManager.getAccount(createAddressFromString(RICH)))?.balance ?? 0n) >= 2n ** 256n,
  };
  return seen;
}

interface ObservedRun {
  readonly error?: string | undefined;
  readonly gas?: bigint;
  readonly isOverflown?: boolean;
}

async function compare(each: RandomCase, note: string): Promise<ObservedRun> {
  const expected = await outcomeOf(await libraryMachine(each.fork), each);
  const actual = await outcomeOf(await ourMachine(each.fork, false), each);
  // The library overflows on an account that holds all ether.
  if (expected.isOverflown === true) return actual;
  // If both stack and gas are insufficient, geth reports the stack first, the library not always.
  if (expected.error === "out of gas" && actual.error?.startsWith("stack ")) expected.error = actual.error;
  assert.deepEqual(actual, expected, `${note} ${each.fork} gas ${each.gasLimit}`);
  return actual;
}

async function compareObserved(each: RandomCase, note: string): Promise<void> {
  const expected = await outcomeOf(await libraryMachine(each.fork), each);
  const actual = await outcomeOf(await ourMachine(each.fork, true), each);
  assert.deepEqual(actual, expected, `${note} ${each.fork}, observed`);
}

test(`random transactions do what the library has them do, with all the gas and with less (seed ${SEED})`, async () => {
  for (let index = 0; index < CASES; index++) {
    const random = new Random(SEED + index);
    const each = randomCase(random);
    const note = `ORIEL_SEED=${random.seed} ORIEL_CASES=1`;
    const { gas = 0n } = await compare(each, note);
    const min = transactionOf(each, new Common({ chain: Mainnet, hardfork: each.fork })).getIntrinsicGas();
    for (let attempt = 0; attempt < 3; attempt++) {
      await compare({ ...each, gasLimit: min + 4000n + BigInt(random.int(Number(gas))) }, note);
    }
  }
});

test(`a machine that is observed does so too, on our state and journal (seed ${SEED})`, async () => {
  for (let index = 0; index < CASES; index++) {
    const random = new Random(SEED + index);
    await compareObserved(randomCase(random), `ORIEL_SEED=${random.seed} ORIEL_CASES=1`);
  }
});

test("an instruction of a later fork is invalid, as the library has it", async () => {
  const plain = { balance: 0n, nonce: 1n, slots: [] };
  const sender = { address: SENDER, balance: 10n ** 24n, nonce: 0n, code: new Uint8Array(0), slots: [] };
  for (const [since, names] of SINCE) {
    const fork = FORKS[FORKS.indexOf(since) - 1]!;
    for (const name of names) {
      const code = fromHex(assemble(`${"PUSH1 00 ".repeat(3)}${name}`));
      const world = [{ ...plain, address: CONTRACTS[0]!, code }, sender];
      const call = { to: CONTRACTS[0], data: new Uint8Array(0), value: 0n, gasLimit: 60_000n, accessList: [] };
      const { error } = await compare({ fork, world, ...call }, name);
      assert.match(error ?? "none", /invalid opcode/, `${name} in ${fork}`);
    }
  }
});

test("what a constructor reverts with is returned, whatever it begins with", async () => {
  const chain = await CodeChain.open();
  const data = assemble("PUSH1 ef PUSH1 00 MSTORE8 PUSH1 01 PUSH1 00 REVERT");

  await assert.rejects(chain.ask("eth_call", { data }), { message: "execution reverted", data: "0xef" });
});

/** Instructions of the library's loop are observed through a table that nobody else uses. */
async function runsInLibrary(data: Hex, t: TestContext): Promise<{ isLibrary: boolean; answer: unknown }> {
  const limits = { gas: 2n ** 63n, milliseconds: 60_000 };
  const chain = await CodeChain.open({}, { limits });
  const runs = t.mock.method(EVM.prototype as unknown as { runInterpreter: () => unknown }, "runInterpreter");
  const answer = await chain.ask("eth_call", { data, gas: "0x7fffffffffffffff" }).catch((error) => error.message);
  runs.mock.restore();
  return { isLibrary: runs.mock.callCount() > 0, answer };
}

test("a call whose gas a number cannot hold runs in the library if it depends on how much it is", async (t) => {
  const gas = await runsInLibrary(assemble("GAS PUSH1 00 MSTORE PUSH1 20 PUSH1 00 RETURN"), t);
  assert.ok(gas.isLibrary && BigInt(gas.answer as Hex) > 2n ** 62n);
  const failing = await runsInLibrary(assemble("PUSH1 07 PUSH1 01 SSTORE INVALID"), t);
  assert.deepEqual(failing, { isLibrary: true, answer: "invalid opcode: INVALID" });
  const all = `PUSH1 00 DUP1 DUP1 DUP1 DUP1 PUSH1 04 PUSH32 ${"ff".repeat(32)} CALL`;
  assert.ok((await runsInLibrary(assemble(`${all} PUSH1 00 MSTORE PUSH1 20 PUSH1 00 RETURN`), t)).isLibrary);
});

test("another call with that much gas runs here", async (t) => {
  const own = await runsInLibrary(assemble("PUSH1 07 PUSH1 00 MSTORE PUSH1 20 PUSH1 00 RETURN"), t);
  assert.deepEqual(own, { isLibrary: false, answer: toHex(fromHex(`0x${"7".padStart(64, "0")}`)) });
});

const FORWARDING = at(0xf0);

test("a contract resumes after a call to a contract that runs in another thread", async () => {
  const code = assemble(
    `CALLDATASIZE PUSH1 00 PUSH1 00 CALLDATACOPY PUSH1 40 PUSH1 00 CALLDATASIZE PUSH1 00 PUSH1 09 GAS STATICCALL
     PUSH1 40 MSTORE PUSH1 60 PUSH1 00 RETURN`,
  );
  // The thread is started by the first call, which takes seconds on a busy machine.
  const limits = { gas: 50_000_000n, milliseconds: 60_000 };
  const chain = await CodeChain.open({ [FORWARDING]: { code } }, { limits });
  const data: Hex = `0x${(20_000).toString(16).padStart(8, "0")}${"01".repeat(209)}`;

  const direct = (await chain.ask("eth_call", { to: at(9), data })) as Hex;
  const forwarded = await chain.ask("eth_call", { to: FORWARDING, data });

  assert.equal(forwarded, `${direct}${"1".padStart(64, "0")}`);
});

test("a contract knows the hash of the block before", async () => {
  const code = assemble("PUSH1 01 NUMBER SUB BLOCKHASH PUSH1 00 MSTORE PUSH1 20 PUSH1 00 RETURN");
  const chain = await CodeChain.open({ [FORWARDING]: { code } });
  const [parent] = [await chain.mine(), await chain.mine()];

  assert.equal(await chain.ask("eth_call", { to: FORWARDING }), toHex(parent.header.hash));
});
