import type { Bytes } from "../chain/encoding/bytes.ts";
import type { Source } from "../chain/source.ts";
import type { BlobStore } from "../store/blobStore.ts";
import type { FoundSource, ListedSource, SourceWindow, VerifiedSource } from "../store/contracts/sources.ts";
import type { VerifiedContracts } from "../store/contracts/verifiedContracts.ts";
import type { StoreReader } from "../store/storeReader.ts";
import { Activity } from "./activity.ts";
import type { Abis } from "./decode/abis.ts";
import { Decoder } from "./decode/decoder.ts";
import { Exchange } from "./exchange/exchange.ts";
import type { ExchangeSettings } from "./exchange/exchangeSettings.ts";
import { NO_EXCHANGES } from "./exchange/exchangeSettings.ts";
import type { MetadataDocuments } from "./itemMetadata.ts";
import { CachedMetadata, NO_DOCUMENTS } from "./itemMetadata.ts";
import type { Labels } from "./names/addressNames.ts";
import { AddressNames } from "./names/addressNames.ts";
import { AuthorityStates } from "./node/authorityStates.ts";
import { ContractCalls } from "./node/contractCalls.ts";
import { ContractCreators } from "./node/contractCreators.ts";
import { HeadWatch } from "./node/headWatch.ts";
import { NodeBalances } from "./node/nodeBalances.ts";
import { NodeState } from "./node/nodeState.ts";
import { PendingTransactions } from "./node/pendingTransactions.ts";
import { ReadThrough } from "./node/readThrough.ts";
import { TraceFailures } from "./node/traceFailures.ts";
import { TransactionTraces } from "./node/transactionTraces.ts";
import { AccountRanking } from "./ranking/accountRanking.ts";
import type { ChainStats } from "./stats/chainStats.ts";
import { chainStats } from "./stats/chainStats.ts";

export interface QueryContext {
  readonly store: StoreReader;
  /** Undefined without a node: data beyond the index is not found. */
  readonly node: NodeReads | undefined;
  readonly decoder: Decoder;
  readonly abis: Abis | undefined;
  readonly sources: Sources | undefined;
  readonly blobs: Pick<BlobStore, "read"> | undefined;
  readonly documents: MetadataDocuments;
  readonly metadata: CachedMetadata;
  readonly stats: ChainStats;
  readonly activity: Activity;
  readonly exchange: Exchange;
  readonly names: AddressNames;
  /** Blob base fee update fraction (EIP-4844). */
  readonly blobUpdateFraction: number;
  /** Block subsidy in wei. */
  readonly blockReward: bigint;
}

export interface Sources {
  readonly verifiedContracts: Pick<VerifiedContracts, "size" | "has" | "newestFirst" | "find">;
  /** By address, or by equal code of another contract. */
  sourceOf(address: Bytes, code: Bytes): Promise<FoundSource | undefined>;
  verified(window: SourceWindow): Promise<readonly ListedSource[]>;
  verifiedSources(ids: readonly number[]): Promise<readonly VerifiedSource[]>;
  countVerified(from: number): Promise<number>;
  /** In any order. */
  verifiedAmong(addresses: readonly Bytes[]): Promise<readonly ListedSource[]>;
  /** The operator's names of addresses. */
  readonly labels: ReturnType<Labels>;
  /** Why the last submission failed; undefined if it was verified or there was none. */
  lastFailure(address: Bytes): Promise<string | undefined>;
}

interface NodeReads {
  readonly isDevelopment: boolean;
  readonly head: HeadWatch;
  readonly readThrough: ReadThrough;
  readonly balances: NodeBalances;
  readonly state: NodeState;
  readonly traces: TraceFailures;
  readonly pending: PendingTransactions;
  readonly calls: ContractCalls;
  readonly creators: ContractCreators;
  readonly transactionTraces: TransactionTraces;
  readonly authorityStates: AuthorityStates;
  readonly accounts: AccountRanking;
}

export interface QueryOptions {
  readonly store: StoreReader;
  /** Without a node, data beyond the index is not found. */
  readonly source?: Source | undefined;
  /** Without them only well-known and recovered signatures are used. */
  readonly abis?: Abis | undefined;
  /** Without them no contract is verified. */
  readonly sources?: Sources | undefined;
  /** Without an archive, blobs are fetched from the node. */
  readonly blobs?: Pick<BlobStore, "read"> | undefined;
  /** Without them token URIs are not followed. */
  readonly documents?: MetadataDocuments | undefined;
  /** Milliseconds that a result waits for decoding data from the node. */
  readonly timeout?: number | undefined;
  /** Undefined if thread states are unknown. */
  readonly activity?: Activity | undefined;
  /** Without it no exchange has a name and nothing has a price. */
  readonly exchange?: ExchangeSettings | undefined;
  readonly blobUpdateFraction?: number | undefined;
  readonly blockReward?: bigint | undefined;
  readonly onError?: (what: string, reason: string) => void;
}

const NO_LABELS: ReturnType<Labels> = new Map();

/** EIP-4844's value, which the specification's networks keep. */
const BLOB_UPDATE_FRACTION = 3_338_477;

export function openQueryContext(options: QueryOptions): QueryContext {
  const { store, source, abis, sources, blobs, timeout, activity = new Activity(), onError = () => {} } = options;
  const node = source && readsOf(source, store);
  const decoder = new Decoder({ nodeState: node?.state, abis, deadline: timeout, onError });
  const { blobUpdateFraction = BLOB_UPDATE_FRACTION, blockReward = 0n } = options;
  const exchange = new Exchange(store, options.exchange ?? NO_EXCHANGES);
  const names = new AddressNames(store, exchange, () => sources?.labels ?? NO_LABELS);
  store.nameWith(names);
  return {
    store,
    node,
    decoder,
    abis,
    sources,
    blobs,
    documents: options.documents ?? NO_DOCUMENTS,
    metadata: new CachedMetadata(),
    stats: chainStats(store),
    activity,
    exchange,
    names,
    blobUpdateFraction,
    blockReward,
  };
}

function readsOf(source: Source, store: StoreReader): NodeReads {
  const head = new HeadWatch(source);
  const readThrough = new ReadThrough(source, head);
  const state = new NodeState(readThrough);
  return {
    isDevelopment: source.authoritative,
    head,
    readThrough,
    balances: new NodeBalances(readThrough),
    state,
    accounts: new AccountRanking(store, state),
    traces: new TraceFailures(readThrough),
    pending: new PendingTransactions(readThrough),
    calls: new ContractCalls(readThrough),
    creators: new ContractCreators(readThrough, store),
    authorityStates: new AuthorityStates(readThrough),
    transactionTraces: new TransactionTraces(readThrough),
  };
}
