import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { fromHex } from "../../src/chain/encoding/hex.ts";
import { TokenObserver } from "../../src/indexer/observe/observer.ts";
import { Upstream } from "../../src/source/upstream.ts";
import type { Json } from "../support/api.ts";
import { plainLedger } from "../support/plainLedger.ts";
import { Random } from "../support/random.ts";
import type { SimulatedNode } from "../support/simulatedNode.ts";
import { startSimulatedNode } from "../support/simulatedNode.ts";
import { simulatedSource } from "../support/simulatedSource.ts";
import type { TokenContract } from "../support/simulatedTokens.ts";
import { contractsOf, encodeText, HOSTILE, ledgerToken, NAMES } from "../support/simulatedTokens.ts";
import type { Site } from "../support/site.ts";
import { openSite } from "../support/site.ts";

/** A site whose node answers `eth_call`, and an observer of its tokens. */
interface Observed extends Site {
  readonly tokens: Map<string, TokenContract>;
  readonly node: SimulatedNode;
  observe(): Promise<void>;
  /** Calls of `balanceOf` that the node has got. */
  asked(): number;
}

async function openObserved(t: TestContext, seed: number, blocks = 30): Promise<Observed> {
  let upstream: Upstream | undefined;
  const site = await openSite(t, {
    seed,
    traffic: { honestTokens: 4, transactions: [2, 8], logs: [0, 1] },
    source: (chain) => ({ ...simulatedSource(chain), call: (calls, at) => upstream!.call(calls, at) }),
  });
  const tokens = new Map<string, TokenContract>();
  const node = await startSimulatedNode(site.chain, { contracts: contractsOf(tokens) });
  upstream = new Upstream({ url: node.url, retry: { attempts: 1, invalidAttempts: 1 }, sockets: 8 });
  t.after(async () => {
    await upstream.close();
    await node.close();
  });
  site.chain.mine(blocks);
  await site.index();
  const observer = new TokenObserver({ store: site.store, source: upstream });
  const calls = () => node.requests.flatMap((request) => request.calls);
  const isBalance = ({ params }: { params: readonly unknown[] }) =>
    String((params[0] as Json | undefined)?.data).startsWith("0x70a08231");
  return {
    ...site,
    tokens,
    node,
    observe: async () => {
      while ((await observer.round()) > 0);
    },
    asked: () => calls().filter(isBalance).length,
  };
}

test("the name of a token stands wherever its address does", async (t) => {
  const site = await openObserved(t, 40);
  const [token] = site.chain.honestTokens as [string];
  site.tokens.set(token, ledgerToken(site.chain, token));
  await site.observe();

  const { items } = await site.list(`addresses/${token}/logs`);

  assert.ok(items.length > 0);
  for (const log of items) assert.equal((log.address as Json).name, NAMES.name);
  const sender = site.chain.at(1)!.block.transactions[0]!;
  assert.equal(((await site.fetch(`transactions/${sender.hash}`)).body.from as Json).name, null);
});

test("2.2 an observed token says its name, symbol, decimals and supply", async (t) => {
  const site = await openObserved(t, 41);
  const [token] = site.chain.honestTokens as [string];
  site.tokens.set(token, ledgerToken(site.chain, token));
  await site.observe();

  const { body } = await site.fetch(`tokens/${token}`);
  const [transfer] = (await site.list(`tokens/${token}/transfers`)).items;

  const { supply, balances } = plainLedger(site.chain).get(token)!;
  const holders = [...balances.values()].filter((balance) => balance > 0n).length;
  assert.deepEqual(
    [body.name, body.symbol, body.decimals, body.type, body.holders, body.total_supply, body.labels],
    [NAMES.name, NAMES.symbol, String(NAMES.decimals), "ERC-20", String(holders), String(supply), []],
  );
  assert.equal(body.observed_block_number, site.chain.head.number);
  assert.equal((transfer!.total as Json).decimals, String(NAMES.decimals));
});

test("2.2 a token just met is asked for its names, and answered with what is known where the node is silent", async (t) => {
  const site = await openObserved(t, 41);
  const [reported, silent] = site.chain.honestTokens as [string, string];
  site.tokens.set(reported, ledgerToken(site.chain, reported));
  site.tokens.set(silent, () => {
    throw new Error("nothing");
  });

  const answered = (await site.fetch(`tokens/${reported}`)).body;
  const unanswered = await site.fetch(`tokens/${silent}`);

  const supplyOf = (token: string) => String(plainLedger(site.chain).get(token)!.supply);
  assert.deepEqual(
    [answered.name, answered.symbol, answered.decimals, answered.total_supply, answered.observed_block_number],
    [NAMES.name, NAMES.symbol, String(NAMES.decimals), supplyOf(reported), site.chain.head.number],
  );
  const { name, symbol, decimals, total_supply, observed_block_number } = unanswered.body;
  assert.deepEqual(
    [unanswered.status, name, symbol, decimals, total_supply, observed_block_number],
    [200, null, null, null, supplyOf(silent), null],
  );
});

test("2.2 decimals of a token with items are 0, observed or not", async (t) => {
  const site = await openObserved(t, 42, 40);
  const { items } = await site.list("tokens?type=ERC-721,ERC-1155", { page_size: 1000 });

  assert.ok(items.some(({ type }) => type === "ERC-721") && items.some(({ type }) => type === "ERC-1155"));
  for (const { address } of items) assert.equal((await site.fetch(`tokens/${address}`)).body.decimals, "0");
  for (const { decimals } of items) assert.equal(decimals, "0");
});

test("2.2 the supply is that of the block of the answer, however long ago the token was observed", async (t) => {
  const site = await openObserved(t, 46);
  const [plain, more, rebased] = site.chain.honestTokens as [string, string, string];
  const hidden = 5n;
  site.tokens.set(plain, ledgerToken(site.chain, plain));
  site.tokens.set(
    more,
    ledgerToken(site.chain, more, (amount, holder) => (holder === undefined ? amount + hidden : amount)),
  );
  site.tokens.set(
    rebased,
    ledgerToken(site.chain, rebased, (amount) => amount * 2n),
  );
  await site.observe();
  const supplies = () => [plain, more, rebased].map((token) => plainLedger(site.chain).get(token)!.supply);
  const observed = supplies();
  while (supplies().some((supply, at) => supply === observed[at])) site.chain.mine(1);
  await site.index();

  const shown = await Promise.all(
    [plain, more, rebased].map(async (token) => (await site.fetch(`tokens/${token}`)).body.total_supply),
  );

  const [first, second] = supplies() as [bigint, bigint];
  assert.deepEqual(shown, [String(first), String(second + hidden), String(observed[2]! * 2n)]);
});

const UNSEEN = /[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u;

test("what hostile tokens call themselves comes out safe, wherever it is shown", async (t) => {
  const site = await openObserved(t, 42);
  const kinds = Object.entries(HOSTILE);
  const random = new Random(42);
  const tokens = [...plainLedger(site.chain).keys()];
  const contracts = tokens.map((token, at) => [token, kinds[at % kinds.length]!] as const);
  for (const [token, [, contract]] of contracts) site.tokens.set(token, contract(random.fork(token)));
  const [markup] = site.chain.honestTokens as [string];
  site.tokens.set(markup, () => encodeText('</script>"\\\u2028\u0000<img src=x onerror=alert(1)>'));
  await site.observe();

  for (const token of tokens) {
    const [{ body }, transfers] = [await site.fetch(`tokens/${token}`), await site.list(`tokens/${token}/transfers`)];
    for (const record of [body, ...transfers.items.map((item) => item.token as Json)]) {
      assert.deepEqual(record, body);
      for (const value of [record.name, record.symbol] as (string | null)[]) {
        assert.ok(value === null || (Buffer.byteLength(value) <= 256 && !UNSEEN.test(value)), token);
      }
      assert.match(String(record.decimals), /^(null|\d{1,3})$/);
      assert.match(String(record.total_supply), /^(null|\d{1,78})$/);
    }
  }
  const { body } = await site.fetch(`tokens/${markup}`);
  assert.equal(body.name, '</script>"\\<img src=x onerror=alert(1)>');
});

/** A token whose balances have doubled without a log, in a site that has observed it. */
async function openRebased(t: TestContext, seed: number): Promise<{ site: Observed; token: string }> {
  const site = await openObserved(t, seed);
  const [token, ...others] = site.chain.honestTokens as [string, string];
  site.tokens.set(
    token,
    ledgerToken(site.chain, token, (amount) => amount * 2n),
  );
  for (const other of others) site.tokens.set(other, ledgerToken(site.chain, other));
  await site.observe();
  const { body } = await site.fetch(`tokens/${token}`);
  assert.deepEqual(body.labels, ["ledger_differs", "rebasing"]);
  return { site, token };
}

const holdersOf = async (site: Site, token: string) => (await site.list(`tokens/${token}/holders`)).items;

function ledgerValues(site: Site, token: string): string[] {
  const balances = [...plainLedger(site.chain).get(token)!.balances.values()].filter((balance) => balance > 0n);
  return balances.sort((a, b) => (a > b ? -1 : a < b ? 1 : 0)).map(String);
}

test("a token whose balances differ from its transfers is answered by balanceOf at the block of the answer", async (t) => {
  const { site, token } = await openRebased(t, 43);
  const doubled = () => ledgerValues(site, token).map((value) => String(BigInt(value) * 2n));

  const holders = await holdersOf(site, token);
  const asked = site.asked();
  const again = await holdersOf(site, token);

  assert.deepEqual(
    holders.map(({ value }) => value),
    doubled(),
  );
  assert.ok(holders.every(({ value_source }) => value_source === "balanceOf"));
  assert.deepEqual(again, holders);
  assert.equal(site.asked(), asked, "kept until the next block");
  const last = site.node.requests.flatMap(({ calls }) => calls).at(-1)!;
  assert.deepEqual(last.params[1], { blockHash: site.chain.head.hash });

  const holder = String((holders[0]!.address as Json).hash);
  const { items } = await site.list(`addresses/${holder}/token-balances`);
  for (const item of items) {
    const isRebased = String((item.token as Json).address).toLowerCase() === token;
    assert.equal(item.value_source, isRebased ? "balanceOf" : "ledger");
    if (isRebased) assert.equal(item.value, holders[0]!.value);
  }
  assert.ok(items.some((item) => item.value_source === "balanceOf"));

  site.chain.mine(1);
  await site.index();
  assert.deepEqual(
    (await holdersOf(site, token)).map(({ value }) => value),
    doubled(),
  );
  assert.ok(site.asked() > asked);
});

test("where the node or the token does not say, the ledger answers and says so", async (t) => {
  const failures: Record<string, TokenContract> = {
    "answers nothing": () => "0x",
    "is no number": () => "0x1234",
    "keeps the node from answering": () => new Promise(() => {}),
  };
  const { site, token } = await openRebased(t, 44);
  for (const [what, contract] of Object.entries(failures)) {
    site.tokens.set(token, contract);
    site.chain.mine(1);
    await site.index();
    const before = performance.now();

    const holders = await holdersOf(site, token);

    assert.ok(performance.now() - before < 8000, what);
    assert.deepEqual(
      holders.map(({ value }) => value),
      ledgerValues(site, token),
      what,
    );
    assert.ok(
      holders.every(({ value_source }) => value_source === "ledger"),
      what,
    );
  }
});

test("without a node the ledger answers and says so", async (t) => {
  const site = await openSite(t, {
    seed: 45,
    blocks: 20,
    source: () => undefined,
    traffic: { honestTokens: 2, logs: [0, 1] },
  });
  const [token] = site.chain.honestTokens as [string];
  const id = (await site.store.latest.addresses.id(fromHex(token)))!;
  const tip = (await site.store.latest.blocks.tip())!;
  const text = { text: "Rebased", raw: new Uint8Array(0) };
  const supplies = { totalSupply: 1n, ledgerSupply: 1n };
  const reported = { name: text, symbol: text, decimals: 6, ...supplies, ledger: "rebasing" as const, differing: [] };
  const observation = { token: id, block: tip.number, hash: tip.hash, ...reported, failures: 0, again: 10_000 };
  await site.store.observations.record([observation], new Set());

  const holders = await holdersOf(site, token);

  assert.deepEqual((await site.fetch(`tokens/${token}`)).body.labels, ["ledger_differs", "rebasing"]);
  assert.deepEqual(
    holders.map(({ value }) => value),
    ledgerValues(site, token),
  );
  assert.ok(holders.every(({ value_source }) => value_source === "ledger"));
});
