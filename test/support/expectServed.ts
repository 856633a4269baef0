import assert from "node:assert/strict";
import type { Abi, Hex } from "viem";
import { encodeErrorResult, getAddress, parseAbi } from "viem";
import { recoverAuthorizationAddress } from "viem/utils";
import type { Json } from "./api.ts";
import type { ChainOracle, PlainMined } from "./chainOracle.ts";
import { FoundOracle } from "./foundOracle.ts";
import { ItemOracle } from "./itemOracle.ts";
import { blocksOf } from "./plainChain.ts";
import type { PlainTransfer } from "./plainLedger.ts";
import type { PlainLog } from "./plainLogs.ts";
import type { PlainState } from "./plainState.ts";
import type { Random } from "./random.ts";
import type { Lists } from "./site.ts";
import { walk } from "./site.ts";
import {
  expectedBaseFee,
  expectedContracts,
  expectedDay,
  expectedDays,
  expectedStats,
  expectedTips,
} from "./statsOracle.ts";
import type { Shown } from "./viemDecoding.ts";
import { expectDecoded, expectDecodedLog, expectMethod } from "./viemDecoding.ts";

export interface Comparison {
  readonly api: Lists;
  readonly oracle: ChainOracle;
  readonly random: Random;
  /** ABIs whose signatures are well known: what they decode must be decoded. */
  readonly abis: readonly Abi[];
  /** Named in what fails. */
  readonly label: string;
}

/** Compares all REST responses about a chain with its node; returns the number of records. */
export async function expectServed(comparison: Comparison): Promise<Record<string, number>> {
  const served = new ServedChain(comparison);
  await served.figures();
  await served.blocks();
  await served.transactions();
  await served.logs();
  await served.tokens();
  await served.rankedTokens();
  await served.addresses();
  await served.assets();
  await served.blobs();
  await served.search();
  return Object.fromEntries(served.counts);
}

const BUILT_IN = parseAbi(["error Error(string reason)", "error Panic(uint256 code)"]);
const EMPTY_REASON = encodeErrorResult({ abi: BUILT_IN, errorName: "Error", args: [""] });

class ServedChain {
  readonly counts = new Map<string, number>();
  readonly #of: Comparison;
  readonly #methods = new Map<string, unknown>();
  /** Records of tokens that were compared. */
  readonly #tokens = new Map<string, Json>();
  readonly #instances = new Map<string, Json>();
  #ofItems: ItemOracle | undefined;

  constructor(comparison: Comparison) {
    this.#of = comparison;
  }

  /** All pages of a list, with their envelopes; `pick` selects what is compared of an item. */
  async #list(path: string, expected: readonly unknown[], pick: (item: Json, at: number) => unknown): Promise<void> {
    const { api, oracle, random, label } = this.#of;
    const size = random.between(Math.max(1, Math.floor(expected.length / 6)), expected.length + 2);
    let page = 0;
    const items = await walk(api, path, size, async ({ items: _, next_page_params, ...envelope }) => {
      page++;
      assert.deepEqual(
        envelope,
        {
          page,
          page_size: size,
          total_pages: Math.ceil(expected.length / size),
          total_count: expected.length,
          block_number: oracle.height,
          since_block: 0,
        },
        `${label} ${path}`,
      );
      assert.equal(next_page_params === null, page * size >= expected.length, `${label} ${path} page ${page}`);
    });
    assert.deepEqual(items.map(pick), expected, `${label} ${path}`);
    this.#count(path.replace(/0x[0-9a-f]+|\b\d+\b/g, "*").split("?")[0]!, items.length);
  }

  #count(what: string, many: number): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + many);
  }

  async #record(path: string): Promise<Json> {
    const { status, body } = await this.#of.api.fetch(path);
    assert.equal(status, 200, `${this.#of.label} ${path} ${JSON.stringify(body)}`);
    this.#count(path.replace(/0x[0-9a-fA-F]+|\b\d+\b/g, "*"), 1);
    return body;
  }

  async figures(): Promise<void> {
    const { oracle, label } = this.#of;
    const stats = { ...expectedStats(oracle.chain), total_addresses: String(oracle.appeared.size) };
    assert.deepEqual(await this.#record("stats"), { ...stats, ...expectedPrices(oracle, stats), ...NO_PRICES }, label);
    assert.deepEqual(await this.#record("main-page/indexing-status"), INDEXED, label);
    assert.deepEqual(
      await this.#record("stats/charts/transactions"),
      { chart_data: expectedDays(oracle.chain) },
      label,
    );
    assert.deepEqual(await this.#record("smart-contracts/counters"), expectedContracts(oracle.chain), label);
    const pending = await oracle.state.pending?.();
    assert.deepEqual(await this.#record("transactions/stats"), expectedDay(oracle.chain, 0, pending), label);
  }

  async blocks(): Promise<void> {
    const { oracle, label } = this.#of;
    const expected = blocksOf(oracle.chain).map(({ number }) => oracle.block(number));
    await this.#list("blocks", expected.toReversed(), (item) => item);
    await this.#list("main-page/blocks", expected.toReversed(), (item) => item);
    for (const block of expected) {
      for (const id of [block.height, block.hash]) {
        assert.deepEqual(await this.#record(`blocks/${id}`), block, `${label} block ${id}`);
      }
      const inBlock = oracle.transactions.filter((mined) => mined.block.hash === block.hash);
      await this.#transactions(`blocks/${block.height}/transactions`, inBlock);
      await this.#list(`blocks/${block.hash}/withdrawals`, oracle.withdrawals(block.height as number), (item) => item);
    }
    assert.equal((await this.#of.api.fetch(`blocks/${oracle.height + 1}`)).status, 404, label);
  }

  async #transactions(path: string, expected: readonly PlainMined[]): Promise<void> {
    const records = expected.map((mined) => this.#of.oracle.listed(mined));
    await this.#list(path, records, ({ decoded_input, method, ...item }, at) => {
      this.#expectCall(expected[at], decoded_input, method, true);
      return item;
    });
  }

  #expectCall(mined: PlainMined | undefined, shown: unknown, method: unknown, isListed: boolean): void {
    const { oracle, abis, label } = this.#of;
    if (mined === undefined) return;
    const input = mined.tx.input as Hex;
    const name = `${label} ${mined.tx.hash}`;
    if (!oracle.isCall(mined)) {
      assert.deepEqual([shown, method], [null, null], name);
      return;
    }
    const isLong = isListed && input.length > 2 + 2 * 1024;
    if (isLong) assert.equal(shown, null, name);
    else {
      expectDecoded(shown as Shown | null, input, abis, name);
      expectMethod(method, shown as Shown | null, input, name);
    }
    if (isListed) this.#methods.set(mined.tx.hash, method);
  }

  async transactions(): Promise<void> {
    const { oracle, label } = this.#of;
    const newestFirst = oracle.transactions.toReversed();
    await this.#transactions("transactions", newestFirst);
    await this.#transactions("main-page/transactions", newestFirst);
    const transfers = Map.groupBy(oracle.tokens.transfers.toReversed(), ({ transaction }) => transaction);
    const logs = Map.groupBy(oracle.logs, (log) => log.transaction_hash);
    for (const mined of oracle.transactions) {
      const { hash } = mined.tx;
      const name = `${label} ${hash}`;
      const {
        decoded_input,
        method,
        token_transfers,
        revert_reason,
        summary: _summary,
        ...body
      } = await this.#record(`transactions/${hash}`);
      const { token_transfers: _, revert_reason: __, ...expected } = oracle.listed(mined);
      const own = transfers.get(hash) ?? [];
      const failure = oracle.state.failure(hash);
      const whole = {
        ...expected,
        authorization_list: await authorities(mined, expected.authorization_list as Json[], oracle.state),
        ...(failure !== undefined && { result: failure.error }),
      };
      assert.deepEqual(body, whole, name);
      this.#expectCall(mined, decoded_input, method, false);
      this.#expectRevert(revert_reason, failure?.output ?? "0x", name);
      await this.#transfers(`transactions/${hash}/token-transfers`, own);
      assert.deepEqual(
        (token_transfers as Json[]).map((item) => this.#pickTransfer(item)),
        own.slice(0, 10).map((transfer) => this.#expectedTransfer(transfer)),
        name,
      );
      await this.#logs(`transactions/${hash}/logs`, logs.get(hash) ?? []);
      await this.#blobs(mined);
    }
  }

  #expectRevert(shown: unknown, output: Hex, label: string): void {
    if (output === "0x") {
      assert.equal(shown, null, label);
      return;
    }
    const abis = [...this.#of.abis, BUILT_IN];
    if (shown !== null && "raw" in (shown as Json)) {
      assert.deepEqual(shown, { raw: output }, label);
      expectDecoded(null, output, abis, label, "error");
      return;
    }
    const { text, ...decoded } = shown as Shown;
    this.#count("reverted", 1);
    // Solidity before 0.8 put a word of zeros behind a reason without text.
    const data = output === `${EMPTY_REASON}${"0".repeat(64)}` ? EMPTY_REASON : output;
    expectDecoded(decoded as Shown, data, abis, label, "error");
    if (decoded.method_call.startsWith("Error(")) assert.equal(text, decoded.parameters[0]!.value, label);
  }

  async #blobs({ tx }: PlainMined): Promise<void> {
    const names = (tx.type === "0x3" ? tx.blobVersionedHashes : []) as string[];
    const blobs = names.length === 0 ? [] : await this.#of.oracle.state.blobs(tx.hash);
    const expected = names.map((hash, at) => ({ hash, ...(blobs[at] ?? NO_BLOB) }));
    await this.#list(`transactions/${tx.hash}/blobs`, expected, (item) => item);
  }

  async #logs(path: string, expected: readonly PlainLog[]): Promise<void> {
    const { oracle, abis, label } = this.#of;
    const records = expected.map((log) => oracle.log(log));
    await this.#list(path, records, ({ decoded, ...item }, at) => {
      const log = expected[at];
      const name = `${label} log ${log?.index} of ${log?.block_number}`;
      if (log !== undefined) expectDecodedLog(decoded as Shown | null, log, abis, name);
      return item;
    });
  }

  async logs(): Promise<void> {
    const { oracle } = this.#of;
    for (const address of new Set(oracle.logs.map((log) => log.address))) {
      await this.#logs(`addresses/${address}/logs`, oracle.ofAddress(address).logs);
    }
  }

  #pickTransfer({ token, ...item }: Json): Json {
    const { address_hash } = token as Json;
    const known = this.#tokens.get(String(address_hash));
    if (known !== undefined) assert.deepEqual(token, known, this.#of.label);
    return { ...item, total: withItem(item.total as Json, pickItem), token: address_hash };
  }

  #expectedTransfer(transfer: PlainTransfer): Json {
    const { total, ...expected } = this.#of.oracle.transfer(transfer);
    const { token, transaction } = transfer;
    const named = withItem(total as Json, ({ id }) => this.#expectedItem(token, String(id)));
    return { ...expected, total: named, method: this.#methods.get(transaction) ?? null };
  }

  #expectedItem(address: string, id: string): Json {
    this.#ofItems ??= new ItemOracle(this.#of.oracle);
    const key = `${address} ${id}`;
    const known = this.#instances.get(key) ?? this.#ofItems.instance(address, id);
    this.#instances.set(key, known);
    const { token, ...item } = known;
    return item;
  }

  async #transfers(path: string, expected: readonly PlainTransfer[]): Promise<void> {
    const records = expected.map((transfer) => this.#expectedTransfer(transfer));
    await this.#list(path, records, (item) => this.#pickTransfer(item));
  }

  async tokens(): Promise<void> {
    const { oracle, label } = this.#of;
    await this.#transfers("token-transfers", oracle.tokens.transfers);
    for (const [token, ledger] of oracle.tokens.ledger) {
      const { labels, observed_block_number, ...body } = await this.#record(`tokens/${token}`);
      assert.deepEqual(body, oracle.token(token), `${label} token ${token}`);
      this.#tokens.set(getAddress(token), { ...body, labels, observed_block_number });
      const holders = oracle.holders(ledger);
      await this.#expectReported(token, labels as string[]);
      const transfers = oracle.tokens.transfers.filter((transfer) => transfer.token === token);
      const counters = { token_holders_count: String(holders.length), transfers_count: String(transfers.length) };
      assert.deepEqual(await this.#record(`tokens/${token}/counters`), counters, `${label} token ${token}`);
      const ranking = holders.map(({ holder, value }) => ({
        address: oracle.address(holder),
        value: String(value),
        value_source: "ledger",
        token_id: null,
      }));
      const ofItems = new ItemOracle(oracle);
      const ranked = ofItems.isItems(token) ? ofItems.holders(token) : ranking;
      await this.#list(`tokens/${token}/holders`, ranked, (item) => item);
      await this.#items(token, ofItems);
      await this.#transfers(`tokens/${token}/transfers`, transfers);
    }
  }

  async #items(token: string, of: ItemOracle): Promise<void> {
    const { oracle, random, label } = this.#of;
    const ids = of.idsOf(token);
    const instances = (some: readonly string[]) => some.map((id) => of.instance(token, id));
    await this.#list(`tokens/${token}/instances`, instances(ids), (item) => this.#pickInstance(item));
    const holder = ids.length === 0 ? undefined : random.pick([...oracle.appeared.keys()]);
    if (holder !== undefined) {
      const own = new Set(of.own(holder, ["ERC-721", "ERC-1155"]).map((item) => `${item.token} ${item.id}`));
      const held = ids.filter((id) => own.has(`${getAddress(token)} ${id}`));
      const path = `tokens/${token}/instances?holder_address_hash=${holder}`;
      await this.#list(path, instances(held), (item) => this.#pickInstance(item));
    }
    for (const id of random.shuffle(ids).slice(0, 4)) {
      const path = `tokens/${token}/instances/${id}`;
      assert.deepEqual(this.#pickInstance(await this.#record(path)), of.instance(token, id), `${label} ${path}`);
      const owner = await oracle.state.owner?.(token, BigInt(id));
      if (owner !== undefined && !of.isItems(token)) assert.equal(owner, of.owner(token, id), `${label} ${path}`);
      const transfers = of.transfers(token, id);
      await this.#transfers(`${path}/transfers`, transfers);
      assert.deepEqual(await this.#record(`${path}/transfers-count`), { transfers_count: transfers.length }, path);
      await this.#list(`${path}/holders`, of.holdersOf(token, id), (item) => item);
    }
  }

  /** Without fields read from the contract. */
  #pickInstance({ token, ...item }: Json): Json {
    assert.deepEqual(token, this.#tokens.get(String((token as Json).address_hash)), this.#of.label);
    return { ...pickItem(item), token: (token as Json).address_hash };
  }

  async assets(): Promise<void> {
    const { oracle, random } = this.#of;
    const of = new ItemOracle(oracle);
    for (const address of random.shuffle([...oracle.appeared.keys(), NOBODY]).slice(0, 8)) {
      const balances = this.#expectedBalances(address);
      for (const types of ["", "ERC-20", "ERC-721", "ERC-1155", "ERC-721,ERC-1155", "ERC-20,ERC-721"]) {
        const some = balances.filter(({ token }) => {
          return types === "" || types.split(",").includes(String(this.#tokens.get(String(token))!.type));
        });
        await this.#list(`addresses/${address}/tokens?type=${types}`, some, (item) => this.#pickBalance(item));
      }
      for (const types of ["ERC-721,ERC-1155", "ERC-721", "ERC-1155"]) {
        const kinds = types.split(",");
        const own = of.own(address, kinds);
        await this.#list(`addresses/${address}/nft?type=${types}`, own, (item) => this.#pickInstance(item));
        const path = `addresses/${address}/nft/collections?type=${types}`;
        await this.#list(path, of.collections(address, kinds), ({ token, token_instances, ...item }) => ({
          ...item,
          token: (token as Json).address_hash,
          token_instances: (token_instances as Json[]).map((one) => this.#pickInstance(one)),
        }));
      }
    }
  }

  /** Sums of transfers equal the token's own balances, unless a label says otherwise. */
  async #expectReported(token: string, labels: readonly string[]): Promise<void> {
    const { oracle, label } = this.#of;
    const { balances, itemBalances, kinds } = oracle.tokens.ledger.get(token)!;
    const sums = kinds.has("ERC-1155") ? itemBalances : balances;
    let differing = 0;
    for (const [key, balance] of sums) {
      const [id, holder] = key.includes("/") ? key.split("/") : [undefined, key];
      const reported = await oracle.state.tokenBalance(token, holder!, id === undefined ? undefined : BigInt(id));
      if (reported === undefined) return;
      this.#count("balanceOf", 1);
      if (reported !== balance) differing++;
    }
    assert.deepEqual([labels, differing], [[], 0], `${label} balances of ${token}`);
  }

  async rankedTokens(): Promise<void> {
    const { oracle } = this.#of;
    const ranked = oracle.ranked().map((token) => this.#tokens.get(getAddress(token))!);
    await this.#list("tokens", ranked, (item) => item);
    for (const types of ["ERC-20", "ERC-721", "ERC-1155,ERC-721"]) {
      const some = ranked.filter(({ type }) => types.split(",").includes(String(type)));
      await this.#list(`tokens?type=${types}`, some, (item) => item);
    }
  }

  async blobs(): Promise<void> {
    const { oracle, label } = this.#of;
    for (const [hash, named] of oracle.blobs()) {
      const { tx } = named[0]!;
      const blobs = await oracle.state.blobs(tx.hash);
      const blob = blobs[(tx.blobVersionedHashes as string[]).indexOf(hash)] ?? NO_BLOB;
      const hashes = named.map((one) => ({ block_consensus: true, transaction_hash: one.tx.hash }));
      assert.deepEqual(await this.#record(`blobs/${hash}`), { hash, ...blob, transaction_hashes: hashes }, label);
    }
  }

  async addresses(): Promise<void> {
    const { oracle, label } = this.#of;
    const miners = blocksOf(oracle.chain).map(({ block }) => String(block.miner));
    for (const address of new Set([...oracle.appeared.keys(), ...miners, NOBODY])) {
      const name = `${label} ${address}`;
      const { token, ...account } = await this.#record(`addresses/${address}`);
      const { token: expectedToken, ...expected } = await oracle.account(address);
      assert.deepEqual(account, expected, name);
      assert.deepEqual(token, expectedToken === null ? null : this.#tokens.get(String(expectedToken)), name);
      const { counters, tabs } = oracle.counters(address);
      assert.deepEqual(await this.#record(`addresses/${address}/counters`), counters, name);
      assert.deepEqual(await this.#record(`addresses/${address}/tabs-counters`), tabs, name);
      const { transactions, transfers } = oracle.ofAddress(address);
      await this.#transactions(`addresses/${address}/transactions`, transactions);
      await this.#transfers(`addresses/${address}/token-transfers`, transfers);
      await this.#balances(address);
      await this.#list(`addresses/${address}/blocks-validated`, oracle.validated(address), (item) => item);
      await this.#contract(address);
    }
  }

  #expectedBalances(address: string): Json[] {
    return this.#of.oracle
      .balances(address)
      .map((line) => withItem(line, ({ id }) => this.#expectedItem(String(line.token).toLowerCase(), String(id))));
  }

  async #balances(address: string): Promise<void> {
    const expected = this.#expectedBalances(address);
    await this.#list(`addresses/${address}/token-balances`, expected, (item) => this.#pickBalance(item));
  }

  #pickBalance({ token, ...item }: Json): Json {
    const { address_hash } = token as Json;
    assert.deepEqual(token, this.#tokens.get(String(address_hash)));
    return { ...withItem(item, pickItem), token: address_hash };
  }

  /** Every token by its name and symbol, everything by its address, number or hash. */
  async search(): Promise<void> {
    const { oracle, label } = this.#of;
    const found = new FoundOracle(oracle);
    const expect = (query: string, expected: readonly Json[]) =>
      this.#list(`search?q=${encodeURIComponent(query)}`, expected, (item) => item);
    for (const query of found.queries()) {
      const tokens = found.tokens(query);
      await expect(query, tokens);
      const records = tokens.map(({ address }) => this.#tokens.get(String(address)));
      await this.#list(`tokens?q=${encodeURIComponent(query)}`, records, (item) => item);
    }
    for (const address of oracle.appeared.keys()) await expect(address, found.address(address));
    for (const [hash, [newest]] of oracle.blobs()) await expect(hash, [found.blob(hash, newest!)]);
    for (const mined of oracle.transactions) await expect(mined.tx.hash, [found.transaction(mined)]);
    for (const block of blocksOf(oracle.chain)) {
      await expect(block.hash, [found.block(block)]);
      const redirect = { redirect: true, type: "block", parameter: block.hash };
      assert.deepEqual(await this.#record(`search/check-redirect?q=${block.number}`), redirect, label);
    }
    this.#count("is_copy", found.copies());
  }

  async #contract(address: string): Promise<void> {
    const { api, oracle, label } = this.#of;
    const expected = await oracle.contract(address);
    const { status, body } = await api.fetch(`smart-contracts/${address}`);
    const answer = expected === undefined ? [404, { message: "Not found" }] : [200, expected];
    assert.deepEqual([status, body], answer, `${label} contract ${address}`);
    this.#count("smart-contracts/*", 1);
  }
}

/** One that is on no chain. */
const NOBODY = `0x${"0".repeat(38)}ff`;

function expectedPrices({ chain }: ChainOracle, stats: Json): Json {
  const base = expectedBaseFee(chain);
  const { slow, average, fast } = expectedTips(chain);
  const gwei = (tip: bigint) => Number(base + tip) / 1e9;
  return {
    gas_prices: { slow: gwei(slow), average: gwei(average), fast: gwei(fast) },
    gas_prices_update_in: Math.round(Math.min(Math.max(stats.average_block_time as number, 1000), 60_000)),
  };
}

const NO_PRICES = {
  static_gas_price: null,
  coin_price: null,
  coin_price_change_percentage: null,
  secondary_coin_price: null,
  coin_image: null,
  secondary_coin_image: null,
  market_cap: null,
  tvl: null,
};

const INDEXED = {
  finished_indexing: true,
  finished_indexing_blocks: true,
  indexed_blocks_ratio: "1.0000",
  indexed_internal_transactions_ratio: null,
};

const NO_BLOB = { blob_data: null, kzg_commitment: null, kzg_proof: null };

function authorities({ tx, block }: PlainMined, shown: readonly Json[], state: PlainState): Promise<Json[]> {
  const entries = (tx.authorizationList ?? []) as Record<
    "address" | "chainId" | "nonce" | "yParity" | "r" | "s",
    Hex
  >[];
  return Promise.all(
    entries.map(async ({ address, chainId, nonce, yParity, r, s }, at) => {
      // viem takes any number here, but its type has none above 2^53.
      const authorization = { address, chainId: Number(chainId), nonce: BigInt(nonce) as unknown as number };
      const signature = { r: padded(r), s: padded(s), yParity: Number(yParity) };
      const authority = await recoverAuthorizationAddress({ authorization, signature }).catch(() => null);
      const code = authority && (await state.codeAt?.(authority, block.number));
      const isSet = code?.toLowerCase() === `0xef0100${address.slice(2).toLowerCase()}`;
      const status = shown[at]!.status ?? (authority === null ? "invalid_signature" : isSet ? "ok" : null);
      return { ...shown[at], authority, status };
    }),
  );
}

const padded = (word: Hex): Hex => `0x${word.slice(2).padStart(64, "0")}`;

/** Without fields read from the item's contract. */
function pickItem({ token_uri, metadata, metadata_error, ...item }: Json): Json {
  const { image_url, animation_url, external_app_url, media_url, ...rest } = item;
  return rest;
}

/** A record with something else for its instance, where it has one. */
function withItem({ token_instance, ...rest }: Json, map: (item: Json) => Json): Json {
  if (token_instance === undefined) return rest;
  return { ...rest, token_instance: token_instance === null ? null : map(token_instance as unknown as Json) };
}
