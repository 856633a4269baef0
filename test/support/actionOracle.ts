import type { Json } from "./api.ts";
import type { PlainChain } from "./plainChain.ts";
import { blocksOf } from "./plainChain.ts";
import type { PlainToken, PlainTransfer } from "./plainLedger.ts";
import { plainLedger, plainTransfers } from "./plainLedger.ts";
import type { PlainState, ReportedToken } from "./plainState.ts";
import { typeOf } from "./tokenOracle.ts";
import type { WireReceipt, WireTransaction } from "./wireForm.ts";

export type Row = Readonly<Record<string, string>>;

export type Role = "any" | "from" | "to";
export type TransferKind = PlainTransfer["kind"];

export type AskedState = Pick<PlainState, "balance" | "token" | "tokenBalance">;

interface PlainMined {
  readonly tx: WireTransaction;
  readonly created: string | null;
  readonly row: Row;
}

const decimal = (hex: unknown) => BigInt((hex ?? 0) as string).toString();

/** Expected account responses of the module/action API, from a node's JSON alone. Lists are oldest first. */
export class ActionOracle {
  readonly height: number;
  readonly state: AskedState;
  readonly tokens: ReadonlyMap<string, PlainToken>;
  /** All senders, callees, contracts, emitters, miners and token holders, and one unused address. */
  readonly addresses: readonly string[];
  readonly #blocks: readonly Json[];
  readonly #transactions: readonly PlainMined[];
  readonly #transfers: readonly PlainTransfer[];
  readonly #shared = new Map<string, Row>();
  readonly #reported = new Map<string, ReportedToken>();

  private constructor(chain: PlainChain, state: AskedState) {
    this.height = chain.head.number;
    this.state = state;
    this.tokens = plainLedger(chain);
    this.#transfers = plainTransfers(chain);
    this.#blocks = blocksOf(chain).map(({ block }) => block);
    this.#transactions = blocksOf(chain).flatMap(({ block, receipts }) =>
      block.transactions.map((tx, at) => {
        const receipt = receipts[at]!;
        const shared = this.#presentShared(block, tx, receipt);
        this.#shared.set(tx.hash, shared);
        const created = tx.to === null && receipt.status !== "0x0" ? (receipt.contractAddress as string) : null;
        return { tx, created, row: { ...shared, ...presentOwn(tx, receipt) } };
      }),
    );
    const parties = this.#transactions.flatMap(({ tx, created }) => [tx.from, tx.to, created]);
    const holders = this.#transfers.flatMap(({ from, to, token }) => [from, to, token]);
    const others = blocksOf(chain).flatMap(({ block, receipts }) => [
      block.miner,
      ...receipts.flatMap(({ logs }) => logs.map(({ address }) => address)),
    ]);
    const all = new Set([...parties, ...holders, ...others, NOBODY].filter((address) => address !== null));
    this.addresses = [...all] as string[];
  }

  static async read(chain: PlainChain, state: AskedState): Promise<ActionOracle> {
    const oracle = new ActionOracle(chain, state);
    for (const token of oracle.tokens.keys()) {
      const reported = await state.token(token);
      if (reported !== undefined) oracle.#reported.set(token, reported);
    }
    return oracle;
  }

  #presentShared(block: Json, tx: WireTransaction, receipt: WireReceipt): Row {
    const input = tx.input as string;
    return {
      blockNumber: decimal(block.number),
      timeStamp: decimal(block.timestamp),
      hash: tx.hash,
      nonce: decimal(tx.nonce),
      blockHash: block.hash as string,
      transactionIndex: decimal(tx.transactionIndex),
      gas: decimal(tx.gas),
      gasPrice: decimal(receipt.effectiveGasPrice),
      gasUsed: decimal(receipt.gasUsed),
      cumulativeGasUsed: decimal(receipt.cumulativeGasUsed),
      confirmations: String(this.height - Number(block.number) + 1),
      methodId: input.length < 10 ? "0x" : input.slice(0, 10),
    };
  }

  transactions(address: string, role: Role): Row[] {
    const isParty = ({ tx, created }: PlainMined) => {
      const isSender = tx.from === address;
      const isReceiver = tx.to === address || created === address;
      return role === "any" ? isSender || isReceiver : role === "from" ? isSender : isReceiver;
    };
    return this.#transactions.filter(isParty).map(({ row }) => row);
  }

  transfers(parties: { readonly address?: string; readonly token?: string }, kind: TransferKind): Row[] {
    const { address, token } = parties;
    return this.#transfers
      .filter((one) => one.kind === kind && (token === undefined || one.token === token))
      .filter(({ from, to }) => address === undefined || from === address || to === address)
      .map((transfer) => this.#presentTransfer(transfer));
  }

  #presentTransfer({ kind, from, to, token, id, amount, transaction, logIndex }: PlainTransfer): Row {
    const reported = this.#reported.get(token);
    return {
      ...this.#shared.get(transaction),
      from,
      to,
      contractAddress: token,
      logIndex: String(logIndex),
      tokenName: reported?.name ?? "",
      tokenSymbol: reported?.symbol ?? "",
      tokenDecimal: reported?.decimals ?? "0",
      ...(kind === "ERC-20" ? { value: String(amount) } : { tokenID: String(id) }),
      ...(kind === "ERC-1155" && { tokenValue: String(amount) }),
      input: "deprecated",
    };
  }

  mined(address: string): Row[] {
    const own = this.#blocks.filter(({ miner }) => miner === address);
    return own.map(({ number, timestamp }) => ({ blockNumber: decimal(number), timeStamp: decimal(timestamp) }));
  }

  holders(token: string): string[] {
    return [...(this.tokens.get(token)?.balances.keys() ?? [])];
  }

  /** The token's own balance over all ids, or else the sum of transfers. */
  async tokenBalance(token: string, holder: string): Promise<bigint> {
    const plain = this.tokens.get(token)!;
    const ids = typeOf(plain) === "ERC-1155" ? this.#itemsOf(plain, holder) : [undefined];
    const reported = await Promise.all(ids.map((id) => this.state.tokenBalance(token, holder, id)));
    if (reported.length > 0 && reported.every((amount) => amount !== undefined))
      return reported.reduce((sum, amount) => sum + amount, 0n);
    const sum = plain.balances.get(holder) ?? 0n;
    return sum < 0n ? 0n : sum;
  }

  #itemsOf({ itemBalances }: PlainToken, holder: string): bigint[] {
    const keys = [...itemBalances.keys()].map((key) => key.split("/") as [string, string]);
    return keys.filter(([, owner]) => owner === holder).map(([id]) => BigInt(id));
  }
}

function presentOwn(tx: WireTransaction, receipt: WireReceipt): Row {
  return {
    from: tx.from,
    to: (tx.to as string | null) ?? "",
    value: decimal(tx.value),
    isError: receipt.status === "0x0" ? "1" : "0",
    txreceipt_status: receipt.status === undefined ? "" : decimal(receipt.status),
    input: tx.input as string,
    contractAddress: (receipt.contractAddress as string | null) ?? "",
  };
}

const NOBODY = `0x${"0".repeat(38)}ff`;
