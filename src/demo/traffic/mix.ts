import type { Intent } from "../intent.ts";
import { arbitrage } from "./arbitrage.ts";
import { postBlobs } from "./blobs.ts";
import { sendCoins, wrapCoins } from "./coins.ts";
import { approveAll, mintPiece, movePiece } from "./collectibles.ts";
import { createToken, createWallet } from "./creations.ts";
import { fail } from "./failures.ts";
import { mintItems, moveItems } from "./items.ts";
import { addV2, removeV2 } from "./liquidityV2.ts";
import { addV3, removeV3 } from "./liquidityV3.ts";
import { hopV2, swapV2 } from "./swapV2.ts";
import { hopV3, swapV3 } from "./swapV3.ts";
import { approveTokens, sendTokens } from "./tokens.ts";
import type { Activity, TrafficContext } from "./trafficContext.ts";
import { delegate, useWallet } from "./wallets.ts";

interface Kind {
  readonly name: string;
  /** In thousandths. */
  readonly weight: number;
  readonly act: Activity;
}

export const KINDS: readonly Kind[] = [
  { name: "coin transfer", weight: 200, act: sendCoins },
  { name: "wrap or unwrap", weight: 35, act: wrapCoins },
  { name: "token transfer", weight: 222, act: sendTokens },
  { name: "token approval", weight: 25, act: approveTokens },
  { name: "V2 swap", weight: 125, act: swapV2 },
  { name: "V2 swap over two pairs", weight: 35, act: hopV2 },
  { name: "V3 swap", weight: 95, act: swapV3 },
  { name: "V3 swap over two pools", weight: 18, act: hopV3 },
  { name: "arbitrage", weight: 60, act: arbitrage },
  { name: "V2 liquidity added", weight: 16, act: addV2 },
  { name: "V2 liquidity removed", weight: 12, act: removeV2 },
  { name: "V3 liquidity added", weight: 12, act: addV3 },
  { name: "V3 liquidity removed", weight: 14, act: removeV3 },
  { name: "ERC-721 mint", weight: 16, act: mintPiece },
  { name: "ERC-721 transfer", weight: 20, act: movePiece },
  { name: "approval for all", weight: 6, act: approveAll },
  { name: "ERC-1155 mint", weight: 7, act: mintItems },
  { name: "ERC-1155 transfer", weight: 15, act: moveItems },
  { name: "wallet deployment", weight: 13, act: createWallet },
  { name: "token deployment", weight: 4, act: createToken },
  { name: "wallet call", weight: 14, act: useWallet },
  { name: "EIP-7702 delegation", weight: 4, act: delegate },
  { name: "blob transaction", weight: 6, act: postBlobs },
  { name: "failed transaction", weight: 26, act: fail },
];

const COUNTS = [
  { weight: 55, acts: 1 },
  { weight: 30, acts: 2 },
  { weight: 15, acts: 3 },
];

/** Usually one act, sometimes a few by different accounts. */
export async function compose(context: TrafficContext): Promise<Intent[]> {
  const intents: Intent[] = [];
  for (let left = context.random.pickWeighted(COUNTS).acts; left > 0; left--) {
    const chosen = await context.random.pickWeighted(KINDS).act(context);
    intents.push(...(chosen.length > 0 ? chosen : await sendCoins(context)));
  }
  return withoutConflict(intents);
}

function withoutConflict(intents: readonly Intent[]): Intent[] {
  const blobs = intents.filter(({ sidecar }) => sidecar !== undefined);
  return intents.filter((intent) => intent.sidecar === undefined || intent === blobs[0]);
}
