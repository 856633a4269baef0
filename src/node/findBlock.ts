import type { MinedBlock } from "./block/minedBlock.ts";
import { expectMined, isPending, minedBlock, notFound } from "./blockIds.ts";
import type { Context } from "./context.ts";
import type { BlockId } from "./params/blockParams.ts";
import type { WorldState } from "./state/worldState.ts";

/** The block with this name. The pending one is made for whoever asks. */
export async function findBlock(context: Context, id: BlockId): Promise<MinedBlock | undefined> {
  return isPending(id) ? (await context.pending()).block : minedBlock(context.chain, id);
}

/** The block with this name, which must exist. */
export async function expectBlock(context: Context, id: BlockId): Promise<MinedBlock> {
  return (await findBlock(context, id)) ?? notFound(id);
}

/** The accounts, code and slots after the block with this name, to be read. */
export async function stateAt(context: Context, id: BlockId): Promise<WorldState> {
  if (isPending(id)) return (await context.pending()).machine.state;
  return context.chain.stateAfter(expectMined(context.chain, id));
}
