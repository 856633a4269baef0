import type { Actors } from "../actors.ts";
import type { Artifacts } from "../artifacts.ts";
import type { Addresses } from "./addresses.ts";
import { planCollectibles, planWallets } from "./contracts.ts";
import { planV2 } from "./exchangeV2.ts";
import { planV3 } from "./exchangeV3.ts";
import type { PlannedIntent } from "./plan.ts";
import { Plan } from "./plan.ts";
import type { SceneSpec } from "./spec.ts";
import { planTokens } from "./tokens.ts";

export interface Scene {
  readonly spec: SceneSpec;
  readonly actors: Actors;
  readonly artifacts: Artifacts;
  readonly addresses: Addresses;
  readonly blocks: readonly (readonly PlannedIntent[])[];
  /** Transactions the builder sends. */
  readonly builderNonce: number;
}

export function planScene(spec: SceneSpec, actors: Actors, artifacts: Artifacts): Scene {
  const plan = new Plan();
  const tokens = planTokens(plan, spec, actors, artifacts);
  const collectibles = planCollectibles(plan, spec, actors, artifacts);
  const wallets = planWallets(plan, actors, artifacts);
  const v2 = planV2(plan, spec, actors, artifacts, tokens);
  const v3 = planV3(plan, spec, actors, artifacts, tokens);
  const addresses = { ...tokens, ...collectibles, ...wallets, v2, v3 };
  const blocks = plan.blocks.filter(({ length }) => length > 0);
  return { spec, actors, artifacts, addresses, blocks, builderNonce: plan.nonceOf(actors.builder) };
}
