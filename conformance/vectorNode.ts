import { readFileSync } from "node:fs";
import { join } from "node:path";
import { RLP } from "@ethereumjs/rlp";
import { toHex } from "../src/chain/encoding/hex.ts";
import { VERSION } from "../src/cli/version.ts";
import { verifyProofs } from "../src/node/blobs/verifyProofs.ts";
import type { Genesis } from "../src/node/genesis.ts";
import { Node } from "../src/node/node.ts";

interface ForkChoice {
  readonly params: readonly [
    { readonly headBlockHash: string; readonly safeBlockHash: string; readonly finalizedBlockHash: string },
  ];
}

/** A node on the chain of the vectors, which must end at the head they name. It makes no blocks of its own. */
export async function openVectorNode(folder: string): Promise<Node> {
  const read = (name: string) => readFileSync(join(folder, name));
  const genesis = JSON.parse(read("genesis.json").toString()) as Genesis;
  const node = await Node.open({
    directory: undefined,
    chainId: genesis.config.chainId,
    blockTime: 0,
    accounts: 0,
    mnemonic: "test test test test test test test test test test test junk",
    gasLimit: 0,
    kzg: { verify: async (sidecar) => verifyProofs(sidecar) },
    version: VERSION,
    genesis,
    acceptsCellProofs: true,
    mines: false,
    onError: (error) => console.error(error),
  });
  const { chain } = node.context;
  for (let rest: Uint8Array = read("chain.rlp"); rest.length > 0; ) {
    const { remainder } = RLP.decode(rest, true);
    await chain.import(rest.subarray(0, rest.length - remainder.length));
    rest = remainder;
  }
  const [choice] = (JSON.parse(read("headfcu.json").toString()) as ForkChoice).params;
  const head = toHex(chain.head.header.hash);
  if (head !== choice.headBlockHash) throw new Error(`the chain ends at ${head}, not at ${choice.headBlockHash}`);
  const numberOf = (hash: string) => chain.blockOf(Buffer.from(hash.slice(2), "hex"))!.header.number;
  chain.settle(numberOf(choice.safeBlockHash), numberOf(choice.finalizedBlockHash));
  return node;
}
