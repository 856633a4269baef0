import type { Header } from "../../../chain/block/header.ts";
import { locationOf, logJson } from "../../../chain/block/json.ts";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { quantity, toHex } from "../../../chain/encoding/hex.ts";
import { itemAt } from "../../../std/values.ts";
import type { MinedBlock } from "../../block/minedBlock.ts";
import { isPending } from "../../blockIds.ts";
import type { Context } from "../../context.ts";
import { expectBlock } from "../../findBlock.ts";
import { keepPace } from "../../machine/instructions.ts";
import type { Machine } from "../../machine/machine.ts";
import { openMachine } from "../../machine/machine.ts";
import type { BlockId } from "../../params/blockParams.ts";
import { presentBlock } from "../../present.ts";
import { Pace } from "../../state/pace.ts";
import type { Environment } from "../environment.ts";
import { environmentOf } from "../environment.ts";
import { limitsOf, setBlockHashLookup } from "../setting.ts";
import { arrange } from "./arrange.ts";
import { beginHeader } from "./sealSimulated.ts";
import type { SimulatedCall, Simulator } from "./simulateBlock.ts";
import { presentOutcome, simulateBlock } from "./simulateBlock.ts";
import type { Simulation } from "./simulation.ts";

export async function simulate(context: Context, simulation: Simulation, id: BlockId): Promise<unknown[]> {
  const { chain } = context;
  const limits = limitsOf(context);
  const pace = await Pace.begin(limits.milliseconds);
  const pending = isPending(id) ? await context.pending() : undefined;
  const base = pending?.block ?? (await expectBlock(context, id));
  const arranged = arrange(simulation.blocks, base.header);
  const simulator: Simulator = { chain: chain.rules, simulation, pace, gas: limits.gas };
  let machine = pending?.machine ?? (await chain.machineAfter(base));
  let parent: Header = base.header;
  const hashes = new Map<number, Bytes>([[parent.number, parent.hash]]);
  const hashOf = (number: number) => hashes.get(number) ?? chain.database.hashOf(number);
  const results: unknown[] = [];
  for (const each of arranged) {
    const header = beginHeader(parent, each, chain.rules, simulation.validation);
    const environment = environmentOf(header, chain.rules, blobBaseFee(each.block.blobBaseFee));
    machine = await machineFor(machine, environment, hashOf);
    keepPace(machine, simulator.pace);
    await simulator.pace.check();
    const { block, calls } = await simulateBlock(simulator, { machine, environment }, header, each);
    parent = block.header;
    hashes.set(parent.number, parent.hash);
    results.push(present(block, calls, simulation.returnFullTransactions));
  }
  return results;
}

function blobBaseFee(fee: bigint | undefined): { readonly blobBaseFee?: bigint } {
  return fee === undefined ? {} : { blobBaseFee: fee };
}

/** Rules may change per block and moved precompiles are reset; the state continues. */
async function machineFor(
  { state, nodes }: Machine,
  { rules }: Environment,
  hashOf: (number: number) => Bytes | undefined,
): Promise<Machine> {
  const machine = await openMachine(state, nodes, rules, hashOf);
  setBlockHashLookup(machine, hashOf);
  return machine;
}

function present(block: MinedBlock, calls: readonly SimulatedCall[], isFull: boolean): unknown {
  const location = locationOf(block.header);
  return {
    ...presentBlock(block, isFull),
    calls: calls.map(({ outcome, logs }, index) => {
      const transactionHash = toHex(itemAt(block.transactions, index).hash);
      const logLocation = { ...location, transactionHash, transactionIndex: quantity(index) };
      return { ...presentOutcome(outcome), logs: logs.map((log) => logJson(log, logLocation)) };
    }),
  };
}
