import type { Block } from "@ethereumjs/block";
import { createBlock } from "@ethereumjs/block";
import { RLP } from "@ethereumjs/rlp";
import { createTx } from "@ethereumjs/tx";
import { Account, Address } from "@ethereumjs/util";
import type { Bytes } from "../../src/chain/encoding/bytes.ts";
import { fromHex, toHex } from "../../src/chain/encoding/hex.ts";
import { keccak256 } from "../../src/chain/hashing/keccak.ts";
import { EMPTY_ROOT } from "../../src/chain/hashing/trie.ts";
import { runSigned } from "../../src/node/block/runTransaction.ts";
import { allocate } from "../../src/node/genesisBlock.ts";
import { keepPace } from "../../src/node/machine/instructions.ts";
import type { Machine } from "../../src/node/machine/machine.ts";
import { States } from "../../src/node/machine/machine.ts";
import { decodeRawTransaction } from "../../src/node/pool/decodeRawTransaction.ts";
import type { ForkRules } from "../../src/node/rules.ts";
import { Pace } from "../../src/node/state/pace.ts";
import type { Case, Environment } from "./cases.ts";

/** Runs a transaction as the node does in a block; returns how the result differs, if it does. */
export async function run(one: Case, rules: ForkRules): Promise<string | undefined> {
  const states = new States({ node: () => undefined }, (number) => keccak256(Buffer.from(String(number))));
  const machine = await states.machine({ root: EMPTY_ROOT, rules });
  for (const [address, account] of Object.entries(one.accounts)) {
    await allocate(machine, new Address(fromHex(address as `0x${string}`)), account);
  }
  // The state that a block begins with has its storage in tries.
  await machine.state.getStateRoot();
  keepPace(machine, new Pace(Number.POSITIVE_INFINITY));
  const { expected } = one;
  const { logs, refusal } = await execute(one, rules, machine);
  await touchMiner(machine, one.environment);
  const root = toHex(await machine.state.getStateRoot());
  if ((expected.expectException !== undefined) !== (refusal !== undefined)) {
    return refusal === undefined ? `accepted, instead of ${expected.expectException}` : `refused: ${refusal}`;
  }
  if (root !== expected.hash) return `state root ${root}, not ${expected.hash}`;
  const hash = toHex(keccak256(RLP.encode(logs)));
  return hash === expected.logs ? undefined : `logs ${hash}, not ${expected.logs}`;
}

type Logs = [Bytes, Bytes[], Bytes][];

async function execute(one: Case, rules: ForkRules, machine: Machine): Promise<{ logs: Logs; refusal?: string }> {
  try {
    const { runnable } = decodeRawTransaction(rawTransaction(one, rules), rules, true);
    const block = blockOf(one.environment, rules);
    const { receipt } = await runSigned(machine, { tx: runnable, block, skipHardForkValidation: true });
    return { logs: receipt.logs };
  } catch (error) {
    return { logs: [], refusal: (error as Error).message };
  }
}

function rawTransaction({ transaction, expected }: Case, common: ForkRules): Bytes {
  if (expected.txbytes !== undefined) return fromHex(expected.txbytes);
  const { data, gas, value } = expected.indexes;
  const { nonce, gasPrice, to, secretKey } = transaction;
  const fields = { nonce, gasPrice, ...(to !== "" && { to }), data: transaction.data[data]! };
  const limits = { gasLimit: transaction.gasLimit[gas]!, value: transaction.value[value]! };
  // The vectors sign without chain id (EIP-155) at every fork.
  return createTx({ ...fields, ...limits }, { common, freeze: false, allowUnlimitedInitCodeSize: true })
    .sign(fromHex(secretKey))
    .serialize();
}

function blockOf(environment: Environment, common: ForkRules): Block {
  const { currentRandom, currentDifficulty, currentBaseFee, currentExcessBlobGas } = environment;
  const isMerged = common.isActivatedEIP(3675);
  const header = {
    number: environment.currentNumber,
    timestamp: environment.currentTimestamp,
    gasLimit: environment.currentGasLimit,
    coinbase: environment.currentCoinbase,
    ...(isMerged ? currentRandom && { mixHash: currentRandom } : { difficulty: currentDifficulty ?? "0x0" }),
    ...(common.isActivatedEIP(1559) && { baseFeePerGas: currentBaseFee ?? "0x0" }),
    ...(common.isActivatedEIP(4844) && { excessBlobGas: currentExcessBlobGas ?? "0x0", blobGasUsed: 0n }),
  };
  return createBlock({ header }, { common, freeze: false, skipConsensusFormatValidation: true });
}

/** The vectors reward the miner with nothing, also if the transaction is refused. */
async function touchMiner({ vm, state }: Machine, { currentCoinbase }: Environment): Promise<void> {
  const miner = new Address(fromHex(currentCoinbase));
  await vm.evm.journal.putAccount(miner, (await state.getAccount(miner)) ?? new Account());
  await vm.evm.journal.cleanup();
}
