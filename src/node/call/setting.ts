import type { Bytes } from "../../chain/encoding/bytes.ts";
import { isPending } from "../blockIds.ts";
import type { CallLimits, Context } from "../context.ts";
import { expectBlock } from "../findBlock.ts";
import type { Machine } from "../machine/machine.ts";
import type { BlockId } from "../params/blockParams.ts";
import type { Setting } from "./applyMessage.ts";
import type { BlockOverrides } from "./blockOverrides.ts";
import { environmentOf } from "./environment.ts";
import type { AccountOverride } from "./stateOverrides.ts";
import { applyStateOverrides } from "./stateOverrides.ts";

/** geth's defaults. */
const LIMITS: CallLimits = { gas: 50_000_000n, milliseconds: 5000 };

export function limitsOf({ callLimits }: Context): CallLimits {
  return callLimits ?? LIMITS;
}

export interface Overrides {
  readonly state: readonly AccountOverride[];
  readonly block: BlockOverrides;
}

export async function openSetting(context: Context, id: BlockId, overrides: Overrides): Promise<Setting> {
  const { chain } = context;
  const block = isPending(id) ? await context.pendingState() : await expectBlock(context, id);
  const environment = environmentOf(block.header, chain.rules, overrides.block);
  const machine = "machine" in block ? block.machine : await chain.machineAfter(block, { rules: environment.rules });
  setBlockHashLookup(machine, (number) => chain.database.hashOf(number));
  // Keeps changes from the trie.
  await machine.state.checkpoint();
  await applyStateOverrides(machine, overrides.state);
  return { machine, environment };
}

const ZERO_HASH = new Uint8Array(32);

/** BLOCKHASH lookup; zero if unknown. */
export function setBlockHashLookup({ evm }: Machine, hashOf: (number: number) => Bytes | undefined): void {
  evm.blockchain = {
    async getBlock(number: number) {
      const hash = hashOf(number) ?? ZERO_HASH;
      return { hash: () => hash };
    },
    async putBlock() {},
    shallowCopy() {
      return this;
    },
  };
}
