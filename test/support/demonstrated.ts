import assert from "node:assert/strict";
import { toHex } from "../../src/chain/encoding/hex.ts";
import type { DemonstrationOptions } from "../../src/demo/demonstration.ts";
import { Demonstration } from "../../src/demo/demonstration.ts";
import { verifyProofs } from "../../src/node/blobs/verifyProofs.ts";
import type { NodeOptions } from "../../src/node/node.ts";
import { DevelopmentNode } from "./developmentNode.ts";

/** How many blocks the scene of the testnet takes: a past of that many has nothing else. */
export const SCENE_BLOCKS = 41;

export interface Demonstrated {
  readonly node: DevelopmentNode;
  readonly demonstration: Demonstration;
  readonly errors: Error[];
  headHash(): string;
}

/** A chain in memory, or in a directory, with the demonstration of a network to be built on it. */
export async function demonstrated(
  options: Partial<DemonstrationOptions> = {},
  nodeOptions: Partial<NodeOptions> = {},
): Promise<Demonstrated> {
  const { network = "testnet" } = options;
  const node = await DevelopmentNode.open({
    funded: Demonstration.funded(network),
    kzg: { verify: async (sidecar) => verifyProofs(sidecar) },
    ...nodeOptions,
  });
  const errors: Error[] = [];
  const onError = (error: unknown) => errors.push(error as Error);
  const opened = await Demonstration.open(node.node, {
    network,
    blocks: SCENE_BLOCKS,
    onError,
    onEnd: () => {},
    ...options,
  });
  assert.ok("demonstration" in opened, JSON.stringify(opened));
  const headHash = () => toHex(node.node.context.chain.head.header.hash);
  return { node, demonstration: opened.demonstration, errors, headHash };
}
