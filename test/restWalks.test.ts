import assert from "node:assert/strict";
import { test } from "node:test";
import { fromHex } from "../src/chain/encoding/hex.ts";
import type { Json, Served } from "./support/api.ts";
import { serveChain } from "./support/api.ts";
import type { PlainMined } from "./support/chainOracle.ts";
import { ChainOracle } from "./support/chainOracle.ts";
import { observeAll } from "./support/namedTokens.ts";
import { blocksOf } from "./support/plainChain.ts";
import type { PlainToken, PlainTransfer } from "./support/plainLedger.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import { simulatedPlainState } from "./support/simulatedState.ts";
import type { Lists } from "./support/site.ts";
import { listsOf, walk } from "./support/site.ts";
import { expectedBalances, typeOf } from "./support/tokenOracle.ts";

const SEED = firstSeed();
const CASES = Number(process.env.ORIEL_CASES ?? 1);
const ZERO = `0x${"0".repeat(40)}`;

type Place = readonly [block: number, index: number];

/** A list in time: what an item is, where it stands, and what must be on the list, newest first. */
interface TimeList {
  readonly path: string;
  /** Begins with the hash of the item's block. */
  readonly key: (item: Json) => string;
  readonly place: (item: Json) => Place;
  readonly keys: (oracle: ChainOracle) => readonly string[];
  /** Whether items are found by scanning, so that there is no total. */
  readonly isFiltered?: boolean;
}

const readOracle = ({ chain }: Served) => ChainOracle.read(chain, simulatedPlainState(chain));
const apiOf = (served: Served): Lists => listsOf((path) => served.get(`/api/v2/${path}`));

function transactionList(path: string, of: (oracle: ChainOracle) => readonly PlainMined[]): TimeList {
  return {
    path,
    key: ({ block_hash, hash }) => `${block_hash} ${hash}`,
    place: ({ block_number, position }) => [block_number as number, position as number],
    keys: (oracle) => of(oracle).map(({ tx, block }) => `${block.hash} ${tx.hash}`),
  };
}

function transferList(path: string, is: (transfer: PlainTransfer) => boolean): TimeList {
  const key = ({ block_hash, log_index, total }: Json) =>
    [block_hash, log_index, (total as Json).token_id, (total as Json).value].join(" ");
  return {
    path,
    key,
    place: ({ block_number, log_index }) => [block_number as number, log_index as number],
    keys: (oracle) => oracle.tokens.transfers.filter(is).map((transfer) => key(oracle.transfer(transfer))),
  };
}

function logList(address: string): TimeList {
  const key = ({ block_hash, index }: Json) => `${block_hash} ${index}`;
  return {
    path: `addresses/${address}/logs`,
    key,
    place: ({ block_number, index }) => [block_number as number, index as number],
    keys: (oracle) => oracle.ofAddress(address).logs.map((log) => key({ ...log })),
  };
}

function minedList(miner: string): TimeList {
  return {
    ...BLOCKS,
    path: `addresses/${miner}/blocks-validated`,
    keys: (now) => now.validated(miner).map(BLOCKS.key),
  };
}

const BLOCKS: TimeList = {
  path: "blocks",
  key: ({ hash }) => String(hash),
  place: ({ height }) => [height as number, 0],
  keys: ({ chain }) =>
    blocksOf(chain)
      .map(({ hash }) => hash)
      .reverse(),
};

const MAX_FORK_DEPTH = 8;

/** One list of every kind. */
function timeLists(oracle: ChainOracle, random: Random): TimeList[] {
  const isParty = (party: string) => (transfer: PlainTransfer) => transfer.from === party || transfer.to === party;
  const parties = oracle.tokens.transfers.flatMap(({ from, to }) => [from, to]).filter((one) => one !== ZERO);
  const party = random.pick(parties);
  const { token } = random.pick(oracle.tokens.transfers.filter(isParty(party)));
  // What only blocks named that a fork takes is not found afterwards.
  const isOld = ({ block }: PlainTransfer) => block <= oracle.height - MAX_FORK_DEPTH;
  const item = random.pick(oracle.tokens.transfers.filter((one) => one.id !== undefined && isOld(one)));
  const sender = random.pick(oracle.transactions).tx.from;
  return [
    BLOCKS,
    { ...BLOCKS, path: "main-page/blocks" },
    minedList(random.pick(blocksOf(oracle.chain).slice(1)).block.miner as string),
    transactionList("transactions", ({ transactions }) => transactions.toReversed()),
    transactionList("main-page/transactions", ({ transactions }) => transactions.toReversed()),
    transactionList(`addresses/${sender}/transactions`, (now) => now.ofAddress(sender).transactions),
    logList(random.pick(oracle.logs).address),
    transferList("token-transfers", () => true),
    transferList(`tokens/${token}/transfers`, (transfer) => transfer.token === token),
    transferList(
      `tokens/${item.token}/instances/${item.id}/transfers`,
      ({ token: one, id }) => one === item.token && id === item.id,
    ),
    transferList(`addresses/${party}/token-transfers`, isParty(party)),
    transferList(
      `addresses/${party}/token-transfers?token=${token}`,
      (transfer) => transfer.token === token && isParty(party)(transfer),
    ),
  ];
}

/** Parts of lists, which have no totals. */
function filteredLists(oracle: ChainOracle, random: Random): TimeList[] {
  const party = random.pick(oracle.tokens.transfers.filter(({ from }) => from !== ZERO)).from;
  const types = ["coin_transfer", "contract_call", "contract_creation", "token_transfer", "blob_transaction"];
  const wanted = random.shuffle([...types]).slice(0, random.between(1, 2));
  const isOfType = (now: ChainOracle) => (mined: PlainMined) =>
    wanted.some((type) => (now.listed(mined).transaction_types as string[]).includes(type));
  const { kind } = random.pick(oracle.tokens.transfers);
  return [
    transactionList(`transactions?type=${wanted.join()}`, (now) => now.transactions.toReversed().filter(isOfType(now))),
    transferList(`token-transfers?type=${kind}`, (transfer) => transfer.kind === kind),
    transferList(`addresses/${party}/token-transfers?filter=from`, ({ from }) => from === party),
    transferList(
      `addresses/${party}/token-transfers?filter=to&type=${kind}`,
      (transfer) => transfer.to === party && transfer.kind === kind,
    ),
  ].map((list) => ({ ...list, isFiltered: true }));
}

const isBelow = ([block, index]: Place, [other, at]: Place) => block < other || (block === other && index <= at);

/** Walks a list while the chain moves. What no fork takes comes once; what comes is on the chain, and further down it each time. */
async function expectWalk(served: Served, list: TimeList, random: Random, forks: boolean): Promise<void> {
  const { chain } = served;
  const start = list.keys(await readOracle(served));
  const [height, label] = [chain.head.number, `seed ${random.seed} ${list.path}`];
  const left = new Map<string, number>();
  const seen: string[] = [];
  let lowest = chain.length;
  let above: Place = [Number.POSITIVE_INFINITY, 0];
  const size = random.between(1 + Math.floor(start.length / 9), 1 + Math.floor(start.length / 3));
  await walk(apiOf(served), list.path, size, async ({ items, total_count, block_number, since_block }) => {
    const now = list.keys(await readOracle(served));
    for (const [key, { length }] of Map.groupBy(now, (key) => key)) if (!left.has(key)) left.set(key, length!);
    for (const item of items) {
      const key = list.key(item);
      assert.ok(now.includes(key), `${label}: ${key} is not on the chain`);
      assert.ok(left.get(key)! > 0, `${label}: ${key} comes twice`);
      assert.ok(isBelow(list.place(item), above), `${label}: ${list.place(item)} after ${above}`);
      left.set(key, left.get(key)! - 1);
      above = list.place(item);
      seen.push(key);
    }
    const total = list.isFiltered ? null : Math.min(start.length, now.length);
    assert.deepEqual([total_count, since_block], [total, 0], label);
    if (!forks && !list.isFiltered) assert.equal(block_number, height, label);
    const depth = forks ? random.int(MAX_FORK_DEPTH + 1) : 0;
    lowest = Math.min(lowest, chain.length - depth);
    chain.fork(depth, depth + random.int(3));
    await served.index();
  });
  if (!forks) assert.deepEqual(seen, start, label);
  const kept = new Set(
    blocksOf(chain)
      .slice(0, lowest)
      .map(({ hash }) => hash),
  );
  const isKept = (key: string) => kept.has(key.split(" ")[0]!);
  assert.deepEqual(seen.filter(isKept), start.filter(isKept), label);
}

for (const [forks, title] of [
  [false, "blocks arrive"],
  [true, "blocks arrive and reorganise"],
] as const) {
  test(`2.1 a walk of any list in time gives each item once and in order while ${title} (seed ${SEED})`, async () => {
    for (let seed = SEED; seed < SEED + CASES; seed++) {
      const random = new Random(seed);
      const traffic = { addresses: 4, fresh: 0.05, transactions: [0, 5] as const };
      const served = await serveChain({ seed, blocks: 24, tokens: true, traffic });
      for (const lists of [timeLists, filteredLists])
        for (const list of lists(await readOracle(served), random)) await expectWalk(served, list, random, forks);
      await served.close();
    }
  });
}

test(`2.1 a walk of what belongs to a block or a transaction gives each item once, or ends where a fork takes it (seed ${SEED})`, async () => {
  let taken = 0;
  for (let seed = SEED; seed < SEED + CASES * 4; seed++) {
    const random = new Random(seed);
    const traffic = { addresses: 5, transactions: [3, 6] as const, logs: [3, 8] as const };
    const served = await serveChain({ seed, blocks: 12, tokens: true, traffic });
    const { chain } = served;
    const oracle = await readOracle(served);
    const { hash, number, block } = chain.at(random.between(5, 12))!;
    const tx = random.pick(block.transactions).hash;
    const keyOf = (item: Json) => `${item.hash ?? ""} ${item.index ?? ""} ${item.log_index ?? ""}`;
    const lists: [path: string, expected: string[]][] = [
      [`blocks/${number}/transactions`, block.transactions.map((one) => keyOf({ hash: one.hash }))],
      [
        `transactions/${tx}/logs`,
        oracle.logs.filter((log) => log.transaction_hash === tx).map(({ index }) => keyOf({ index })),
      ],
      [
        `transactions/${tx}/token-transfers`,
        oracle.tokens.transfers
          .filter(({ transaction }) => transaction === tx)
          .toReversed()
          .map(({ logIndex }) => keyOf({ log_index: logIndex })),
      ],
    ];
    for (const [path, expected] of random.shuffle(lists)) {
      const seen: Json[] = [];
      const isTaken = random.chance(0.5);
      const isStill = () => chain.at(number)?.hash === hash;
      if (!isStill()) break;
      try {
        await walk(apiOf(served), path, random.between(1, 2), async ({ items, total_count }) => {
          assert.ok(isStill() && total_count === expected.length, `seed ${seed} ${path} goes on in another block`);
          seen.push(...items);
          const depth = isTaken ? chain.length - number + random.int(2) : random.int(chain.length - number);
          chain.fork(depth, depth + 1);
          await served.index();
        });
      } catch (error) {
        if (isStill()) throw error;
        assert.match(String(error), /Not found/);
        taken++;
      }
      const keys = seen.map(keyOf);
      if (isStill()) assert.deepEqual(keys, expected, `seed ${seed} ${path}`);
      else assert.deepEqual(keys, expected.slice(0, keys.length), `seed ${seed} ${path}`);
    }
    await served.close();
  }
  assert.ok(CASES < 4 || taken > 0, "some block was taken");
});

/** Rankings: what an item is with all that it is ranked by. */
const RANKINGS = {
  holders: ({ address, value, token_id }: Json) => `${(address as Json).hash} ${value} ${token_id}`,
  items: ({ token, id, value }: Json) => `${(token as Json).address_hash} ${id} ${value}`,
  balances: ({ token, token_id, value }: Json) => `${(token as Json).address_hash} ${token_id} ${value}`,
  tokens: ({ address_hash, holders_count }: Json) => `${address_hash} ${holders_count}`,
  search: ({ address_hash, holders_count }: Json) => `${address_hash} ${holders_count}`,
};

test(`2.1 a walk of a ranking gives each that does not change once, in order (seed ${SEED})`, async () => {
  for (let seed = SEED; seed < SEED + CASES; seed++) {
    const random = new Random(seed);
    const served = await serveChain({ seed, blocks: 25, tokens: true, traffic: { addresses: 9, fresh: 0.3 } });
    await nameTokens(served, await readOracle(served), random);
    for (const [kind, path] of [
      ["search", "search?q=coin"],
      ["search", "tokens?q=coin&type=ERC-20"],
      ["tokens", "tokens"],
      ["tokens", "tokens?type=ERC-721,ERC-20"],
    ] as const) {
      await expectRankingWalk(served, kind, path, random);
    }
    await expectRankingWalk(served, "holders", `tokens/${(await pickHolder(served, random)).token}/holders`, random);
    const { token, to } = await pickHolder(served, random, ({ kind }) => kind !== "ERC-20");
    await expectRankingWalk(served, "items", `tokens/${token}/instances`, random);
    await expectRankingWalk(served, "items", `addresses/${to}/nft`, random);
    for (const type of ["ERC-20", "ERC-721"]) {
      const one = await pickHolder(served, random, ({ token }, ledger) => typeOf(ledger.get(token)!) === type);
      // A random chain may have no holder of a standard.
      if (one === undefined) continue;
      await expectRankingWalk(served, "balances", `addresses/${one.to}/tokens?type=${type}`, random);
    }
    await expectRankingWalk(
      served,
      "balances",
      `addresses/${(await pickHolder(served, random)).to}/token-balances`,
      random,
    );
    await served.close();
  }
});

/** A holder by transfers of blocks that the next walk does not fork away. */
async function pickHolder(
  served: Served,
  random: Random,
  is: (transfer: PlainTransfer, ledger: ReadonlyMap<string, PlainToken>) => boolean = () => true,
): Promise<PlainTransfer> {
  const { height, tokens } = await readOracle(served);
  const hasSome = ({ token, to, block }: PlainTransfer) =>
    block < height &&
    (tokens.ledger.get(token)!.balances.get(to) ?? 0n) > 0n &&
    expectedBalances(tokens.ledger, to).some((line) => line.startsWith(token));
  return random.pick(tokens.transfers.filter((transfer) => hasSome(transfer) && is(transfer, tokens.ledger)));
}

async function nameTokens({ store }: Served, oracle: ChainOracle, random: Random): Promise<void> {
  const ids = new Map<number | undefined, string>();
  for (const address of oracle.tokens.ledger.keys()) {
    ids.set(await store.latest.addresses.id(fromHex(address)), random.pick(["Coin", "coins", "a coin", "Bitcoin"]));
  }
  await observeAll(store, (token) => ({ name: ids.get(token) ?? null, symbol: null }));
}

async function expectRankingWalk(served: Served, kind: keyof typeof RANKINGS, path: string, random: Random) {
  const [api, line, label] = [apiOf(served), RANKINGS[kind], `seed ${random.seed} ${path}`];
  const all = async () => (await api.list(path, { page_size: 1000 })).items.map(line);
  const start = await all();
  let unchanged = start;
  const seen = await walk(api, path, random.between(1, 3), async ({ total_count }) => {
    assert.equal(total_count, (await all()).length, label);
    // What was observed goes with its block, and with it what is found by it.
    served.chain.fork(kind === "search" ? 0 : random.int(2), random.between(1, 3));
    await served.index();
    const now = new Set(await all());
    unchanged = unchanged.filter((one) => now.has(one));
  });
  const kept = new Set(unchanged);
  assert.ok(start.length > 0, label);
  assert.deepEqual(
    seen.map(line).filter((one) => kept.has(one)),
    unchanged,
    label,
  );
}
