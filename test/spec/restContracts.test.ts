import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { checksumAddress } from "../../src/chain/encoding/checksum.ts";
import { fromHex } from "../../src/chain/encoding/hex.ts";
import { normaliseText } from "../../src/chain/token/searchText.ts";
import { openQueryContext } from "../../src/query/context.ts";
import { listVerifiedContracts, NEWEST_FIRST } from "../../src/query/contracts/verifiedContracts.ts";
import type { Json } from "../support/api.ts";
import { serveChain } from "../support/api.ts";
import { plainLedger } from "../support/plainLedger.ts";
import { Random } from "../support/random.ts";
import { firstSeed } from "../support/seed.ts";
import type { Site } from "../support/site.ts";
import { openSite, walk } from "../support/site.ts";
import type { MadeSource } from "../support/verifiedContracts.ts";
import { openVerification } from "../support/verifiedContracts.ts";

const SEED = firstSeed();
const CASES = Number(process.env.ORIEL_CASES ?? 40);

const WEB = { coin: "COIN", isTestnet: false, others: [] };

async function open(t: TestContext, seed: number) {
  const { verification, add } = await openVerification(t);
  const site = await openSite(t, {
    seed,
    blocks: 30,
    traffic: { honestTokens: 3, logs: [0, 4] },
    verification,
    settings: { web: WEB },
  });
  return { site, add };
}

const addressOf = (at: number) => `0x${(at + 0x1000).toString(16).padStart(40, "0")}`;
const find = async (site: Site, query: string) => (await site.list(`search?q=${encodeURIComponent(query)}`)).items;
const checksum = (address: string) => checksumAddress(fromHex(address));

test("4.1 search finds a verified contract by its name, on the page too", async (t) => {
  const { site, add } = await open(t, 81);
  const [token] = [...plainLedger(site.chain).keys()];
  await add({ address: addressOf(1), name: "SwapRouter02" });
  await add({ address: token!, name: "WindowCoin" });

  const [exact, ...others] = await find(site, "swaprouter02");
  const [known] = await find(site, "windowcoin");
  const page = await site.app.inject({ url: "/search?q=router", headers: { accept: "text/html" } });
  const suggested = await site.app.inject("/suggest?q=router");
  const both = await site.app.inject({ url: "/search?q=w", headers: { accept: "text/html" } });

  assert.deepEqual(others, []);
  assert.deepEqual(exact, {
    type: "contract",
    name: "SwapRouter02",
    address_hash: checksum(addressOf(1)),
    address: checksum(addressOf(1)),
    url: `/address/${checksum(addressOf(1))}`,
    is_smart_contract_address: true,
    is_smart_contract_verified: true,
    ens_info: null,
    certified: false,
    priority: 0,
    reputation: "ok",
  });
  assert.deepEqual([known!.type, known!.address], ["contract", checksum(token!)]);
  assert.deepEqual([page.statusCode, page.headers.location], [302, `/address/${checksum(addressOf(1))}`]);
  assert.deepEqual(suggested.json()[0].kind, "Contract");
  assert.match(both.body, /Contract<\/td>[\s\S]*SwapRouter02[\s\S]*WindowCoin|WindowCoin[\s\S]*SwapRouter02/);
});

const PIECES = ["Swap", "Router", "router", "Vault", "V2", "_", "$", "Proxy", "02", "ERC20"];

/** Contracts with a text in their names, by a full scan. */
function plainFind(sources: readonly MadeSource[], query: string): string[] {
  const term = normaliseText(query);
  const rankOf = (name: string) => {
    const text = normaliseText(name);
    if (!text.includes(term)) return undefined;
    if (text.startsWith(term)) return text === term ? 0 : 1;
    return [..."_$"].some((mark) => text.includes(mark + term)) ? 2 : 3;
  };
  const newest = new Map<string, { name: string; at: number }>();
  for (const [at, { address, name }] of sources.entries()) newest.set(address, { name, at });
  return [...newest]
    .map(([address, { name, at }]) => ({ address, at, rank: rankOf(name) }))
    .filter(({ rank }) => term !== "" && rank !== undefined)
    .sort((a, b) => a.rank! - b.rank! || b.at - a.at)
    .map(({ address }) => checksum(address));
}

test(`search and /smart-contracts?q= find what a look at every name finds, page by page (seed ${SEED})`, async (t) => {
  const { site, add } = await open(t, 82);
  const random = new Random(SEED);
  const sources: MadeSource[] = [];
  for (let at = 0; at < 40; at++) {
    const parts = Array.from({ length: random.between(0, 3) }, () => random.pick(PIECES));
    const name = random.pick(["Swap", "Vault", "_"]) + parts.join("");
    const source = { address: addressOf(random.int(30)), name, language: random.pick(["Solidity", "Yul"] as const) };
    sources.push(source);
    await add(source);
  }
  for (let at = 0; at < CASES; at++) {
    const query = Array.from({ length: random.between(1, 2) }, () => random.pick(PIECES)).join("");
    const expected = plainFind(sources, query);
    const pageSize = random.between(1, 7);

    const found = await walk(site, `search?q=${encodeURIComponent(query)}`, pageSize);
    const listed = await walk(site, `smart-contracts?q=${encodeURIComponent(query)}`, pageSize);

    const contracts = found.filter(({ type }) => type === "contract").map(({ address }) => address);
    assert.deepEqual(contracts, expected, query);
    assert.deepEqual(
      listed.map(({ address }) => (address as Json).hash),
      expected,
      query,
    );
  }
});

test("/smart-contracts honours q, filter, sort and order", async (t) => {
  const { site, add } = await open(t, 83);
  const parties = new Map<string, number>();
  const { chain } = site;
  for (let number = 0; number < chain.length; number++) {
    for (const { from, to } of chain.at(number)!.block.transactions) {
      for (const party of new Set([from, to]))
        if (typeof party === "string") parties.set(party, (parties.get(party) ?? 0) + 1);
    }
  }
  const some = [...parties].slice(0, 8);
  for (const [at, [address]] of some.entries()) {
    await add({ address, name: `Contract${at}`, language: at % 3 === 0 ? "Yul" : "Solidity" });
  }
  const list = async (query: string, pageSize = 3) => {
    const items = await walk(site, `smart-contracts?${query}`, pageSize);
    return items.map(({ address }) => String((address as Json).hash).toLowerCase());
  };

  const newest = some.map(([address]) => address).reverse();
  const count = (address: string) => parties.get(address)!;
  const byCount = [...newest].sort((a, b) => count(b) - count(a));
  const balances = new Map<string, bigint>();
  for (const address of newest) {
    const { coin_balance } = (await site.fetch(`addresses/${address}`)).body;
    balances.set(address, BigInt(String(coin_balance)));
  }
  const byBalance = [...newest].sort((a, b) => Number(balances.get(b)! - balances.get(a)!));

  assert.deepEqual(await list(""), newest);
  assert.deepEqual(
    await list("filter=yul"),
    newest.filter((address) => some.findIndex(([one]) => one === address) % 3 === 0),
  );
  assert.equal((await list("filter=solidity")).length, 5);
  assert.deepEqual(await list("filter=vyper"), []);
  assert.deepEqual(await list(`q=${newest[2]}`), [newest[2]]);
  assert.deepEqual(await list(`q=contract3&filter=solidity`), []);
  assert.deepEqual((await list("sort=transactions_count&order=desc")).map(count), byCount.map(count));
  assert.deepEqual((await list("sort=transactions_count&order=asc")).map(count), byCount.map(count).reverse());
  assert.deepEqual(
    (await list("sort=balance")).map((address) => balances.get(address)),
    byBalance.map((address) => balances.get(address)),
  );
  for (const query of ["filter=cobol", "sort=name", "sort=balance&order=up", "q=a&q=b"]) {
    assert.equal((await site.fetch(`smart-contracts?${query}`)).status, 422, query);
  }
});

test("over so many contracts are not sorted: 413", async (t) => {
  const { verification, add } = await openVerification(t);
  const served = await serveChain({ seed: 84, blocks: 3, verification });
  t.after(() => served.close());
  for (const at of [1, 2, 3]) await add({ address: addressOf(at), name: "Proxy" });
  const network = openQueryContext({ store: served.store, sources: verification.contracts });
  t.after(() => network.decoder.close());
  const filter = { ...NEWEST_FIRST, sort: "transactions_count" } as const;
  const request = { page: 1, pageSize: 50, cursor: undefined };

  await assert.rejects(listVerifiedContracts(network, filter, request, 2), { code: "limit_exceeded" });
  assert.equal((await listVerifiedContracts(network, filter, request, 3)).contracts.length, 3);
});
