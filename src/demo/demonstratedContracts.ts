import { Address } from "@ethereumjs/util";
import type { Bytes } from "../chain/encoding/bytes.ts";
import type { Hex } from "../chain/encoding/hex.ts";
import { fromHex } from "../chain/encoding/hex.ts";
import type { Chain } from "../node/chain.ts";
import type { VerifiedOutcome } from "../verify/verification.ts";
import { readUnsourced } from "./artifacts.ts";
import type { Scene } from "./scene/scene.ts";
import { verifiedScene } from "./verifiedScene.ts";

export interface DemonstratedContract {
  readonly address: Bytes;
  readonly code: Bytes;
  readonly license: string;
  readonly outcome: VerifiedOutcome;
}

/** Facts about a demonstration's contracts that need no compiler. */
export interface DemonstratedContracts {
  readonly verified: readonly DemonstratedContract[];
  /** Artifacts of contracts whose sources are not published with them, as JSON. */
  readonly artifacts: readonly string[];
  /** Names of accounts and of contracts that the index does not name. */
  readonly labels: ReadonlyMap<Hex, string>;
}

export async function readDemonstratedContracts(chain: Chain, scene: Scene): Promise<DemonstratedContracts> {
  const state = chain.stateAfter(chain.head);
  const verified: DemonstratedContract[] = [];
  for (const { address, license, outcome } of verifiedScene(scene)) {
    const code = await state.getCode(new Address(fromHex(address)));
    if (code.length > 0) verified.push({ address: fromHex(address), code, license, outcome });
  }
  return { verified, artifacts: readUnsourced(), labels: labelsOf(scene) };
}

function labelsOf({ actors, addresses: { v2, v3, factory } }: Scene): Map<Hex, string> {
  const people = actors.all.map(
    ({ name, address }) => [address, `${name.charAt(0).toUpperCase()}${name.slice(1)}`] as const,
  );
  return new Map([
    ...people,
    [v2.router, "Uniswap V2 router"],
    [v3.router, "Uniswap V3 router"],
    [v3.quoter, "Uniswap V3 quoter"],
    [v3.positions, "Uniswap V3 positions"],
    [factory, "Factory of wallets"],
  ]);
}
