/** Who answers a method: the gateway, the index, the cache or a node. */
export type Handler = "gateway" | "store" | "cache" | "upstream";

/** Public methods. `store` and `cache` fall back to a node. */
export const GATEWAY_METHODS = {
  rpc_modules: "gateway",
  eth_accounts: "gateway",
  eth_chainId: "gateway",
  net_version: "gateway",
  eth_getBlockByNumber: "store",
  eth_getBlockByHash: "store",
  eth_getBlockReceipts: "store",
  eth_getBlockTransactionCountByNumber: "store",
  eth_getBlockTransactionCountByHash: "store",
  eth_getUncleCountByBlockNumber: "store",
  eth_getUncleCountByBlockHash: "store",
  eth_getTransactionByHash: "store",
  eth_getTransactionByBlockNumberAndIndex: "store",
  eth_getTransactionByBlockHashAndIndex: "store",
  eth_getTransactionReceipt: "store",
  eth_getRawTransactionByHash: "store",
  eth_getLogs: "store",
  eth_getFilterLogs: "store",
  eth_getBlobSidecars: "store",
  eth_getBlobSidecarByTxHash: "store",
  web3_sha3: "cache",
  eth_getUncleByBlockNumberAndIndex: "cache",
  eth_getUncleByBlockHashAndIndex: "cache",
  eth_getRawTransactionByBlockNumberAndIndex: "cache",
  eth_getRawTransactionByBlockHashAndIndex: "cache",
  eth_getBalance: "cache",
  eth_getTransactionCount: "cache",
  eth_getCode: "cache",
  eth_getStorageAt: "cache",
  eth_getStorageValues: "cache",
  eth_getAccount: "cache",
  eth_getAccountInfo: "cache",
  eth_getProof: "cache",
  eth_call: "cache",
  eth_blockNumber: "upstream",
  web3_clientVersion: "upstream",
  eth_syncing: "upstream",
  eth_mining: "upstream",
  eth_hashrate: "upstream",
  eth_coinbase: "upstream",
  net_listening: "upstream",
  net_peerCount: "upstream",
  eth_capabilities: "upstream",
  eth_config: "upstream",
  eth_getTransactionBySenderAndNonce: "upstream",
  eth_estimateGas: "upstream",
  eth_createAccessList: "upstream",
  eth_simulateV1: "upstream",
  eth_fillTransaction: "upstream",
  eth_gasPrice: "upstream",
  eth_maxPriorityFeePerGas: "upstream",
  eth_baseFee: "upstream",
  eth_blobBaseFee: "upstream",
  eth_feeHistory: "upstream",
  eth_newFilter: "upstream",
  eth_newBlockFilter: "upstream",
  eth_newPendingTransactionFilter: "upstream",
  eth_getFilterChanges: "upstream",
  eth_uninstallFilter: "upstream",
  eth_sendRawTransaction: "upstream",
  eth_sendRawTransactionSync: "upstream",
} as const satisfies Readonly<Record<string, Handler>>;

/** Prefixes of additional methods for trusted callers. */
export const TRUSTED_PREFIXES = ["debug_get", "debug_trace", "trace_", "ots_", "txpool_"] as const;

/** Prefixes of methods that change a development chain or sign. */
export const DEVELOPMENT_PREFIXES = [
  "anvil_",
  "evm_",
  "hardhat_",
  "tenderly_",
  "eth_accounts",
  "eth_pendingTransactions",
  "eth_requestAccounts",
  "eth_sendTransaction",
  "eth_sendUnsignedTransaction",
  "eth_sign",
  "personal_sign",
] as const;

export interface Caller {
  readonly isTrusted: boolean;
}

export interface MethodSettings {
  readonly isDevelopment: boolean;
  /** Additional public methods: names, or prefixes ending in `*`. */
  readonly allowed: readonly string[];
}

/** Undefined if the caller may not use the method. */
export function handlerFor(method: string, { isTrusted }: Caller, settings: MethodSettings): Handler | undefined {
  const { isDevelopment, allowed } = settings;
  if (isTrusted && isDevelopment && beginsWith(method, DEVELOPMENT_PREFIXES)) return "upstream";
  if (Object.hasOwn(GATEWAY_METHODS, method)) return GATEWAY_METHODS[method as keyof typeof GATEWAY_METHODS];
  if (isTrusted && beginsWith(method, TRUSTED_PREFIXES)) return "upstream";
  return allowed.some((pattern) => isAllowed(method, pattern)) ? "upstream" : undefined;
}

function beginsWith(method: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => method.startsWith(prefix));
}

function isAllowed(method: string, pattern: string): boolean {
  return pattern.endsWith("*") ? method.startsWith(pattern.slice(0, -1)) : method === pattern;
}
