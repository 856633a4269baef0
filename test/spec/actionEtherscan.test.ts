import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Json, Served } from "../support/api.ts";
import { serveChain } from "../support/api.ts";
import { ChainOracle } from "../support/chainOracle.ts";
import { dailyFees, dailyRows } from "../support/dailyOracle.ts";
import { blocksOf } from "../support/plainChain.ts";
import { plainTransfers } from "../support/plainLedger.ts";
import { Random } from "../support/random.ts";
import { firstSeed } from "../support/seed.ts";
import { simulatedPlainState } from "../support/simulatedState.ts";

const SEED = firstSeed();
const REWARD = 2n * 10n ** 18n;

/** Days with many blocks, with one, and with none. */
const TRAFFIC = { blockTime: [1, 50_000], addresses: 12, honestTokens: 2, withdrawals: [0, 3] } as const;

let served: Served;

before(async () => {
  const settings = { blockReward: REWARD };
  served = await serveChain({ seed: SEED, blocks: 70, tokens: true, traces: true, traffic: TRAFFIC, settings });
  console.log(`seed ${SEED}`);
});

after(() => served.close());

type Parameters = Readonly<Record<string, string | number>>;

interface Answer extends Json {
  status: string;
  message: string;
  result: unknown;
}

async function ask(module: string, action: string, parameters: Parameters = {}): Promise<Answer> {
  const pairs = Object.entries({ module, action, ...parameters }).map(([name, value]) => [name, String(value)]);
  const response = await served.app.inject(`/api?${new URLSearchParams(pairs)}`);
  assert.equal(response.statusCode, 200, response.body);
  return response.json() as Answer;
}

/** The last block of the day in which each address appeared first. */
async function firstSeen(): Promise<Map<string, number>> {
  const seen = new Map<string, number>();
  const { chain } = served;
  const dayOf = (number: number) => Math.floor(Number(chain.at(number)?.block.timestamp ?? 0) / 86_400);
  for (const { number } of blocksOf(chain)) {
    if (dayOf(number) === dayOf(number + 1)) continue;
    const part = { length: number + 1, head: chain.at(number)!, at: (at: number) => chain.at(at) };
    const { appeared } = await ChainOracle.read(part, simulatedPlainState(chain));
    for (const address of appeared.keys()) if (!seen.has(address)) seen.set(address, number);
  }
  return seen;
}

test("the daily statistics are what the blocks of each UTC day add up to", async () => {
  const expected = dailyRows(served.chain, await firstSeen(), REWARD);
  const dates = expected.get("dailytx")!.map(({ UTCDate }) => String(UTCDate));

  assert.ok(dates.length > 10 && expected.size === 11);
  for (const [action, rows] of expected) {
    const all = await ask("stats", action, { startdate: "2000-01-01", enddate: "2099-12-31" });
    assert.deepEqual(all.result, rows, action);
    const some = { startdate: dates[3]!, enddate: dates[7]! };
    const between = rows.filter(({ UTCDate }) => UTCDate! >= some.startdate && UTCDate! <= some.enddate);
    assert.deepEqual((await ask("stats", action, some)).result, between, action);
    const newest = await ask("stats", action, { ...some, sort: "desc" });
    assert.deepEqual(newest.result, between.toReversed(), action);
    const none = await ask("stats", action, { startdate: "2001-01-01", enddate: "2001-02-01" });
    assert.deepEqual([none.status, none.message, none.result], ["0", "No records found", []]);
  }
});

test("stats/totalfees are the fees of a day in wei", async () => {
  const fees = dailyFees(served.chain);

  assert.ok(fees.size > 10);
  for (const [date, wei] of fees) assert.equal((await ask("stats", "totalfees", { date })).result, String(wei), date);
  assert.equal((await ask("stats", "totalfees", { date: "2001-01-01" })).result, "0");
  assert.equal((await ask("stats", "totalfees")).message, "Required date input is missing.");
});

test("dates that are none are refused", async () => {
  for (const startdate of ["", "2024-02-30", "2024-1-01", "yesterday"]) {
    const answer = await ask("stats", "dailytx", { startdate, enddate: "2024-03-01" });
    assert.deepEqual([answer.status, /startdate/.test(answer.message)], ["0", true], startdate);
  }
});

test("account/txsBeaconWithdrawal lists the withdrawals of an address in gwei, by blocks and pages", async () => {
  interface Withdrawal extends Readonly<Record<"index" | "validatorIndex" | "address" | "amount", string>> {}
  const all = blocksOf(served.chain).flatMap(({ block }) =>
    (block.withdrawals as unknown as Withdrawal[]).map((withdrawal) => ({
      withdrawalIndex: String(Number(withdrawal.index)),
      validatorIndex: String(Number(withdrawal.validatorIndex)),
      address: withdrawal.address,
      amount: String(BigInt(withdrawal.amount)),
      blockNumber: String(Number(block.number)),
      timestamp: String(Number(block.timestamp)),
    })),
  );
  const random = new Random(SEED);

  assert.ok(all.length > 40);
  for (const address of new Set(all.map((row) => row.address))) {
    const own = all.filter((row) => row.address === address);
    assert.deepEqual((await ask("account", "txsBeaconWithdrawal", { address, sort: "asc" })).result, own);
    assert.deepEqual((await ask("account", "txsBeaconWithdrawal", { address })).result, own.toReversed());
    const [startblock, endblock] = [random.int(35), 35 + random.int(40)];
    const within = own.filter(({ blockNumber }) => +blockNumber >= startblock && +blockNumber <= endblock).reverse();
    const page = { address, startblock, endblock, page: 2, offset: 2 };
    assert.deepEqual((await ask("account", "txsBeaconWithdrawal", page)).result, within.slice(2, 4));
  }
});

test("block/getblocktxnscount counts the transactions, internal calls and transfers of a block", async () => {
  const transfers = plainTransfers(served.chain);

  for (const { number, block } of blocksOf(served.chain)) {
    const own = transfers.filter((one) => one.block === number);
    const count = (kind: string) => own.filter((one) => one.kind === kind).length;
    const { status, result } = await ask("block", "getblocktxnscount", { blockno: number });
    assert.equal(status, "1");
    assert.deepEqual(result, {
      block: number,
      txsCount: block.transactions.length,
      internalTxsCount: 2 * block.transactions.filter((_, at) => at % 3 === 0).length,
      erc20TxsCount: count("ERC-20"),
      erc721TxsCount: count("ERC-721"),
      erc1155TxsCount: count("ERC-1155"),
    });
  }
  assert.equal((await ask("block", "getblocktxnscount", { blockno: 1000 })).message, "Block does not exist");
});

test("account/fundedby is the first transaction or call that brought an address coins from another", async () => {
  const moves = blocksOf(served.chain).flatMap(({ number, block, receipts }) =>
    block.transactions.flatMap((tx, at) => {
      const receipt = receipts[at]!;
      const target = tx.to ?? (receipt.contractAddress as string | null);
      const sent = receipt.status === "0x1" ? [{ from: tx.from, to: target, value: BigInt(tx.value as string) }] : [];
      // The trace of every third transaction has a call with 7 wei.
      const called = at % 3 === 0 ? [{ from: tx.to ?? tx.from, to: tx.from, value: 7n }] : [];
      return [...sent, ...called].map((move) => ({ ...move, number, time: Number(block.timestamp), hash: tx.hash }));
    }),
  );
  const seen = new Set(moves.flatMap(({ from, to }) => [from, to]));
  let [direct, internal] = [0, 0];

  for (const address of seen) {
    if (address === null) continue;
    const first = moves.find(({ from, to, value }) => to === address && from !== address && value > 0n);
    const { status, message, result } = await ask("account", "fundedby", { address: address as string });
    if (first === undefined) {
      assert.deepEqual([status, message, result], ["0", "No transactions found", []], address as string);
      continue;
    }
    const expected = {
      block: first.number,
      timeStamp: String(first.time),
      fundingAddress: first.from,
      fundingTxn: first.hash,
      value: String(first.value),
    };
    assert.deepEqual(result, expected, address as string);
    if (first.value === 7n) internal++;
    else direct++;
  }
  assert.ok(direct > 5 && internal > 0, `${direct} ${internal}`);
});

test("/v2/chainlist has this network at the address by which the client reached it", async () => {
  const { body } = await served.get("/v2/chainlist");
  const [chain, ...others] = body.result as Json[];

  assert.deepEqual([body.totalcount, others.length], [1, 0]);
  const { apiurl, ...rest } = chain!;
  assert.deepEqual(rest, { chainname: "Simulated", chainid: "677", blockexplorer: "", status: 1, comment: "" });
  const number = await served.app.inject(
    `${new URL(String(apiurl)).pathname}${new URL(String(apiurl)).search}&module=block&action=eth_block_number`,
  );
  assert.equal(number.json<{ result: string }>().result, `0x${(served.chain.length - 1).toString(16)}`);
});

test("getapilimit says what is left of the rate limit of a client", async (t) => {
  const limited = await serveChain({ seed: SEED, blocks: 1, settings: { rateLimit: 20 } });
  t.after(() => limited.close());
  const left = async (remoteAddress: string) => {
    const url = "/api?module=getapilimit&action=getapilimit";
    return (await limited.app.inject({ url, remoteAddress })).json<{ result: Record<string, number> }>().result;
  };

  const first = await left("192.0.2.7");
  for (let asked = 0; asked < 10; asked++)
    await limited.app.inject({ url: "/api/v2/blocks", remoteAddress: "192.0.2.7" });
  const then = await left("192.0.2.7");

  assert.deepEqual([first.creditLimit, first.limitInterval], [200, "10 seconds"]);
  for (const { creditsUsed, creditsAvailable, creditLimit } of [first, then])
    assert.equal(creditsUsed! + creditsAvailable!, creditLimit);
  assert.ok(then.creditsAvailable! < first.creditsAvailable!, JSON.stringify([first, then]));
  assert.match(String(then.intervalExpiryTimespan), /^00:00:(0\d|10)$/);
  assert.equal((await left("127.0.0.1")).creditLimit, Number.MAX_SAFE_INTEGER);
});
