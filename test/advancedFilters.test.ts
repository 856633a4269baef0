import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { parseAdvancedFilter } from "../src/api/rest/advanced/parseAdvancedFilter.ts";
import { TokenObserver } from "../src/indexer/observe/observer.ts";
import { listAdvanced } from "../src/query/advanced/advancedList.ts";
import { openQueryContext } from "../src/query/context.ts";
import type { MergeCursor } from "../src/query/pages.ts";
import type { PlainFilter, PlainItem } from "./support/advancedOracle.ts";
import { isWanted, plainItems, servedItem } from "./support/advancedOracle.ts";
import type { Json } from "./support/api.ts";
import { ChainOracle } from "./support/chainOracle.ts";
import { demonstrated } from "./support/demonstrated.ts";
import { readPlainChain } from "./support/plainChain.ts";
import { askedState } from "./support/plainState.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import type { Lists } from "./support/site.ts";
import { listsOf, walk } from "./support/site.ts";
import type { PlainCall } from "./support/tracedChain.ts";
import { TracedChain } from "./support/tracedChain.ts";
import { until } from "./support/waiting.ts";

const SEED = firstSeed();
const CASES = Number(process.env.ORIEL_CASES ?? 30);
const BLOCKS = 46;
const PATH = "advanced-filters";

interface Demonstrated {
  readonly traced: TracedChain;
  readonly api: Lists;
  /** Mines a block. */
  readonly live: () => Promise<unknown>;
  /** All there was when it was opened. */
  readonly items: readonly PlainItem[];
}

async function openDemonstration(t: TestContext): Promise<Demonstrated> {
  const { node, demonstration } = await demonstrated({ seed: String(SEED), blocks: BLOCKS });
  await demonstration.buildPast();
  const traced = await TracedChain.over(t, node);
  await traced.settle();
  const observer = new TokenObserver({ store: traced.store, source: traced.source });
  const api = listsOf((path) => traced.get(`/api/v2/${path}`));
  const ask = <T>(method: string, ...params: unknown[]) => node.ask<T>(method, ...params);
  const read = async (): Promise<PlainItem[]> => {
    const chain = await readPlainChain(ask);
    const state = { ...askedState(ask), creation: () => undefined, failure: () => undefined };
    const oracle = await ChainOracle.read(chain, state);
    const reported = new Map();
    for (const token of oracle.tokens.ledger.keys()) reported.set(token, await state.token(token));
    await until("all tokens were observed", async () => {
      await observer.round();
      const tokens = await walk(api, "tokens", 100);
      return tokens.every(({ observed_block_number }) => observed_block_number !== null);
    });
    const calls: PlainCall[] = [];
    for (let number = 1; number <= chain.head.number; number++) calls.push(...(await traced.plainCalls(number)));
    return plainItems(oracle, calls, reported);
  };
  return { traced, api, live: () => demonstration.live(), items: await read() };
}

const TYPES = [
  ...["coin_transfer", "contract_interaction", "contract_creation", "COIN_TRANSFER"],
  ...["ERC-20", "ERC-721", "ERC-1155", "erc-20", "ERC-404"],
];

/** A filter that something of the chain fits by most of its parameters. */
function randomFilter(random: Random, items: readonly PlainItem[]): PlainFilter {
  const some = <T>(pick: (item: PlainItem) => T | null): string =>
    Array.from({ length: random.between(1, 3) }, () => pick(random.pick(items)))
      .filter((one) => one !== null)
      .join(",");
  const makers: Record<string, () => string> = {
    transaction_types: () =>
      random
        .shuffle([...TYPES])
        .slice(0, random.between(1, 3))
        .join(","),
    methods: () => some(({ selector }) => selector),
    age_from: () => new Date(random.pick(items).time * 1000 + random.pick([-1, 0, 1])).toISOString(),
    age_to: () => new Date(random.pick(items).time * 1000 + random.pick([-1, 0, 1])).toISOString(),
    from_address_hashes_to_include: () => some(({ from }) => from),
    from_address_hashes_to_exclude: () => some(({ from }) => from),
    to_address_hashes_to_include: () => some(({ to }) => to),
    to_address_hashes_to_exclude: () => some(({ to }) => to),
    address_relation: () => random.pick(["or", "and"]),
    amount_from: () => amountNear(random, random.pick(items)),
    amount_to: () => amountNear(random, random.pick(items)),
    token_contract_address_hashes_to_include: () => some(({ token }) => token),
    token_contract_address_hashes_to_exclude: () => some(({ token }) => token),
    token_contract_symbols_to_include: () => some(({ symbol }) => symbol),
    token_contract_symbols_to_exclude: () => some(({ symbol }) => symbol),
  };
  const names = random.shuffle(Object.keys(makers)).slice(0, random.between(0, 4));
  const made = names.map((name) => [name, makers[name]!()] as const);
  return Object.fromEntries(made.filter(([, value]) => value !== ""));
}

function amountNear(random: Random, { amount, decimals }: PlainItem): string {
  const near = amount + BigInt(random.between(0, 2)) - 1n;
  const digits = String(near < 0n ? 0n : near).padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  return decimals === 0 ? whole : `${whole}.${digits.slice(digits.length - decimals)}`;
}

const pathOf = (filter: PlainFilter) => `${PATH}?${new URLSearchParams(filter)}`;

test(`advanced filters find what is on the demonstration's chain (seed ${SEED})`, async (t) => {
  const opened = await openDemonstration(t);
  await t.test(`${CASES} random filters find what blocks, receipts and traces have`, (t) => expectFound(t, opened));
  await t.test("what a filter names is said beside its items, and how far traces are", () => expectNamed(opened));
  await t.test("a walk goes on while the chain grows and forks, and shows no item twice", () => expectWalked(opened));
});

async function expectFound(t: TestContext, { traced, api, items }: Demonstrated): Promise<void> {
  const random = new Random(SEED);
  const found = { full: 0, some: 0, none: 0 };
  const network = openQueryContext({ store: traced.store });
  t.after(() => network.decoder.close());

  for (let at = 0; at < CASES; at++) {
    const filter = randomFilter(random, items);
    const label = `seed ${SEED}, case ${at}: ${JSON.stringify(filter)}`;
    const wanted = items.filter((item) => isWanted(item, filter));
    const served = await walk(api, pathOf(filter), random.between(20, 300));
    assert.deepEqual(
      served.map(servedItem),
      wanted.map(({ shown }) => shown),
      label,
    );
    found[served.length === items.length ? "full" : served.length > 0 ? "some" : "none"]++;
    if (at % 10 !== 0) continue;
    const keys: string[] = [];
    const [pageSize, max] = [random.between(3, 40), random.between(1, 400)];
    for (let cursor: MergeCursor | undefined, page = 1; ; page++) {
      const part = await listAdvanced(network, parseAdvancedFilter(filter), { page, pageSize, cursor }, max);
      for (const { mined, transfer, call } of part.items)
        keys.push([mined.block.header.number, mined.index, transfer?.logIndex ?? null, call?.index ?? null].join(" "));
      assert.ok(part.items.length <= pageSize, label);
      cursor = part.info.next?.cursor;
      if (cursor === undefined) break;
    }
    assert.deepEqual(keys, wanted.map(keyOf), `${label} in steps of ${max}`);
  }
  t.diagnostic(JSON.stringify({ items: items.length, ...found }));
  assert.ok(found.some > CASES / 4 && found.none < CASES / 2, JSON.stringify(found));
  const kinds = new Set(items.map(({ shown }) => `${shown.type} ${shown.internal_transaction_index !== null}`));
  assert.equal(kinds.size, 9, [...kinds].join());
}

const keyOf = ({ shown }: PlainItem) =>
  [shown.block_number, shown.transaction_index, shown.token_transfer_index, shown.internal_transaction_index].join(" ");

async function expectWalked({ traced, api, live, items }: Demonstrated): Promise<void> {
  const snapshot = await traced.node.ask("evm_snapshot");
  const height = await traced.height();
  let pages = 0;

  const served = await walk(api, PATH, 40, async () => {
    if (++pages === 2) for (let block = 0; block < 3; block++) await live();
    if (pages === 4) await traced.node.ask("evm_revert", snapshot);
    if (pages === 4) for (let block = 0; block < 2; block++) await live();
    if (pages < 6) await traced.settle();
  });

  assert.deepEqual(
    served.map(servedItem),
    items.map(({ shown }) => shown),
  );
  assert.ok((await traced.height()) > height && pages > 6);
}

async function expectNamed({ traced, api, items }: Demonstrated): Promise<void> {
  const transfer = items.find(({ types }) => types.includes("ERC-20"))!;

  const list = await api.list(
    `${PATH}?methods=0xa9059cbb,0x12345678&token_contract_address_hashes_to_include=${transfer.token},native`,
  );
  const { methods, tokens } = list.search_params as unknown as { methods: Json; tokens: Record<string, Json> };
  assert.deepEqual(methods, { "0xa9059cbb": "transfer", "0x12345678": null });
  assert.deepEqual(
    Object.values(tokens).map(({ symbol }) => symbol),
    [transfer.symbol],
  );
  assert.equal(list.traced_block_number, await traced.height());
  const file = await traced.app.inject({ method: "GET", url: `/api/v2/${PATH}/csv?transaction_types=ERC-20` });
  const rows = file.body.trim().split("\r\n").length - 1;
  assert.equal(rows, items.filter(({ types }) => types.includes("ERC-20")).length);
}

test("methods are found by selector and by how their names begin", async (t) => {
  const traced = await TracedChain.open(t);
  const api = listsOf((path) => traced.get(`/api/v2/${path}`));
  const all = await walk(api, `${PATH}/methods`, 100);
  const named = (await api.list(`${PATH}/methods`, { q: "TransferF" })).items;

  assert.ok(all.length > 100);
  assert.deepEqual(
    all.map(({ name }) => name),
    all.map(({ name }) => name).toSorted((a, b) => (String(a) < String(b) ? -1 : 1)),
  );
  assert.ok(named.some(({ method_id, name }) => method_id === "0x23b872dd" && name === "transferFrom"));
  assert.deepEqual((await api.list(`${PATH}/methods`, { q: "0xA9059CBB" })).items, [
    { method_id: "0xa9059cbb", name: "transfer" },
  ]);
  assert.deepEqual((await api.list(`${PATH}/methods`, { q: "0x00000001" })).items, [
    { method_id: "0x00000001", name: null },
  ]);
  assert.deepEqual((await api.list(`${PATH}/methods`, { q: "'; --" })).items, []);
});

test("what cannot be honoured is refused, and says which", async (t) => {
  const traced = await TracedChain.open(t);
  const address = `0x${"1".repeat(40)}`;
  const bad: [query: string, parameter: string][] = [
    ["transaction_types=coin", "transaction_types"],
    ["transaction_types=ERC-20&transaction_types=ERC-721", "transaction_types"],
    ["methods=transfer", "methods"],
    ["methods=0xa9059cbb0", "methods"],
    [`methods=${Array(21).fill("0xa9059cbb").join()}`, "methods"],
    ["age_from=yesterday", "age_from"],
    ["age_to=1e9", "age_to"],
    ["from_address_hashes_to_include=0x12", "from_address_hashes_to_include"],
    [`to_address_hashes_to_exclude=${address},`, "to_address_hashes_to_exclude"],
    ["address_relation=xor", "address_relation"],
    ["amount_from=-1", "amount_from"],
    ["amount_to=1e3", "amount_to"],
    [`amount_to=${"9".repeat(79)}`, "amount_to"],
    ["token_contract_address_hashes_to_include=coin", "token_contract_address_hashes_to_include"],
    [`token_contract_symbols_to_include=${"A".repeat(257)}`, "token_contract_symbols_to_include"],
    ["page=2", "page"],
    ["anchor=below-1-2-0-1-2", "anchor"],
    ["anchor=below-1-2-0-1-2-x", "anchor"],
    ["anchor=below-x-2-0-1-2-3", "anchor"],
    ["sort=value", "sort"],
  ];

  for (const [query, parameter] of bad) {
    const { status, body } = await traced.get(`/api/v2/${PATH}?${query}`);
    const [fault] = (body.errors ?? []) as unknown as { source: { pointer: string } }[];
    assert.deepEqual([status, fault?.source.pointer], [422, `/${parameter}`], query);
  }
  assert.equal((await traced.get(`/api/v2/${PATH}/methods?q=${"a".repeat(257)}`)).status, 422);
});
