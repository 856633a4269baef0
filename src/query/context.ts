import type { Activity } from "./activity.ts";
import type { Abis } from "./decode/abis.ts";
import type { Decoder } from "./decode/decoder.ts";
import type { ContractCreators } from "./node/contractCreators.ts";
import type { HeadWatch } from "./node/headWatch.ts";
import type { NodeBalances } from "./node/nodeBalances.ts";
import type { NodeState } from "./node/nodeState.ts";
import type { ReadThrough } from "./node/readThrough.ts";
import type { TraceFailures } from "./node/traceFailures.ts";
import type { ChainStats } from "./stats/chainStats.ts";
import type { BlobBook } from "../store/blobBook.ts";
import type { Store } from "../store/store.ts";
import type { AppSettings } from "../api/settings.ts";

/** What every handler works with. */
export interface Context {
  readonly store: Store;
  readonly settings: AppSettings;
  readonly stats: ChainStats;
  readonly activity: Activity;
  /** Undefined where no node is at hand: what the index does not hold is then not found. */
  readonly head: HeadWatch | undefined;
  readonly readThrough: ReadThrough | undefined;
  readonly nodeBalances: NodeBalances | undefined;
  readonly nodeState: NodeState | undefined;
  readonly traceFailures: TraceFailures | undefined;
  readonly contractCreators: ContractCreators | undefined;
  readonly decoder: Decoder;
  readonly abis: Abis | undefined;
  /** The blobs that were kept beside the index. */
  readonly blobs: Pick<BlobBook, "read"> | undefined;
}
