import type { Hex } from "./generated/records.ts";
import type {
  AccessList,
  BlobSidecar,
  BlockTag,
  CallRequest,
  FeeHistory,
  LogFilter,
  Proof,
  RpcBlock,
  RpcLog,
  RpcReceipt,
  RpcTransaction,
  SimulatedBlock,
  SimulationRequest,
  StateOverrides,
} from "./rpcRecords.ts";

interface Method<P extends readonly unknown[], R> {
  readonly params: P;
  readonly result: R;
}

type Syncing = false | Readonly<Record<string, Hex>>;
type Call = readonly [call: CallRequest, block?: BlockTag, overrides?: StateOverrides];
type OfBlock<R> = Method<readonly [block: BlockTag], R>;
type OfHash<R> = Method<readonly [hash: Hex], R>;
type InBlock<R> = Method<readonly [block: BlockTag, index: Hex], R>;
type InHash<R> = Method<readonly [hash: Hex, index: Hex], R>;
type OfAccount<R> = Method<readonly [address: Hex, block?: BlockTag], R>;
type Plain<R> = Method<readonly [], R>;

/** The public methods of JSON-RPC: their parameters and results. */
export interface RpcMethods {
  readonly eth_blockNumber: Plain<Hex>;
  readonly eth_chainId: Plain<Hex>;
  readonly eth_networkId: Plain<string>;
  readonly eth_protocolVersion: Plain<string>;
  readonly eth_syncing: Plain<Syncing>;
  readonly eth_coinbase: Plain<Hex>;
  readonly eth_mining: Plain<boolean>;
  readonly eth_hashrate: Plain<Hex>;
  readonly net_version: Plain<string>;
  readonly net_listening: Plain<boolean>;
  readonly net_peerCount: Plain<Hex>;
  readonly web3_clientVersion: Plain<string>;
  readonly web3_sha3: Method<readonly [data: Hex], Hex>;
  readonly eth_capabilities: Plain<Readonly<Record<string, unknown>>>;
  readonly eth_config: Plain<Readonly<Record<string, unknown>>>;
  readonly eth_gasPrice: Plain<Hex>;
  readonly eth_maxPriorityFeePerGas: Plain<Hex>;
  readonly eth_baseFee: Plain<Hex>;
  readonly eth_blobBaseFee: Plain<Hex>;
  readonly eth_feeHistory: Method<
    readonly [count: Hex, newest: BlockTag, percentiles?: readonly number[] | null],
    FeeHistory
  >;
  readonly eth_getBlockByHash: Method<readonly [hash: Hex, whole: boolean], RpcBlock | null>;
  readonly eth_getBlockByNumber: Method<readonly [block: BlockTag, whole: boolean], RpcBlock | null>;
  readonly eth_getBlockReceipts: OfBlock<readonly RpcReceipt[] | null>;
  readonly eth_getBlockTransactionCountByHash: OfHash<Hex | null>;
  readonly eth_getBlockTransactionCountByNumber: OfBlock<Hex | null>;
  readonly eth_getUncleCountByBlockHash: OfHash<Hex | null>;
  readonly eth_getUncleCountByBlockNumber: OfBlock<Hex | null>;
  readonly eth_getUncleByBlockHashAndIndex: InHash<RpcBlock | null>;
  readonly eth_getUncleByBlockNumberAndIndex: InBlock<RpcBlock | null>;
  readonly eth_getTransactionByHash: OfHash<RpcTransaction | null>;
  readonly eth_getTransactionReceipt: OfHash<RpcReceipt | null>;
  readonly eth_getRawTransactionByHash: OfHash<Hex | null>;
  readonly eth_getTransactionByBlockHashAndIndex: InHash<RpcTransaction | null>;
  readonly eth_getTransactionByBlockNumberAndIndex: InBlock<RpcTransaction | null>;
  readonly eth_getRawTransactionByBlockHashAndIndex: InHash<Hex | null>;
  readonly eth_getRawTransactionByBlockNumberAndIndex: InBlock<Hex | null>;
  readonly eth_getTransactionBySenderAndNonce: Method<readonly [sender: Hex, nonce: Hex], RpcTransaction | null>;
  readonly eth_getBalance: OfAccount<Hex>;
  readonly eth_getTransactionCount: OfAccount<Hex>;
  readonly eth_getCode: OfAccount<Hex>;
  readonly eth_getAccount: OfAccount<Readonly<Record<string, Hex>> | null>;
  readonly eth_getAccountInfo: OfAccount<Readonly<Record<string, Hex>> | null>;
  readonly eth_getStorageAt: Method<readonly [address: Hex, slot: Hex, block?: BlockTag], Hex>;
  readonly eth_getStorageValues: Method<
    readonly [slots: Readonly<Record<Hex, readonly Hex[]>>, block?: BlockTag],
    Readonly<Record<Hex, readonly Hex[]>>
  >;
  readonly eth_getProof: Method<readonly [address: Hex, slots: readonly Hex[], block: BlockTag], Proof>;
  readonly eth_getLogs: Method<readonly [filter: LogFilter], readonly RpcLog[]>;
  readonly eth_newFilter: Method<readonly [filter: LogFilter], Hex>;
  readonly eth_newBlockFilter: Plain<Hex>;
  readonly eth_newPendingTransactionFilter: Plain<Hex>;
  readonly eth_getFilterChanges: Method<readonly [id: Hex], readonly RpcLog[] | readonly Hex[]>;
  readonly eth_getFilterLogs: Method<readonly [id: Hex], readonly RpcLog[]>;
  readonly eth_uninstallFilter: Method<readonly [id: Hex], boolean>;
  readonly eth_getBlobSidecars: OfBlock<readonly BlobSidecar[] | null>;
  readonly eth_getBlobSidecarByTxHash: OfHash<BlobSidecar | null>;
  readonly eth_call: Method<Call, Hex>;
  readonly eth_estimateGas: Method<Call, Hex>;
  readonly eth_createAccessList: Method<
    readonly [call: CallRequest, block?: BlockTag],
    { readonly accessList: AccessList; readonly gasUsed: Hex; readonly error?: string }
  >;
  readonly eth_simulateV1: Method<readonly [request: SimulationRequest, block?: BlockTag], readonly SimulatedBlock[]>;
  readonly eth_accounts: Plain<readonly Hex[]>;
  readonly eth_fillTransaction: Method<
    readonly [call: CallRequest],
    { readonly raw: Hex; readonly tx: RpcTransaction }
  >;
  readonly eth_sendRawTransaction: Method<readonly [transaction: Hex], Hex>;
  readonly eth_sendRawTransactionSync: Method<readonly [transaction: Hex, timeout?: Hex], RpcReceipt>;
  readonly rpc_modules: Plain<Readonly<Record<string, string>>>;
}
