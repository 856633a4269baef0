import type { Sidecar } from "../../../chain/block/sidecar.ts";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { equalBytes } from "../../../chain/encoding/bytes.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import { versionedHash } from "../../../chain/hashing/versionedHash.ts";
import { defined, itemAt } from "../../../std/values.ts";
import { decodeSidecar, decodeSidecarHead } from "../../blobs/encodeSidecar.ts";
import type { SidecarRecord } from "../../blobs/presentSidecar.ts";
import { presentSidecar } from "../../blobs/presentSidecar.ts";
import type { MinedBlock } from "../../block/minedBlock.ts";
import { isPending, minedBlock } from "../../blockIds.ts";
import type { Chain } from "../../chain.ts";
import { requiredBlockId } from "../../params/blockParams.ts";
import { expectAtMost, flagParam, hashParam } from "../../params/params.ts";
import { Pace, READ_TIME } from "../../state/pace.ts";
import type { Methods } from "../methods.ts";

/** bsc's blob methods. Missing records are null. */
export const blobMethods: Methods = {
  eth_getBlobSidecars: ({ chain }, params) => {
    expectAtMost(params, 2);
    const id = requiredBlockId(params, 0);
    const isFull = flagParam(params, 1, true);
    const block = isPending(id) ? undefined : minedBlock(chain, id);
    if (block === undefined) return null;
    const heads = chain.database.sidecarHeads(block.header.number);
    return heads.map(({ position }) => sidecarAt(chain, block, position, isFull));
  },
  eth_getBlobSidecarByTxHash: ({ chain }, params) => {
    expectAtMost(params, 2);
    const hash = hashParam(params, 0);
    const isFull = flagParam(params, 1, true);
    const mined = chain.transaction(hash);
    return mined === undefined ? null : sidecarAt(chain, mined.block, mined.position, isFull);
  },
};

/** anvil's blob methods. */
export const archiveMethods: Methods = {
  anvil_getBlobByHash: async ({ chain }, params) => {
    expectAtMost(params, 1);
    return await findBlob(chain, hashParam(params, 0));
  },
  anvil_getBlobsByTransactionHash: ({ chain }, params) => {
    expectAtMost(params, 1);
    const mined = chain.transaction(hashParam(params, 0));
    const sidecar = mined && readFullBody(chain, mined.block.header.number, mined.position);
    return sidecar === undefined ? null : sidecar.blobs.map(toHex);
  },
};

/** Searches all sidecars, newest first. */
async function findBlob(chain: Chain, name: Bytes): Promise<Hex | null> {
  const pace = new Pace(READ_TIME);
  for (const { number, position, head } of chain.database.allSidecarHeads()) {
    const { commitments } = decodeSidecarHead(head);
    const at = commitments.findIndex((commitment) => equalBytes(versionedHash(commitment), name));
    if (at >= 0) return toHex(itemAt(defined(readFullBody(chain, number, position)).blobs, at));
    await pace.check();
  }
  return null;
}

/** Reads blobs only for a full response. */
function sidecarAt(chain: Chain, block: MinedBlock, position: number, isFull: boolean): SidecarRecord | null {
  const { number, hash } = block.header;
  const sidecar = isFull ? readFullBody(chain, number, position) : readHead(chain, number, position);
  if (sidecar === undefined) return null;
  const txHash = itemAt(block.transactions, position).hash;
  return presentSidecar(sidecar, { blockHash: hash, blockNumber: number, txHash, txIndex: position }, isFull);
}

function readFullBody(chain: Chain, number: number, position: number): Sidecar | undefined {
  const stored = chain.database.sidecar(number, position);
  return stored && decodeSidecar(stored);
}

function readHead(chain: Chain, number: number, position: number): Sidecar | undefined {
  const stored = chain.database.sidecarHeads(number).find((row) => row.position === position);
  return stored && decodeSidecarHead(stored.head);
}
