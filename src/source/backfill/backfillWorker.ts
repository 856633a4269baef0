import { parentPort, workerData } from "node:worker_threads";
import type { ErrorCode } from "../../chain/error.ts";
import { asChainError } from "../../chain/error.ts";
import type { PoolMemberOptions } from "../pool/openPool.ts";
import { openPool } from "../pool/openPool.ts";
import type { PackedBlock } from "./packedBlock.ts";
import { packBlock } from "./packedBlock.ts";

export type BackfillWorkerData = Pick<PoolMemberOptions, "chainId" | "authoritative" | "quorum"> & {
  readonly urls: readonly string[];
};

export interface BackfillRequest {
  readonly id: number;
  readonly from: number;
  readonly count: number;
}

export type BackfillMessage =
  | { readonly id: number; readonly blocks: readonly PackedBlock[] }
  | { readonly id: number; readonly failure: { readonly code: ErrorCode; readonly message: string } }
  | { readonly at: number; readonly distrust: string | undefined };

const { urls, ...options } = workerData as BackfillWorkerData;

const post = (message: BackfillMessage, transferred: ArrayBuffer[] = []) =>
  parentPort!.postMessage(message, transferred);

const pool = openPool(urls, { ...options, onTrust: (at, distrust) => post({ at, distrust }) });

/** Thread entry point: fetches, decodes and vets ranges of blocks. */
parentPort!.on("message", ({ id, from, count }: BackfillRequest) => {
  pool.blocks(from, count).then(
    (found) => {
      const blocks = found.map(packBlock);
      post(
        { id, blocks },
        blocks.filter((block) => block instanceof ArrayBuffer),
      );
    },
    (error: unknown) => {
      const { code, message } = asChainError(error);
      post({ id, failure: { code, message } });
    },
  );
});
