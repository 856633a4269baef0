import type { Block as LibraryBlock } from "@ethereumjs/block";
import type { RunTxResult } from "@ethereumjs/vm";
import type { Hex } from "../../../chain/encoding/hex.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import { JsonText } from "../../../jsonrpc/envelope.ts";
import { RPC, RpcError } from "../../../jsonrpc/rpcError.ts";
import { itemAt } from "../../../std/values.ts";
import type { MinedBlock } from "../../block/minedBlock.ts";
import { runTransaction } from "../../block/runTransaction.ts";
import { openBlock } from "../../block/systemCalls.ts";
import type { SignedTransaction } from "../../block/toTransaction.ts";
import { decodeSigned } from "../../block/toTransaction.ts";
import type { Chain } from "../../chain.ts";
import { keepPace } from "../../machine/instructions.ts";
import { Pace } from "../../state/pace.ts";
import type { Setting } from "../applyMessage.ts";
import { environmentOf } from "../environment.ts";
import { observe } from "./observe.ts";
import type { TraceConfig } from "./traceConfig.ts";
import type { Beginning, TransactionLocation } from "./tracer.ts";
import { TraceSize } from "./traceSize.ts";

export interface TransactionTrace {
  readonly txHash: Hex;
  readonly result: unknown;
}

/** Re-executes a block up to a transaction and traces it. */
export async function traceTransaction(
  chain: Chain,
  block: MinedBlock,
  position: number,
  config: TraceConfig,
): Promise<unknown> {
  const pace = await Pace.begin(config.milliseconds);
  const setting = await openReplay(chain, block);
  keepPace(setting.machine, pace);
  for (let before = 0; before < position; before++) await run(setting, transactionAt(setting, block, before));
  return traceOne(setting, transactionAt(setting, block, position), config, placeOf(block, position));
}

/** Re-executes a block and traces every transaction. */
export async function traceBlock(chain: Chain, block: MinedBlock, config: TraceConfig): Promise<TransactionTrace[]> {
  const setting = await openReplay(chain, block);
  const results: TransactionTrace[] = [];
  const size = new TraceSize();
  for (const [position, { hash }] of block.transactions.entries()) {
    const tx = transactionAt(setting, block, position);
    const result = await traceOne(setting, tx, config, placeOf(block, position));
    if (result instanceof JsonText) size.add(result.text.length);
    results.push({ txHash: toHex(hash), result });
  }
  return results;
}

function transactionAt({ environment }: Setting, block: MinedBlock, position: number): SignedTransaction {
  return decodeSigned(itemAt(block.raw, position), environment.rules, itemAt(block.transactions, position).from);
}

async function openReplay(chain: Chain, { header }: MinedBlock): Promise<Setting> {
  if (header.number === 0) throw new RpcError(RPC.server, "genesis is not traceable");
  const environment = environmentOf(header, chain.rules);
  const parent = chain.expectBlock(header.number - 1);
  const machine = await chain.machineAfter(parent, { rules: environment.rules });
  await openBlock(machine, environment, header);
  return { machine, environment };
}

function placeOf({ header, transactions }: MinedBlock, position: number): TransactionLocation {
  return {
    blockHash: toHex(header.hash),
    blockNumber: header.number,
    transactionHash: toHex(itemAt(transactions, position).hash),
    transactionPosition: position,
  };
}

async function traceOne(
  setting: Setting,
  tx: SignedTransaction,
  config: TraceConfig,
  place: TransactionLocation,
): Promise<unknown> {
  const { machine, environment } = setting;
  const tracer = config.tracer();
  const { from, to, gas, authorizationList } = messageOf(tx);
  await tracer.begin?.({ ...beginningOf(setting, { from, to, gas, authorizationList }), place });
  const stop = observe(machine, tracer, new Pace(config.milliseconds));
  try {
    const { totalGasSpent } = await run({ machine, environment }, tx);
    await tracer.end?.(totalGasSpent);
  } finally {
    stop();
  }
  return tracer.result();
}

function messageOf({ runnable, transaction }: SignedTransaction): Beginning["message"] {
  return {
    from: runnable.getSenderAddress(),
    to: runnable.to,
    gas: runnable.gasLimit,
    authorizationList: transaction.authorizationList,
  };
}

export function beginningOf({ machine, environment }: Setting, message: Beginning["message"]): Beginning {
  const evm = machine.evm;
  return {
    message,
    state: machine.state,
    coinbase: environment.header.coinbase,
    isPrecompile: (address) => evm.getPrecompile(address) !== undefined,
  };
}

function run({ machine, environment }: Setting, tx: SignedTransaction): Promise<RunTxResult> {
  return runTransaction(machine, {
    tx: tx.runnable,
    // The library reads only these header fields.
    block: environment as unknown as LibraryBlock,
    blockGasUsed: 0n,
    skipHardForkValidation: true,
    skipBlockGasLimitValidation: true,
  });
}
