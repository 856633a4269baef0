import type { ChainOracle, PlainMined } from "./chainOracle.ts";
import { blocksOf } from "./plainChain.ts";
import type { ReportedToken } from "./plainState.ts";
import { typeOf } from "./tokenOracle.ts";
import type { WireReceipt } from "./wireForm.ts";

export type Row = Readonly<Record<string, unknown>>;

const decimal = (hex: unknown) => BigInt((hex ?? 0) as string).toString();

interface WireLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly logIndex: string;
}

export const logsOf = (receipt: WireReceipt) => receipt.logs as unknown as readonly WireLog[];

const createdBy = ({ tx, receipt }: PlainMined) =>
  tx.to === null && receipt.status === "0x1" ? (receipt.contractAddress as string) : null;

/** Expected responses of the remaining actions, from a node's JSON alone. */
export class ActionRecords {
  readonly of: ChainOracle;
  readonly #mined: ReadonlyMap<string, PlainMined>;
  readonly #reported = new Map<string, Promise<ReportedToken | undefined>>();

  constructor(oracle: ChainOracle) {
    this.of = oracle;
    this.#mined = new Map(oracle.transactions.map((mined) => [mined.tx.hash, mined]));
  }

  #token(token: string): Promise<ReportedToken | undefined> {
    const reported = this.#reported.get(token) ?? this.of.state.token(token);
    this.#reported.set(token, reported);
    return reported;
  }

  async tokensOf(address: string): Promise<Row[]> {
    const held = this.of.balances(address).map(({ token, token_id, value }) => ({
      token: (token as string).toLowerCase(),
      id: token_id,
      value,
    }));
    const rows = held.map(async ({ token, id, value }) => {
      const reported = await this.#token(token);
      return {
        balance: value,
        contractAddress: token,
        name: reported?.name ?? "",
        decimals: reported?.decimals ?? "0",
        symbol: reported?.symbol ?? "",
        type: typeOf(this.of.tokens.ledger.get(token)!),
        ...(id !== null && { id }),
      };
    });
    return Promise.all(rows);
  }

  /** The blocks of a miner with what senders paid it, newest first. */
  minedBy(address: string): Row[] {
    const own = blocksOf(this.of.chain).filter(({ block }) => block.miner === address);
    const tip = (receipt: WireReceipt, base: unknown) =>
      (BigInt(receipt.effectiveGasPrice as string) - BigInt(base as string)) * BigInt(receipt.gasUsed as string);
    const rows = own.map(({ block, receipts }) => ({
      blockNumber: decimal(block.number),
      timeStamp: decimal(block.timestamp),
      blockReward: receipts.reduce((sum, receipt) => sum + tip(receipt, block.baseFeePerGas), 0n).toString(),
    }));
    return rows.reverse();
  }

  /** Contracts that transactions deployed, oldest first. */
  deployed(): string[] {
    return this.of.transactions.map(createdBy).filter((address) => address !== null);
  }

  /** Undefined if the contract has no creator. */
  creationOf(address: string): Row | undefined {
    const direct = this.of.transactions.find((mined) => createdBy(mined) === address);
    const traced = this.of.state.creation(address);
    const mined = direct ?? this.#mined.get(traced?.hash ?? "");
    if (mined === undefined) return undefined;
    return {
      contractAddress: address,
      contractCreator: mined.tx.from,
      txHash: mined.tx.hash,
      blockNumber: decimal(mined.block.block.number),
      timestamp: decimal(mined.block.block.timestamp),
      contractFactory: direct === undefined ? traced!.creator : "",
      creationBytecode: direct === undefined ? traced!.input : mined.tx.input,
    };
  }

  /** All but its reason to fail and `next_page_params`, with all logs. */
  transactionInfo({ tx, receipt, block: { block } }: PlainMined): Row {
    return {
      hash: tx.hash,
      timeStamp: decimal(block.timestamp),
      blockNumber: decimal(block.number),
      confirmations: String(this.of.height - Number(block.number) + 1),
      success: receipt.status === "0x1",
      from: tx.from,
      to: tx.to ?? "",
      value: decimal(tx.value),
      input: tx.input,
      gasLimit: decimal(tx.gas),
      gasUsed: decimal(receipt.gasUsed),
      gasPrice: decimal(receipt.effectiveGasPrice),
      logs: logsOf(receipt).map(({ address, topics, data, logIndex }) => ({
        address,
        topics,
        data,
        index: decimal(logIndex),
      })),
    };
  }
}
