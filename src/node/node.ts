import type { Hex } from "../chain/encoding/hex.ts";
import { toHex } from "../chain/encoding/hex.ts";
import { answerBody } from "../jsonrpc/envelope.ts";
import { RPC, RpcError } from "../jsonrpc/rpcError.ts";
import { messageOf } from "../std/messageOf.ts";
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
  /** Where the chain is kept; without one it lives as long as the process. */
  readonly directory: string | undefined;
  readonly chainId: number;
  /** Seconds between two blocks; 0 makes one for each transaction as it comes. */
  readonly blockTime: number;
  /** How many accounts of the mnemonic have money. */
  readonly accounts: number;
  readonly mnemonic: string;
  readonly gasLimit: number;
  readonly kzg: KzgVerifier;
  /** Of this program, as `web3_clientVersion` tells it. */
  readonly version?: string;
  /** A chain of somebody else's instead of one for development. */
  readonly genesis?: Genesis;
  /** What a new chain has from its first block besides. */
  readonly predeploys?: readonly Predeploy[] | undefined;
  /** By default the fork that the chain began with; a new one begins with Prague. */
  readonly hardfork?: Hardfork | undefined;
  /** Bytes of a contract's code at most; by default what the fork says. */
  readonly codeSizeLimit?: number | undefined;
  /** Whether blobs may come with a proof for each cell (EIP-7594). */
  readonly acceptsCellProofs?: boolean;
  /** Whether logs of any range may be asked for. */
  readonly unboundedLogs?: boolean | undefined;
  /** What one call may take; by default what geth allows. */
  readonly callLimits?: CallLimits;
  /** Whether blocks are made at all unless a method asks for one. */
  readonly mines?: boolean;
  /** Of the first block, in seconds, instead of the time it is made. */
  readonly genesisTime?: number;
  /** Who has money from the start besides the accounts of the mnemonic. */
  readonly funded?: readonly Hex[];
  /** Gets the lines that contracts write by way of the console library. */
  readonly onConsole?: ((line: string) => void) | undefined;
  /** Learns of what goes wrong in a way that no caller is told. */
  readonly onTrouble?: (error: unknown) => void;
}

/** An embedded node: a chain, its transaction pool, and the JSON-RPC methods to ask it with. */
export class Node {
  readonly context: DevelopmentContext;
  readonly #onTrouble: (error: unknown) => void;

  private constructor(context: DevelopmentContext, onTrouble: (error: unknown) => void) {
    this.context = context;
    this.#onTrouble = onTrouble;
  }

  static async open(options: NodeOptions): Promise<Node> {
    const { onTrouble = () => {}, mines = true, blockTime } = options;
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
    const miner = new Miner({ chain, pool, clock, automine, interval, onTrouble });
    pool.refuseBelow(() => miner.baseFeeAtOnce());
    // What is pending is mined now, not with the next transaction.
    if (automine) await miner.setAutomine(true).catch((error) => whereFull(error, onTrouble));
    const keyring = new Keyring(accounts);
    const snapshots = new Snapshots(chain, pool, clock);
    const filters = new Filters(chain);
    pool.watch((hash) => filters.onTransaction(hash));
    const clientVersion = clientVersionOf(options.version ?? "0");
    const pending = () => miner.pending();
    const isAutomine = () => miner.isAutomine;
    const { callLimits } = options;
    const own = { clientVersion, pending, isAutomine, logRanges: logRangesOf(options, chain) };
    return new Node(
      { chain, pool, clock, miner, keyring, snapshots, filters, ...own, ...(callLimits && { callLimits }) },
      onTrouble,
    );
  }

  /** The accounts that have money from the start, and their keys, which everybody knows. */
  get accounts(): { readonly address: Hex; readonly privateKey: Hex }[] {
    const { accounts } = this.context.keyring;
    return accounts.map(({ address, privateKey }) => ({ address, privateKey: toHex(privateKey) }));
  }

  /** Answers a JSON-RPC body, one call or a batch; nothing where all of it were notifications. */
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
    const onInternal = (error: unknown) => this.#onTrouble(error);
    return onBehalfOf(caller, () => answerBody(body, answer, { onInternal, isOver }));
  }

  /** Tells whenever the head is another block or the state after it was changed. */
  watch(listener: () => void): void {
    this.context.chain.watch(listener);
  }

  async close(): Promise<void> {
    this.context.miner.stop();
    await this.context.chain.close();
  }
}

/** A chain on a full disk can be read, and what is pending is mined with the next transaction. */
function whereFull(error: unknown, onTrouble: (error: unknown) => void): void {
  if (!isFull(error)) throw error;
  onTrouble(error);
}

/** A chain of somebody else's answers as its clients do. */
function logRangesOf({ unboundedLogs, genesis }: NodeOptions, { rules }: Chain): LogRanges {
  return { ...logBoundsOf(rules.chainId, unboundedLogs === true), beyondHead: genesis === undefined };
}

/** Milliseconds for all that is asked at once. */
export const BATCH_TIME = 30_000;

/** Characters of an unknown method's name that its error repeats. */
const MAX_NAME = 100;

/** Hardhat's network helpers work with nodes whose version begins with a name that they know. */
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
