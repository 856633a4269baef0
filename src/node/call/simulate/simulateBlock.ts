import { Account } from "@ethereumjs/util";
import type { Header } from "../../../chain/block/header.ts";
import type { Log, Receipt } from "../../../chain/block/receipt.ts";
import type { Transaction } from "../../../chain/block/transaction.ts";
import { quantity, toHex } from "../../../chain/encoding/hex.ts";
import { uintFromBigInt } from "../../../chain/encoding/uint.ts";
import type { Draft } from "../../../chain/encoding/wire.ts";
import { logsBloom } from "../../../chain/hashing/bloom.ts";
import { RpcError } from "../../../jsonrpc/rpcError.ts";
import type { MinedBlock } from "../../block/minedBlock.ts";
import { closeBlock, openBlock, payWithdrawals } from "../../block/systemCalls.ts";
import type { Rules } from "../../rules.ts";
import type { Pace } from "../../state/pace.ts";
import type { ExecutionResult, Setting } from "../applyMessage.ts";
import { applyMessage } from "../applyMessage.ts";
import type { CallRequest } from "../callRequest.ts";
import { callFailure } from "../failure.ts";
import type { Message } from "../message.ts";
import { expectChain, messageOf } from "../message.ts";
import { applyStateOverrides } from "../stateOverrides.ts";
import { observe } from "../trace/observe.ts";
import type { Arranged } from "./arrange.ts";
import { coded, SIMULATION } from "./codes.ts";
import { sealSimulated } from "./sealSimulated.ts";
import type { Simulation } from "./simulation.ts";
import { TransferLogs } from "./transferLogs.ts";
import { unsignedTransaction } from "./unsigned.ts";

export interface SimulatedCall {
  readonly outcome: ExecutionResult;
  readonly logs: readonly Log[];
}

export interface Simulator {
  readonly chain: Rules;
  readonly simulation: Simulation;
  readonly pace: Pace;
  gas: bigint;
}

export async function simulateBlock(
  simulator: Simulator,
  setting: Setting,
  header: Draft<Header>,
  { state, calls }: Arranged,
): Promise<{ block: MinedBlock; calls: SimulatedCall[] }> {
  const { machine, environment } = setting;
  await applyStateOverrides(machine, state);
  await openBlock(machine, environment, header);
  const run = new BlockRun(simulator, setting);
  for (const call of calls) await run.call(call);
  await payWithdrawals(machine, header.withdrawals ?? []);
  await rewardMiner(setting);
  const requests = await closeBlock(machine, environment);
  const stateRoot = await machine.state.getStateRoot();
  const block = sealSimulated(header, { ...run, stateRoot, requests });
  return { block, calls: run.results };
}

/** Block reward before the merge. */
async function rewardMiner({ machine, environment }: Setting): Promise<void> {
  const { rules, header } = environment;
  if (rules.gteHardfork("paris")) return;
  const miner = (await machine.state.getAccount(header.coinbase)) ?? new Account();
  miner.balance += rules.param("minerReward");
  await machine.state.putAccount(header.coinbase, miner);
}

class BlockRun {
  readonly transactions: Transaction[] = [];
  readonly receipts: Receipt[] = [];
  readonly results: SimulatedCall[] = [];
  readonly #simulator: Simulator;
  readonly #setting: Setting;
  readonly #logs: TransferLogs;
  #gasUsed = 0n;

  constructor(simulator: Simulator, setting: Setting) {
    this.#simulator = simulator;
    this.#setting = setting;
    this.#logs = new TransferLogs(simulator.simulation.traceTransfers);
  }

  async call(request: CallRequest): Promise<void> {
    const { chain, simulation } = this.#simulator;
    expectChain(request, chain.chainId);
    const message = await this.#message(request);
    const outcome = await this.#apply(message, simulation.validation);
    const logs = this.#logs.take();
    const tx = unsignedTransaction(request, message, chain.chainId);
    this.#gasUsed += outcome.gasUsed;
    this.#simulator.gas -= outcome.gasUsed;
    this.transactions.push(tx);
    this.receipts.push(receiptOf(tx, message, outcome, this.#gasUsed));
    this.results.push({ outcome, logs });
  }

  /** By default a call may use the remaining block gas. */
  async #message(request: CallRequest): Promise<Message> {
    const { header } = this.#setting.environment;
    const { gas = header.gasLimit - this.#gasUsed } = request;
    if (this.#gasUsed + gas > header.gasLimit) {
      const reason = `block gas limit reached: ${this.#gasUsed} >= ${header.gasLimit}`;
      throw new RpcError(SIMULATION.blockGasLimit, reason);
    }
    const message = messageOf({ ...request, gas }, this.#simulator.gas, header.baseFeePerGas);
    const nonce = request.nonce ?? (await this.#setting.machine.state.getAccount(message.from))?.nonce ?? 0n;
    return { ...message, nonce };
  }

  async #apply(message: Message, validation: boolean): Promise<ExecutionResult> {
    const stop = observe(this.#setting.machine, this.#logs, this.#simulator.pace);
    try {
      return await applyMessage(this.#setting, message, { isCall: !validation });
    } catch (error) {
      throw coded(error);
    } finally {
      stop();
    }
  }
}

function receiptOf(tx: Transaction, message: Message, outcome: ExecutionResult, cumulativeGasUsed: bigint): Receipt {
  const logs = outcome.logs.map(([address, topics, data], logIndex) => {
    return { address, topics: Buffer.concat(topics), data, logIndex };
  });
  return {
    type: tx.type,
    from: tx.from,
    to: tx.to,
    cumulativeGasUsed: Number(cumulativeGasUsed),
    gasUsed: Number(outcome.gasUsed),
    effectiveGasPrice: uintFromBigInt(message.gasPrice),
    contractAddress: outcome.createdAddress?.bytes ?? null,
    logsBloom: logsBloom(logs),
    logs,
    status: outcome.error === undefined ? 1 : 0,
  };
}

/** The simulation continues after a failed call. */
function presentFailure({ error, returnValue, runState }: ExecutionResult): object {
  if (error === undefined) return {};
  const { code, message, data } = callFailure(error, returnValue, runState);
  const isRevert = error.error === "revert";
  return { error: { message, code: isRevert ? code : SIMULATION.machine, ...(isRevert && { data }) } };
}

export function presentOutcome(outcome: ExecutionResult): object {
  const { error, returnValue, gasUsed, peakGas } = outcome;
  return {
    returnData: error === undefined ? toHex(returnValue) : "0x",
    gasUsed: quantity(gasUsed),
    maxUsedGas: quantity(peakGas),
    status: error === undefined ? "0x1" : "0x0",
    ...presentFailure(outcome),
  };
}
