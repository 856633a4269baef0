import assert from "node:assert/strict";
import { test } from "node:test";
import { Interface, ZeroAddress } from "ethers";
import { EXCHANGE_TOPICS } from "../src/chain/exchange/exchangeLog.ts";
import { NO_EXCHANGES } from "../src/query/exchange/exchangeSettings.ts";
import type { Json } from "./support/api.ts";
import { serveChain } from "./support/api.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import type { WireReceipt, WireTransaction } from "./support/wireForm.ts";

const SEED = firstSeed(11);
const CASES = Number(process.env.ORIEL_CASES ?? 100);

const TRAFFIC = { pools: 8, honestTokens: 4, wrappers: 2, sharedBlobs: 3, transactions: [0, 6] } as const;

const LOGS = new Interface([
  "event Transfer(address indexed from, address indexed to, uint256 amount)",
  "event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 amount)",
  "event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] amounts)",
  "event Deposit(address indexed to, uint256 amount)",
  "event Withdrawal(address indexed from, uint256 amount)",
]);
const ITEM = new Interface(["event Transfer(address indexed from, address indexed to, uint256 indexed id)"]);
const APPROVALS = /^0x(8c5be1e5|17307eab)/;

const hexOf = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString("hex")}`;
const low = (value: unknown) => String(value).toLowerCase();

interface Move {
  readonly token: string;
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
}

/** What tokens say that moved, by ethers. */
function movesIn({ logs }: WireReceipt): Move[] {
  return (logs as unknown as { address: string; topics: string[]; data: string }[]).flatMap((log): Move[] => {
    const token = low(log.address);
    try {
      const item = log.topics.length === 4 ? ITEM.parseLog(log) : null;
      if (item !== null) return [{ token, from: low(item.args.from), to: low(item.args.to), amount: 1n }];
      const parsed = LOGS.parseLog(log);
      if (parsed === null) return [];
      const { from = ZeroAddress, to = ZeroAddress, amount, amounts } = parsed.args.toObject();
      const total = (amounts as bigint[] | undefined)?.reduce((sum, each) => sum + each, 0n) ?? (amount as bigint);
      return [{ token, from: low(from), to: low(to), amount: total }];
    } catch {
      return [];
    }
  });
}

const BURN_V3 = hexOf(EXCHANGE_TOPICS.burnV3);

function logsBurnV3({ logs }: WireReceipt, pool: string): boolean {
  const all = logs as unknown as { address: string; topics: string[] }[];
  return all.some(({ address, topics }) => low(address) === pool && topics[0] === BURN_V3);
}

/** Claims of a summary that the logs of the tokens do not bear out. */
function liesIn(action: Json, tx: WireTransaction, receipt: WireReceipt, wrapped: string): string[] {
  const moves = movesIn(receipt);
  const { type, from, to, given, received, pools } = action as Json & Record<"given" | "received" | "pools", Json[]>;
  const places = new Set(pools.map(({ address }) => low(address)));
  const sum = (isIt: (move: Move) => boolean) => moves.filter(isIt).reduce((total, { amount }) => total + amount, 0n);
  const tokenOf = ({ token }: Json) => (token === null ? wrapped : low((token as Json).address));
  const unproven = (assets: Json[], isIt: (move: Move) => boolean) =>
    assets
      .filter((asset) => BigInt(String(asset.amount)) > sum((move) => move.token === tokenOf(asset) && isIt(move)))
      .map((asset) => `${type} ${asset.amount} ${tokenOf(asset)}`);
  const party = (account: unknown) => (account === null ? undefined : low((account as Json).hash));
  const isBetween = (move: Move) =>
    (party(from) === undefined || move.from === party(from)) && (party(to) === undefined || move.to === party(to));
  switch (type) {
    case "swap":
    case "add_liquidity":
    case "remove_liquidity":
    case "collect":
      // A V3 pool pays what is removed when it is collected: until then one of a configured factory is believed.
      if (type === "remove_liquidity" && pools.every(({ address }) => logsBurnV3(receipt, low(address)))) return [];
      return [
        ...unproven(given, ({ to: taker }) => places.has(taker)),
        ...unproven(received, ({ from: giver }) => places.has(giver)),
      ];
    case "transfer":
      // A router passes tokens on: what the taker gained and the giver lost is borne out by both.
      return [
        ...unproven(given, (move) => party(from) === undefined || move.from === party(from)),
        ...unproven(given, (move) => party(to) === undefined || move.to === party(to)),
      ];
    case "mint":
    case "burn":
      return unproven(given, isBetween);
    case "create_contract":
      return party(to) === low(receipt.contractAddress) ? [] : ["create_contract"];
    case "approve": {
      const isLogged = (receipt.logs as unknown as { address: string; topics: string[] }[]).some(
        ({ address, topics }) =>
          APPROVALS.test(topics[0] ?? "") &&
          low(address) === tokenOf(given[0]!) &&
          low(topics[1]).endsWith(party(from)!.slice(2)) &&
          low(topics[2]).endsWith(party(to)!.slice(2)),
      );
      return isLogged ? [] : ["approve"];
    }
    case "send":
      return BigInt(String(given[0]!.amount)) <= BigInt(String(tx.value)) ? [] : ["send"];
    default:
      return [];
  }
}

test(`no action of ${CASES} transactions of a hostile exchange claims what the logs of tokens do not bear out (seed ${SEED})`, async (t) => {
  const factories: { name: string; address: `0x${string}` }[] = [];
  const exchange = { ...NO_EXCHANGES, factories };
  const served = await serveChain({
    seed: SEED,
    blocks: Math.ceil(CASES / 2.5),
    tokens: true,
    traffic: TRAFFIC,
    exchange,
  });
  t.after(() => served.close());
  const numbers = Array.from({ length: served.chain.length }, (_, number) => number);
  const mined = numbers.flatMap((number) => {
    const receipts = served.chain.wireReceipts(number) ?? [];
    return (served.chain.wireBlock(number)!.transactions as readonly WireTransaction[]).map((tx, at) => ({
      tx,
      receipt: receipts[at]!,
    }));
  });
  const created = [EXCHANGE_TOPICS.pairCreated, EXCHANGE_TOPICS.poolCreated].map(hexOf);
  for (const { receipt } of mined) {
    for (const { address, topics } of receipt.logs as unknown as { address: `0x${string}`; topics: string[] }[]) {
      if (created.includes(topics[0] ?? "")) factories.push({ name: "Simulated", address });
    }
  }
  const random = new Random(SEED);
  const kinds = new Map<string, number>();
  const problems: string[] = [];
  for (const { tx, receipt } of random.shuffle(mined).slice(0, CASES)) {
    const { body } = await served.get(`/api/v2/transactions/${tx.hash}`);
    const { actions } = body.summary as { actions: Json[] };
    if (receipt.status === "0x0") assert.deepEqual(actions, [], "a failed transaction did nothing");
    for (const action of actions) {
      kinds.set(String(action.type), (kinds.get(String(action.type)) ?? 0) + 1);
      problems.push(...liesIn(action, tx, receipt, "").map((lie) => `${tx.hash}: ${lie}`));
    }
  }

  t.diagnostic(JSON.stringify(Object.fromEntries(kinds)));
  assert.deepEqual(problems, []);
  const isSwap = new Set([EXCHANGE_TOPICS.swapV2, EXCHANGE_TOPICS.swapV3].map(hexOf));
  const claims = mined.flatMap(({ receipt }) => receipt.logs as unknown as { topics: string[] }[]);
  assert.ok(
    claims.some(({ topics: [topic = ""] }) => isSwap.has(topic)),
    "pools claim swaps",
  );
  assert.ok((kinds.get("transfer") ?? 0) + (kinds.get("mint") ?? 0) > 0);
});
