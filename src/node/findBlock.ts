import type { MinedBlock } from "./block/minedBlock.ts";
import { expectMined, isPending, minedBlock, notFound } from "./blockIds.ts";
import type { Context } from "./context.ts";
import type { BlockId } from "./params/blockParams.ts";
import type { WorldState } from "./state/worldState.ts";

/** The pending block is built on demand. */
export async function findBlock(context: Context, id: BlockId): Promise<MinedBlock | undefined> {
  return isPending(id) ? (await context.pending()).block : minedBlock(context.chain, id);
}

export async function expectBlock(context: Context, id: BlockId): Promise<MinedBlock> {
  return (await findBlock(context, id)) ?? notFound(id);
}

export async function stateAt(context: Context, id: BlockId): Promise<WorldState> {
  if (isPending(id)) return (await context.pending()).machine.state;
  return context.chain.stateAfter(expectMined(context.chain, id));
}
