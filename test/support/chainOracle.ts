import { getAddress } from "viem";
import type { Json } from "./api.ts";
import type { PlainBlock, PlainChain } from "./plainChain.ts";
import { blocksOf } from "./plainChain.ts";
import type { PlainToken, PlainTransfer } from "./plainLedger.ts";
import type { PlainLog } from "./plainLogs.ts";
import { plainLogs } from "./plainLogs.ts";
import type { PlainState, ReportedToken } from "./plainState.ts";
import { expectedBlock, expectedTransaction, time } from "./restOracle.ts";
import type { PlainTokens } from "./tokenOracle.ts";
import { expectedBalances, expectedToken, expectedTransfer, plainTokens } from "./tokenOracle.ts";
import type { WireReceipt, WireTransaction } from "./wireForm.ts";

/** A transaction with where it is. */
export interface PlainMined {
  readonly tx: WireTransaction;
  readonly receipt: WireReceipt;
  readonly block: PlainBlock;
}

const TRANSFER_LIKE = new Map([
  ["0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef", 2],
  ["0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925", 2],
  ["0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31", 2],
  ["0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62", 3],
  ["0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb", 3],
  ["0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c", 1],
  ["0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65", 1],
]);

/** The topics of a log that are taken for addresses (docs/decisions/address-topics.md). */
export function addressTopics({ topics }: Pick<PlainLog, "topics">): string[] {
  const [signature, ...others] = topics.filter((topic) => topic !== null);
  const known = TRANSFER_LIKE.get(signature ?? "");
  const isAddress = (topic: string, at: number) => {
    if (!topic.startsWith(`0x${"0".repeat(24)}`)) return false;
    return known === undefined ? BigInt(topic) >= 2n ** 128n : at < known;
  };
  return others.filter(isAddress).map((topic) => `0x${topic.slice(26)}`);
}

/**
 * Expected REST responses about a chain, all fields of all records, from a node's JSON alone. Decoded calls are excluded:
 * `viemDecoding.ts` compares these.
 */
export class ChainOracle {
  readonly chain: PlainChain;
  readonly state: PlainState;
  /** Oldest first. */
  readonly transactions: readonly PlainMined[];
  readonly logs: readonly PlainLog[];
  readonly tokens: PlainTokens;
  readonly appeared = new Map<string, number>();
  readonly #items = new Map<string, number>();
  readonly #reported = new Map<string, ReportedToken>();
  readonly #deployed = new Set<string>();
  readonly #emitters = new Set<string>();
  readonly #senders = new Set<string>();
  readonly #transferring = new Map<string, number>();

  private constructor(chain: PlainChain, state: PlainState) {
    this.chain = chain;
    this.state = state;
    this.transactions = blocksOf(chain).flatMap((block) =>
      block.block.transactions.map((tx, at) => ({ tx, receipt: block.receipts[at]!, block })),
    );
    this.logs = plainLogs(chain);
    this.tokens = plainTokens(chain);
    for (const { transaction } of this.tokens.transfers) {
      this.#transferring.set(transaction, (this.#transferring.get(transaction) ?? 0) + 1);
    }
    const logsOf = Map.groupBy(this.logs, (log) => log.transaction_hash);
    for (const { tx, receipt } of this.transactions) {
      const logs = logsOf.get(tx.hash) ?? [];
      const made = createdBy({ tx, receipt });
      this.#senders.add(tx.from);
      if (made !== null) this.#deployed.add(made);
      for (const { address } of logs) this.#emitters.add(address);
      const logged = logs.flatMap((log) => [log.address, ...addressTopics(log)]);
      for (const party of [tx.from, tx.to, receipt.contractAddress, ...logged] as (string | null)[]) {
        if (party !== null && !this.appeared.has(party)) this.appeared.set(party, this.appeared.size);
      }
    }
  }

  static async read(chain: PlainChain, state: PlainState): Promise<ChainOracle> {
    const oracle = new ChainOracle(chain, state);
    for (const token of oracle.tokens.ledger.keys()) {
      const reported = await state.token(token);
      if (reported !== undefined) oracle.#reported.set(token, reported);
    }
    return oracle;
  }

  get height(): number {
    return this.chain.head.number;
  }

  /** How other records name an address. */
  address(address: string): Json {
    return {
      hash: getAddress(address),
      name: this.#reported.get(address)?.name ?? null,
      is_contract: this.#emitters.has(address) || this.isContract(address),
      is_verified: false,
      is_scam: false,
      reputation: "ok",
      proxy_type: null,
      implementations: [],
      ens_domain_name: null,
      metadata: null,
      private_tags: [],
      public_tags: [],
      watchlist_names: [],
    };
  }

  isContract(address: string): boolean | null {
    if (this.tokens.ledger.has(address) || this.#deployed.has(address)) return true;
    return this.#senders.has(address) ? false : this.#emitters.has(address) || null;
  }

  withdrawals(number: number): Json[] {
    const all = (this.chain.at(number)!.block.withdrawals ?? []) as Record<string, string>[];
    return all.map(({ index, validatorIndex, address, amount }) => ({
      index: Number(index),
      validator_index: Number(validatorIndex),
      receiver: this.address(address!),
      amount: `${BigInt(amount!) * 1_000_000_000n}`,
      block_number: number,
      timestamp: time(this.chain.at(number)!.block.timestamp),
    }));
  }

  block(number: number): Json {
    const block = expectedBlock(this.chain.at(number)!, this.height);
    return { ...block, miner: this.address(block.miner as string) };
  }

  /** As in a list, but for `decoded_input` and `method`. */
  listed(mined: PlainMined): Json {
    const { tx, receipt, block } = mined;
    const plain = expectedTransaction(tx, receipt, block, this.height);
    const isCall = this.isCall(mined);
    const types = [
      ...(plain.value === "0" ? [] : ["coin_transfer"]),
      ...(isCall ? ["contract_call"] : []),
      ...(tx.to === null ? ["contract_creation"] : []),
      ...(this.tokens.ledger.has(createdBy(mined) ?? "") ? ["token_creation"] : []),
      ...(this.#transferring.has(tx.hash) ? ["token_transfer"] : []),
      ...(tx.type === "0x3" ? ["blob_transaction"] : []),
      ...(tx.type === "0x4" ? ["set_code_transaction"] : []),
    ];
    const named = (address: unknown) => (address === null ? null : this.address(address as string));
    return {
      ...plain,
      result: { ok: "success", error: "error" }[plain.status as string] ?? "awaiting_internal_transactions",
      from: named(plain.from),
      to: named(plain.to),
      created_contract: named(plain.created_contract),
      raw_input: tx.input,
      transaction_types: types,
      tx_types: types,
      authorization_list: (plain.authorization_list as Json[]).map((entry) => ({
        ...entry,
        address_hash: getAddress(entry.address_hash as string),
        address: getAddress(entry.address_hash as string),
        authority: null,
        status: listedFault(entry, mined.tx),
      })),
      revert_reason: null,
      token_transfers: null,
      token_transfers_overflow: (this.#transferring.get(tx.hash) ?? 0) > 10,
      exchange_rate: null,
      historic_exchange_rate: null,
      transaction_tag: null,
      tx_tag: null,
      has_error_in_internal_transactions: null,
      confirmation_duration: [],
      actions: [],
      fhe_operations_count: 0,
      is_pending_update: false,
    };
  }

  isCall({ tx }: PlainMined): boolean {
    return tx.to !== null && (tx.input as string).length >= 10 && this.#runsCode(tx.to as string);
  }

  #runsCode(address: string): boolean {
    return this.#emitters.has(address) || this.isContract(address) !== false;
  }

  /** All but `decoded`. */
  log(log: PlainLog): Json {
    const { transaction_hash, topics, data, index, block_number, block_hash } = log;
    return {
      transaction_hash,
      tx_hash: transaction_hash,
      address: this.address(log.address),
      topics,
      data,
      index,
      smart_contract: log.smart_contract === null ? null : this.address(log.smart_contract),
      block_number,
      block_hash,
      block_timestamp: time(this.chain.at(block_number)!.block.timestamp),
    };
  }

  token(address: string): Json {
    const ledger = this.tokens.ledger.get(address)!;
    const reported = this.#reported.get(address);
    const named = getAddress(address);
    return {
      ...expectedToken(named, ledger),
      name: reported?.name ?? null,
      symbol: reported?.symbol ?? null,
      decimals: expectedDecimals(reported, expectedToken(named, ledger).type),
      total_supply: reported?.supply ?? (ledger.supply < 0n ? null : String(ledger.supply)),
      reputation: "ok",
      exchange_rate: null,
      coin_price: null,
      volume_24h: null,
      circulating_market_cap: null,
      circulating_supply: null,
      icon_url: null,
    };
  }

  /** All but `method` and the token's record. */
  transfer(transfer: PlainTransfer): Json {
    const plain = expectedTransfer(transfer, this.chain);
    const total = plain.total as Json;
    const decimals = expectedDecimals(this.#reported.get(transfer.token), transfer.kind);
    return {
      ...plain,
      from: this.address(transfer.from),
      to: this.address(transfer.to),
      token: getAddress(transfer.token),
      total: "decimals" in total ? { ...total, decimals } : total,
      timestamp: time(this.chain.at(transfer.block)!.block.timestamp),
    };
  }

  ofAddress(address: string) {
    return {
      transactions: this.transactions
        .filter(({ tx, receipt }) => [tx.from, tx.to, createdBy({ tx, receipt })].includes(address))
        .toReversed(),
      logs: this.logs.filter((log) => log.address === address).toReversed(),
      transfers: this.tokens.transfers.filter(({ from, to }) => from === address || to === address),
      balances: expectedBalances(this.tokens.ledger, address),
    };
  }

  /** One account, but for its token's record. */
  async account(address: string): Promise<Json> {
    const { logs, transfers, balances } = this.ofAddress(address);
    const [code, proxy] = [await this.state.code(address), await this.state.proxy(address)];
    const creation = this.#creation(address, code !== "0x");
    return {
      ...this.address(address),
      is_contract: code !== "0x",
      ...this.#proxy(proxy),
      creator_address_hash: creation === undefined ? null : getAddress(creation.creator),
      creation_transaction_hash: creation?.hash ?? null,
      creation_tx_hash: creation?.hash ?? null,
      creation_status: creation === undefined ? null : "success",
      token: this.tokens.ledger.has(address) ? getAddress(address) : null,
      coin_balance: String(await this.state.balance(address)),
      block_number_balance_updated_at: this.height,
      has_logs: logs.length > 0,
      has_tokens: balances.length > 0,
      has_token_transfers: transfers.length > 0,
      has_validated_blocks: this.validated(address).length > 0,
      has_beacon_chain_withdrawals: null,
      exchange_rate: null,
      watchlist_address_id: null,
    };
  }

  /** Undefined where there is no contract. */
  async contract(address: string): Promise<Json | undefined> {
    const [code, proxy] = [await this.state.code(address), await this.state.proxy(address)];
    if (code === "0x" && this.isContract(address) !== true) return undefined;
    const creation = this.#creation(address, proxy?.type !== "eip7702");
    return {
      ...this.#proxy(proxy),
      conflicting_implementations: null,
      verification_error: null,
      deployed_bytecode: code,
      creation_bytecode: creation?.input ?? null,
      creation_status: creation === undefined ? null : "success",
    };
  }

  #proxy(proxy: { readonly type: string; readonly implementation: string } | null): Json {
    if (proxy === null) return { proxy_type: null, implementations: [] };
    const address = getAddress(proxy.implementation);
    const name = this.#reported.get(proxy.implementation)?.name ?? null;
    return { proxy_type: proxy.type, implementations: [{ address_hash: address, address, name }] };
  }

  #creation(address: string, isContract: boolean) {
    const deployed = this.transactions.find((mined) => createdBy(mined) === address);
    if (deployed === undefined) return isContract ? this.state.creation(address) : undefined;
    const { from, hash, input } = deployed.tx;
    return { creator: from, hash, input: input as string };
  }

  /** The blocks that name an address as their miner, newest first. */
  validated(address: string): Json[] {
    const mined = blocksOf(this.chain).filter(({ block }) => block.miner === address);
    return mined.map(({ number }) => this.block(number)).reverse();
  }

  /** By how many holders they have; of equal ones, the first that appeared. */
  ranked(): string[] {
    const tokens = [...this.tokens.ledger].map(([token, ledger]) => ({
      token,
      holders: this.holders(ledger).length,
      place: this.appeared.get(token)!,
    }));
    return tokens.sort((a, b) => b.holders - a.holders || a.place - b.place).map(({ token }) => token);
  }

  /** The transactions that name each blob, newest first. */
  blobs(): Map<string, PlainMined[]> {
    const found = new Map<string, PlainMined[]>();
    for (const mined of this.transactions.toReversed()) {
      for (const hash of new Set((mined.tx.blobVersionedHashes ?? []) as string[])) {
        found.set(hash, [...(found.get(hash) ?? []), mined]);
      }
    }
    return found;
  }

  counters(address: string): { readonly counters: Json; readonly tabs: Json } {
    const { transactions, logs, transfers, balances } = this.ofAddress(address);
    const sent = this.transactions.filter(({ tx }) => tx.from === address);
    const received = this.isContract(address) ? this.transactions.filter(({ tx }) => tx.to === address) : [];
    const gasOf = (some: readonly PlainMined[]) =>
      some.reduce((sum, { receipt }) => sum + BigInt(receipt.gasUsed as string), 0n);
    return {
      counters: {
        transactions_count: String(transactions.length),
        token_transfers_count: String(transfers.length),
        gas_usage_count: String(gasOf(received) || gasOf(sent)),
        validations_count: String(this.validated(address).length),
      },
      tabs: {
        transactions_count: transactions.length,
        token_transfers_count: transfers.length,
        token_balances_count: balances.length,
        logs_count: logs.length,
        internal_transactions_count: null,
        validations_count: this.validated(address).length,
        withdrawals_count: null,
      },
    };
  }

  /** The largest first; of equal ones, the address that appeared later. */
  holders({ balances }: PlainToken): { holder: string; value: bigint }[] {
    return [...balances]
      .filter(([, value]) => value > 0n)
      .map(([holder, value]) => ({ holder, value }))
      .sort((a, b) => (a.value === b.value ? this.#place(b) - this.#place(a) : a.value > b.value ? -1 : 1));
  }

  /** Tokens in the order in which they appeared, then items in that of their first transfers. */
  balances(address: string): Json[] {
    const lines = expectedBalances(this.tokens.ledger, address).map((line) => {
      const [token, id, value] = line.split(" ") as [string, string, string];
      const item = id === "null" ? null : id;
      return { token, id: item, value, place: item === null ? -1 : this.itemPlaces().get(`${token} ${id}`)! };
    });
    lines.sort((a, b) => a.place - b.place || this.appeared.get(a.token)! - this.appeared.get(b.token)!);
    return lines.map(({ token, id, value }) => ({
      value,
      value_source: "ledger",
      token: getAddress(token),
      token_id: id,
      token_instance: id === null ? null : { id },
    }));
  }

  /** Number of items before each. */
  itemPlaces(): ReadonlyMap<string, number> {
    if (this.#items.size > 0) return this.#items;
    for (const { token, id } of this.tokens.transfers.toReversed()) {
      const name = `${token} ${id}`;
      if (id !== undefined && !this.#items.has(name)) this.#items.set(name, this.#items.size);
    }
    return this.#items;
  }

  #place({ holder }: { holder: string }): number {
    return this.appeared.get(holder)!;
  }
}

function createdBy({ tx, receipt }: Pick<PlainMined, "tx" | "receipt">): string | null {
  return tx.to === null && receipt.status !== "0x0" ? (receipt.contractAddress as string) : null;
}

function listedFault(entry: Json, { chainId }: WireTransaction): string | null {
  if (entry.chain_id !== 0 && entry.chain_id !== Number(chainId)) return "invalid_chain_id";
  return entry.nonce === String(2n ** 64n - 1n) ? "invalid_nonce" : null;
}

/** Specification, section 2.2: a text, for items too. */
function expectedDecimals(reported: ReportedToken | undefined, kind: unknown): string | null {
  return kind === "ERC-721" ? "0" : (reported?.decimals ?? (kind === "ERC-1155" ? "0" : null));
}
