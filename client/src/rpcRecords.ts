import type { Hex } from "./generated/records.ts";

/** A number as hex, a hash, or a name. */
export type BlockTag =
  | Hex
  | "latest"
  | "earliest"
  | "pending"
  | "safe"
  | "finalized"
  | { readonly blockNumber: Hex }
  | { readonly blockHash: Hex; readonly requireCanonical?: boolean };

export type AccessList = readonly { readonly address: Hex; readonly storageKeys: readonly Hex[] }[];

export interface RpcLog {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly blockNumber: Hex;
  readonly blockHash: Hex;
  readonly blockTimestamp?: Hex;
  readonly transactionHash: Hex;
  readonly transactionIndex: Hex;
  readonly logIndex: Hex;
  readonly removed: boolean;
}

export interface RpcAuthorization {
  readonly chainId: Hex;
  readonly address: Hex;
  readonly nonce: Hex;
  readonly yParity: Hex;
  readonly r: Hex;
  readonly s: Hex;
}

/** Fields of the block are null while it is pending; others depend on the type. */
export interface RpcTransaction {
  readonly hash: Hex;
  readonly type: Hex;
  readonly nonce: Hex;
  readonly blockHash: Hex | null;
  readonly blockNumber: Hex | null;
  readonly blockTimestamp?: Hex | null;
  readonly transactionIndex: Hex | null;
  readonly from: Hex;
  readonly to: Hex | null;
  readonly value: Hex;
  readonly gas: Hex;
  readonly gasPrice?: Hex;
  readonly maxFeePerGas?: Hex;
  readonly maxPriorityFeePerGas?: Hex;
  readonly maxFeePerBlobGas?: Hex;
  readonly blobVersionedHashes?: readonly Hex[];
  readonly accessList?: AccessList;
  readonly authorizationList?: readonly RpcAuthorization[];
  readonly input: Hex;
  readonly chainId?: Hex;
  readonly v: Hex;
  readonly r: Hex;
  readonly s: Hex;
  readonly yParity?: Hex;
}

export interface RpcReceipt {
  readonly transactionHash: Hex;
  readonly transactionIndex: Hex;
  readonly blockHash: Hex;
  readonly blockNumber: Hex;
  readonly blockTimestamp?: Hex;
  readonly from: Hex;
  readonly to: Hex | null;
  readonly type: Hex;
  readonly status: Hex;
  readonly contractAddress: Hex | null;
  readonly cumulativeGasUsed: Hex;
  readonly gasUsed: Hex;
  readonly effectiveGasPrice: Hex;
  readonly blobGasUsed?: Hex;
  readonly blobGasPrice?: Hex;
  readonly logs: readonly RpcLog[];
  readonly logsBloom: Hex;
}

export interface RpcWithdrawal {
  readonly index: Hex;
  readonly validatorIndex: Hex;
  readonly address: Hex;
  readonly amount: Hex;
}

/** Transactions are hashes unless they were asked for; later fields come with hard forks. */
export interface RpcBlock {
  readonly number: Hex;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly timestamp: Hex;
  readonly miner: Hex;
  readonly nonce: Hex;
  readonly mixHash: Hex;
  readonly sha3Uncles: Hex;
  readonly stateRoot: Hex;
  readonly transactionsRoot: Hex;
  readonly receiptsRoot: Hex;
  readonly logsBloom: Hex;
  readonly difficulty: Hex;
  readonly totalDifficulty?: Hex;
  readonly extraData: Hex;
  readonly size: Hex;
  readonly gasLimit: Hex;
  readonly gasUsed: Hex;
  readonly baseFeePerGas?: Hex;
  readonly withdrawalsRoot?: Hex;
  readonly withdrawals?: readonly RpcWithdrawal[];
  readonly blobGasUsed?: Hex;
  readonly excessBlobGas?: Hex;
  readonly parentBeaconBlockRoot?: Hex;
  readonly requestsHash?: Hex;
  readonly transactions: readonly (Hex | RpcTransaction)[];
  readonly uncles: readonly Hex[];
}

export interface CallRequest {
  readonly from?: Hex;
  readonly to?: Hex | null;
  readonly data?: Hex;
  readonly input?: Hex;
  readonly value?: Hex;
  readonly gas?: Hex;
  readonly gasPrice?: Hex;
  readonly maxFeePerGas?: Hex;
  readonly maxPriorityFeePerGas?: Hex;
  readonly maxFeePerBlobGas?: Hex;
  readonly blobVersionedHashes?: readonly Hex[];
  readonly accessList?: AccessList;
  readonly authorizationList?: readonly RpcAuthorization[];
  readonly nonce?: Hex;
  readonly type?: Hex;
  readonly chainId?: Hex;
}

/** By address. */
export type StateOverrides = Readonly<
  Record<
    Hex,
    {
      readonly balance?: Hex;
      readonly nonce?: Hex;
      readonly code?: Hex;
      readonly state?: Readonly<Record<Hex, Hex>>;
      readonly stateDiff?: Readonly<Record<Hex, Hex>>;
      readonly movePrecompileToAddress?: Hex;
    }
  >
>;

export interface LogFilter {
  readonly fromBlock?: BlockTag;
  readonly toBlock?: BlockTag;
  readonly blockHash?: Hex;
  readonly address?: Hex | readonly Hex[];
  readonly topics?: readonly (Hex | readonly Hex[] | null)[];
}

export interface FeeHistory {
  readonly oldestBlock: Hex;
  readonly baseFeePerGas: readonly Hex[];
  readonly gasUsedRatio: readonly number[];
  readonly baseFeePerBlobGas?: readonly Hex[];
  readonly blobGasUsedRatio?: readonly number[];
  readonly reward?: readonly (readonly Hex[])[];
}

export interface Proof {
  readonly address: Hex;
  readonly balance: Hex;
  readonly nonce: Hex;
  readonly codeHash: Hex;
  readonly storageHash: Hex;
  readonly accountProof: readonly Hex[];
  readonly storageProof: readonly { readonly key: Hex; readonly value: Hex; readonly proof: readonly Hex[] }[];
}

export interface BlobSidecar {
  readonly blobSidecar: Readonly<Record<string, unknown>>;
  readonly blockHash?: Hex;
  readonly blockNumber?: Hex;
  readonly txHash?: Hex;
  readonly txIndex?: Hex;
}

export interface SimulationRequest {
  readonly blockStateCalls: readonly {
    readonly blockOverrides?: Readonly<Record<string, unknown>>;
    readonly stateOverrides?: StateOverrides;
    readonly calls?: readonly CallRequest[];
  }[];
  readonly traceTransfers?: boolean;
  readonly validation?: boolean;
  readonly returnFullTransactions?: boolean;
}

export interface SimulatedBlock extends Omit<RpcBlock, "totalDifficulty"> {
  readonly calls: readonly {
    readonly returnData: Hex;
    readonly logs: readonly RpcLog[];
    readonly gasUsed: Hex;
    readonly status: Hex;
    readonly error?: { readonly code: number; readonly message: string; readonly data?: Hex };
  }[];
}
