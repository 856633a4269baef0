import type { Hex } from "../chain/encoding/hex.ts";
import { toHex } from "../chain/encoding/hex.ts";
import { answerBody } from "../jsonrpc/envelope.ts";
import { RPC, RpcError } from "../jsonrpc/rpcError.ts";
import { messageOf } from "../std/values.ts";
import type { DevelopmentAccount } from "./accounts/accounts.ts";
import { deriveAccounts } from "./accounts/accounts.ts";
import { Keyring } from "./accounts/keyring.ts";
import { pointEvaluation } from "./blobs/pointEvaluation.ts";
import type { KzgVerifier } from "./blobs/verifySidecar.ts";
import { hasLeft, onBehalfOf } from "./caller.ts";
import { Chain, HARDFORK } from "./chain.ts";
import { Clock } from "./clock.ts";
import { ContractConsole } from "./console/contractConsole.ts";
import type { CallLimits, DevelopmentContext } from "./context.ts";
import { metaOf } from "./database.ts";
import { isFull } from "./databaseError.ts";
import type { Hardfork } from "./developmentGenesis.ts";
import { DEFAULT_HARDFORK, developmentGenesis, HARDFORKS } from "./developmentGenesis.ts";
import type { Genesis, Predeploy } from "./genesis.ts";
import { Filters } from "./logs/filters.ts";
import type { LogRanges } from "./logs/logRange.ts";
import { logBoundsOf } from "./logs/logRange.ts";
import { Miner } from "./miner.ts";
import { Pool } from "./pool/pool.ts";
import { isForTrusted, methodNamed } from "./rpc/registry.ts";
import { Rules } from "./rules.ts";
import { Snapshots } from "./snapshots.ts";

export interface NodeOptions {
  /** In memory if undefined. */
  readonly directory: string | undefined;
  readonly chainId: number;
  /** Seconds between blocks; 0 mines each transaction at once. */
  readonly blockTime: number;
  readonly accounts: number;
  readonly mnemonic: string;
  readonly gasLimit: number;
  readonly kzg: KzgVerifier;
  readonly version?: string;
  readonly genesis?: Genesis;
  readonly predeploys?: readonly Predeploy[] | undefined;
  /** Defaults to the chain's own fork; Prague for a new chain. */
  readonly hardfork?: Hardfork | undefined;
  /** Defaults to the fork's limit. */
  readonly codeSizeLimit?: number | undefined;
  /** Accepts cell proofs (EIP-7594). */
  readonly acceptsCellProofs?: boolean;
  /** Disables the limit on the block range of log queries. */
  readonly unboundedLogs?: boolean | undefined;
  readonly callLimits?: CallLimits;
  /** False mines only on request. */
  readonly mines?: boolean;
  readonly genesisTime?: number;
  readonly funded?: readonly Hex[];
  readonly onConsole?: ((line: string) => void) | undefined;
  /** Receives internal errors that are hidden from callers. */
  readonly onError?: (error: unknown) => void;
}

/** An embedded node: chain, transaction pool and JSON-RPC methods. */
export class Node {
  readonly context: DevelopmentContext;
  readonly #onError: (error: unknown) => void;

  private constructor(context: DevelopmentContext, onError: (error: unknown) => void) {
    this.context = context;
    this.#onError = onError;
  }

  static async open(options: NodeOptions): Promise<Node> {
    const { onError = () => {}, mines = true, blockTime } = options;
    const accounts = deriveAccounts(options.mnemonic, options.accounts);
    const genesis = options.genesis ?? genesisOf(options, accounts);
    const chain = await Chain.open(
      options.directory,
      genesis,
      new Rules(genesis, pointEvaluation, options.codeSizeLimit),
    );
    chain.console = options.onConsole && new ContractConsole(options.onConsole);
    const clock = new Clock();
    const pool = new Pool({ chain, kzg: options.kzg, acceptsCellProofs: options.acceptsCellProofs ?? false });
    await pool.restore();
    const automine = mines && blockTime === 0;
    const interval = mines ? blockTime * 1000 : 0;
    const miner = new Miner({ chain, pool, clock, automine, interval, onError });
    pool.refuseBelow(() => miner.nextBaseFee());
    // Pending transactions are mined at once.
    if (automine) await miner.setAutomine(true).catch((error) => whereFull(error, onError));
    const keyring = new Keyring(accounts);
    const snapshots = new Snapshots(chain, pool, clock);
    const filters = new Filters(chain);
    pool.watch((hash) => filters.onTransaction(hash));
    const clientVersion = clientVersionOf(options.version ?? "0");
    const pending = () => miner.pending();
    const pendingState = () => miner.pendingState();
    const isAutomine = () => miner.isAutomine;
    const { callLimits } = options;
    const own = { clientVersion, pending, pendingState, isAutomine, logRanges: logRangesOf(options, chain) };
    return new Node(
      { chain, pool, clock, miner, keyring, snapshots, filters, ...own, ...(callLimits && { callLimits }) },
      onError,
    );
  }

  /** Their keys are public. */
  get accounts(): { readonly address: Hex; readonly privateKey: Hex }[] {
    const { accounts } = this.context.keyring;
    return accounts.map(({ address, privateKey }) => ({ address, privateKey: toHex(privateKey) }));
  }

  /** Returns undefined if no response is due. */
  handle(body: string, isTrusted: boolean, signal?: AbortSignal, isHardhat = false): Promise<string | undefined> {
    const caller = { signal, isTrusted, isHardhat, deadline: performance.now() + BATCH_TIME };
    const answer = async (name: string, params: unknown[]) => {
      const method = methodNamed(name, isTrusted);
      if (method === undefined) {
        const why = isForTrusted(name) ? " to this client: it is for local programs (--dev-methods)" : "";
        throw new RpcError(
          RPC.methodNotFound,
          `the method ${name.slice(0, MAX_NAME)} does not exist/is not available${why}`,
        );
      }
      try {
        return await method(this.context, params);
      } catch (error) {
        throw isFull(error) ? new RpcError(RPC.server, messageOf(error)) : error;
      }
    };
    const isOver = () => hasLeft(caller) || performance.now() >= caller.deadline;
    const onInternal = (error: unknown) => this.#onError(error);
    return onBehalfOf(caller, () => answerBody(body, answer, { onInternal, isOver }));
  }

  /** Calls the listener when the head or its state changes. */
  watch(listener: () => void): void {
    this.context.chain.watch(listener);
  }

  async close(): Promise<void> {
    this.context.miner.stop();
    await this.context.chain.close();
  }
}

/** On a full disk the chain stays readable, and pending transactions are mined later. */
function whereFull(error: unknown, onError: (error: unknown) => void): void {
  if (!isFull(error)) throw error;
  onError(error);
}

function logRangesOf({ unboundedLogs, genesis }: NodeOptions, { rules }: Chain): LogRanges {
  return { ...logBoundsOf(rules.chainId, unboundedLogs === true), beyondHead: genesis === undefined };
}

export const BATCH_TIME = 30_000;

const MAX_NAME = 100;

/** Hardhat's network helpers only accept known client names. */
function clientVersionOf(version: string): string {
  return `anvil/oriel/${version}/${process.platform}-${process.arch}/node${process.versions.node}`;
}

function genesisOf(options: NodeOptions, accounts: readonly DevelopmentAccount[]): Genesis {
  const { chainId, gasLimit, funded = [], genesisTime = Math.floor(Date.now() / 1000) } = options;
  return developmentGenesis({
    chainId,
    gasLimit,
    timestamp: genesisTime,
    funded: [...accounts.map(({ address }) => address), ...funded],
    predeploys: options.predeploys,
    hardfork: options.hardfork ?? keptHardfork(options.directory),
  });
}

function keptHardfork(directory: string | undefined): Hardfork {
  const kept = directory === undefined ? undefined : metaOf(directory, HARDFORK);
  return HARDFORKS.find((fork) => fork === kept) ?? DEFAULT_HARDFORK;
}
