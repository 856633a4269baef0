import { storeUrlOf } from "../config.ts";
import { ContractStore } from "../store/contracts/contractStore.ts";
import { describeUrl } from "../store/engine/databases.ts";
import type { Target } from "./networks.ts";

export interface OpenContracts {
  /** Prefix of output lines; empty for a single network. */
  readonly label: string;
  readonly contracts: ContractStore;
}

/** Opens those of all networks, or of those that have any. Safe while a server is running. */
export async function withContracts(
  targets: readonly Target[],
  work: (opened: readonly OpenContracts[]) => Promise<void>,
  { areMade }: { readonly areMade: boolean },
): Promise<void> {
  await using open = new AsyncDisposableStack();
  const exist = await Promise.all(targets.map(({ settings }) => ContractStore.exists(storeUrlOf(settings))));
  const wanted = targets.filter((_, at) => areMade || exist[at]);
  const opened: OpenContracts[] = [];
  for (const target of wanted) {
    const contracts = open.adopt(await ContractStore.open(storeUrlOf(target.settings)), (store) => store.close());
    opened.push({ label: wanted.length === 1 ? "" : `${nameOf(target)}: `, contracts });
  }
  await work(opened);
}

const nameOf = ({ name, settings }: Target) => name ?? describeUrl(storeUrlOf(settings));
