import type { BlobBook } from "../store/blobBook.ts";
import type { Store } from "../store/store.ts";
import type { Activity } from "./activity.ts";
import type { Abis } from "./decode/abis.ts";
import type { Decoder } from "./decode/decoder.ts";
import type { HeadWatch } from "./headWatch.ts";
import type { ReadThrough } from "./readThrough.ts";
import type { ChainStats } from "./rest/chainStats.ts";
import type { AppSettings } from "./settings.ts";
import type { ToldBalances } from "./toldBalances.ts";
import type { ToldCreations } from "./toldCreations.ts";
import type { ToldState } from "./toldState.ts";
import type { ToldTraces } from "./toldTraces.ts";

/** What every handler works with. */
export interface Context {
  readonly store: Store;
  readonly settings: AppSettings;
  readonly stats: ChainStats;
  readonly activity: Activity;
  /** Undefined where no node is at hand: what the index does not hold is then not found. */
  readonly head: HeadWatch | undefined;
  readonly readThrough: ReadThrough | undefined;
  readonly toldBalances: ToldBalances | undefined;
  readonly toldState: ToldState | undefined;
  readonly toldTraces: ToldTraces | undefined;
  readonly toldCreations: ToldCreations | undefined;
  readonly decoder: Decoder;
  readonly abis: Abis | undefined;
  /** The blobs that were kept beside the index. */
  readonly blobs: Pick<BlobBook, "read"> | undefined;
}
