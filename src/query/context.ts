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
import { KeptMetadata, NO_DOCUMENTS } from "./itemMetadata.ts";
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

/** What every query works with: the index of a network, its node, and what is known of its contracts. */
export interface QueryContext {
  readonly store: StoreReader;
  /** Undefined where no node is at hand: what the index does not hold is then not found. */
  readonly node: NodeReads | undefined;
  readonly decoder: Decoder;
  readonly abis: Abis | undefined;
  /** The sources of verified contracts. */
  readonly sources: Sources | undefined;
  /** The blobs that were kept beside the index. */
  readonly blobs: Pick<BlobStore, "read"> | undefined;
  /** What the URIs of tokens lead to. */
  readonly documents: MetadataDocuments;
  /** What contracts said of their items of late. */
  readonly metadata: KeptMetadata;
  readonly stats: ChainStats;
  readonly activity: Activity;
  readonly exchange: Exchange;
  /** The chain's blob base fee update fraction (EIP-4844). */
  readonly blobUpdateFraction: number;
  /** What the chain pays the miner of each block beside the fees, in wei. */
  readonly blockReward: bigint;
}

/** The sources that are known of contracts. */
export interface Sources {
  /** All contracts that a source was verified for. */
  readonly verifiedContracts: Pick<VerifiedContracts, "size" | "has" | "newestFirst" | "find">;
  /** That of a contract with some code, or of another contract with such code. */
  sourceOf(address: Bytes, code: Bytes): Promise<FoundSource | undefined>;
  /** Newest first. */
  verified(window: SourceWindow): Promise<readonly ListedSource[]>;
  /** Those with some ids in full, in this order. */
  verifiedSources(ids: readonly number[]): Promise<readonly VerifiedSource[]>;
  /** How many contracts were verified from a time on, in seconds since 1970. */
  countVerified(from: number): Promise<number>;
  /** Those of some contracts, in any order. */
  verifiedAmong(addresses: readonly Bytes[]): Promise<readonly ListedSource[]>;
  /** Why the newest source that was sent for a contract was not verified; undefined where it was, or none was. */
  lastFailure(address: Bytes): Promise<string | undefined>;
}

/** What the node is asked for. */
export interface NodeReads {
  /** Its state may change without a block. */
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
  /** Without a node, what the index does not hold is not found. */
  readonly source?: Source | undefined;
  /** Without them signatures are the well-known ones and those that bytecode shows. */
  readonly abis?: Abis | undefined;
  /** Without them no contract is verified. */
  readonly sources?: Sources | undefined;
  /** Without them blobs are those that the node keeps. */
  readonly blobs?: Pick<BlobStore, "read"> | undefined;
  /** Without them no URI of a token is followed. */
  readonly documents?: MetadataDocuments | undefined;
  /** Milliseconds that a result waits for what the node says to decode it. */
  readonly patience?: number | undefined;
  /** What the threads do that index and answer; without it nothing is known of them. */
  readonly activity?: Activity | undefined;
  /** Without them no exchange is known by name, and nothing has a price. */
  readonly exchange?: ExchangeSettings | undefined;
  /** EIP-4844's own without it. */
  readonly blobUpdateFraction?: number | undefined;
  /** 0 without it. */
  readonly blockReward?: bigint | undefined;
  /** What could not be used to decode, and why. */
  readonly onTrouble?: (what: string, reason: string) => void;
}

/** EIP-4844's own fraction: the networks of the specification keep it. */
const BLOB_UPDATE_FRACTION = 3_338_477;

/** Opens what queries work with. Its decoder is closed by whoever opened it. */
export function openQueryContext(options: QueryOptions): QueryContext {
  const { store, source, abis, sources, blobs, patience, activity = new Activity(), onTrouble = () => {} } = options;
  const node = source && readsOf(source, store);
  const decoder = new Decoder({ nodeState: node?.state, abis, deadline: patience, onTrouble });
  const { blobUpdateFraction = BLOB_UPDATE_FRACTION, blockReward = 0n } = options;
  const exchange = new Exchange(store, options.exchange ?? NO_EXCHANGES);
  return {
    store,
    node,
    decoder,
    abis,
    sources,
    blobs,
    documents: options.documents ?? NO_DOCUMENTS,
    metadata: new KeptMetadata(),
    stats: chainStats(store),
    activity,
    exchange,
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
