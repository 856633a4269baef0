import { Interface, ZeroAddress } from "ethers";
import type { WireReceipt, WireTransaction } from "./wireForm.ts";

interface Pool {
  readonly token0: string;
  readonly token1: string;
}

export interface Market {
  /** By address in lower case. */
  readonly pools: ReadonlyMap<string, Pool>;
  readonly wrapped: string;
}

const LOGS = new Interface([
  "event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)",
  "event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 price, uint128 liquidity, int24 tick)",
  "event Mint(address indexed sender, uint256 amount0, uint256 amount1)",
  "event Mint(address sender, address indexed owner, int24 indexed lower, int24 indexed upper, uint128 liquidity, uint256 amount0, uint256 amount1)",
  "event Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to)",
  "event Burn(address indexed owner, int24 indexed lower, int24 indexed upper, uint128 liquidity, uint256 amount0, uint256 amount1)",
  "event Collect(address indexed owner, address recipient, int24 indexed lower, int24 indexed upper, uint128 amount0, uint128 amount1)",
  "event Transfer(address indexed from, address indexed to, uint256 amount)",
  "event Approval(address indexed owner, address indexed spender, uint256 amount)",
  "event ApprovalForAll(address indexed owner, address indexed spender, bool approved)",
  "event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 amount)",
  "event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] amounts)",
  "event Deposit(address indexed to, uint256 amount)",
  "event Withdrawal(address indexed from, uint256 amount)",
  "event IncreaseLiquidity(uint256 indexed id, uint128 liquidity, uint256 amount0, uint256 amount1)",
  "event DecreaseLiquidity(uint256 indexed id, uint128 liquidity, uint256 amount0, uint256 amount1)",
  "event PairCreated(address indexed token0, address indexed token1, address pair, uint256 count)",
  "event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 spacing, address pool)",
]);
const ITEM_LOGS = new Interface([
  "event Transfer(address indexed from, address indexed to, uint256 indexed id)",
  "event Approval(address indexed owner, address indexed spender, uint256 indexed id)",
]);

interface Event {
  readonly name: string;
  readonly emitter: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly isOfItem: boolean;
}

const low = (value: unknown) => String(value).toLowerCase();

interface WireLog {
  readonly address: string;
  readonly topics: string[];
  readonly data: string;
}

function eventsOf({ logs }: WireReceipt): Event[] {
  return (logs as unknown as WireLog[]).flatMap(({ address, topics, data }): Event[] => {
    const isOfItem = topics.length === 4 && ITEM_LOGS.getEvent(topics[0]!) !== null;
    const parsed = (isOfItem ? ITEM_LOGS : LOGS).parseLog({ topics, data });
    return parsed === null
      ? []
      : [{ name: parsed.name, emitter: low(address), args: parsed.args.toObject(), isOfItem }];
  });
}

/** Pools that the factories created. */
export function findPools(receipts: readonly WireReceipt[], factories: readonly string[]): Map<string, Pool> {
  const created = receipts.flatMap(eventsOf).filter(({ emitter }) => factories.includes(emitter));
  return new Map(
    created.flatMap(({ name, args }) => {
      const pool = name === "PairCreated" ? args.pair : name === "PoolCreated" ? args.pool : undefined;
      return pool === undefined ? [] : [[low(pool), { token0: low(args.token0), token1: low(args.token1) }]];
    }),
  );
}

class Sums extends Map<string, bigint> {
  add(key: string, amount: bigint): void {
    this.set(key, (this.get(key) ?? 0n) + amount);
  }
  text(sign = 1n): string {
    const shown = [...this].filter(([, amount]) => amount * sign > 0n);
    return shown
      .map(([key, amount]) => `${amount * sign} ${key}`)
      .sort()
      .join(" ");
  }
}

const smaller = (a: bigint, b: bigint) => (a < b ? a : b);
const big = (value: unknown) => BigInt(value as bigint);

/** What a transaction did, recomputed from its receipt with ethers, without payments of the coin: one line per action. */
export function actionsByReceipt(tx: WireTransaction, receipt: WireReceipt, market: Market): string[] {
  if (receipt.status === "0x0") return [];
  const events = eventsOf(receipt);
  const pooled = events.filter(({ emitter }) => market.pools.has(emitter));
  const acting = changesOf(pooled, events, market);
  const touched = new Set(acting.flatMap(({ emitter }) => Object.values(market.pools.get(emitter)!)));
  const blobs = (tx.blobVersionedHashes ?? []) as string[];
  const isCreation = receipt.contractAddress !== null && tx.to === null;
  return [
    ...(isCreation ? [`create_contract ${low(receipt.contractAddress)}`] : []),
    ...swapLines(acting, events, tx, market),
    ...liquidityLines(acting, market),
    ...transferLines(events, touched, acting, market),
    ...approvalLines(events),
    ...burntBeside(events, touched, market),
    ...(blobs.length > 0 ? [`post_blobs ${blobs.length}`] : []),
  ].sort();
}

/** What a pool took of its tokens, and what it paid as less than zero. */
interface Change extends Event {
  readonly amounts: readonly [bigint, bigint];
}

/** Pairs also log loans of one token or both as swaps, and what was sent to them before as paid by who trades next. */
function changesOf(pooled: readonly Event[], events: readonly Event[], { pools }: Market): Change[] {
  const left = new Sums();
  for (const { name, emitter, args } of events) {
    if (name !== "Transfer" || args.amount === undefined) continue;
    left.add(`${emitter} to ${low(args.to)}`, big(args.amount));
    left.add(`${emitter} from ${low(args.from)}`, big(args.amount));
  }
  const moved = (token: string, pool: string, claimed: bigint) => {
    const key = claimed > 0n ? `${token} to ${pool}` : `${token} from ${pool}`;
    const taken = smaller(claimed > 0n ? claimed : -claimed, left.get(key) ?? 0n);
    left.add(key, -taken);
    return claimed > 0n ? taken : -taken;
  };
  return pooled.flatMap((event): Change[] => {
    const claimed = claimedBy(event);
    if (claimed === undefined) return [];
    const { token0, token1 } = pools.get(event.emitter)!;
    // V3 pools pay when it is collected.
    if (event.name === "Burn" && event.args.to === undefined) return [{ ...event, amounts: claimed }];
    const amounts = [moved(token0, event.emitter, claimed[0]), moved(token1, event.emitter, claimed[1])] as const;
    return event.name === "Swap" && amounts[0] * amounts[1] >= 0n ? [] : [{ ...event, amounts }];
  });
}

function claimedBy({ name, args }: Event): [bigint, bigint] | undefined {
  switch (name) {
    case "Swap": {
      if (args.amount0In === undefined) return [big(args.amount0), big(args.amount1)];
      const nets = [big(args.amount0In) - big(args.amount0Out), big(args.amount1In) - big(args.amount1Out)] as const;
      return nets[0] * nets[1] < 0n ? [...nets] : undefined;
    }
    case "Mint":
      return [big(args.amount0), big(args.amount1)];
    case "Burn":
    case "Collect":
      return [-big(args.amount0), -big(args.amount1)];
    default:
      return undefined;
  }
}

function swapLines(acting: readonly Change[], events: readonly Event[], tx: WireTransaction, market: Market): string[] {
  const swaps = acting.filter(({ name }) => name === "Swap");
  if (swaps.length === 0) return [];
  const nets = new Sums();
  for (const { emitter, amounts } of swaps) {
    const { token0, token1 } = market.pools.get(emitter)!;
    nets.add(token0, amounts[0]);
    nets.add(token1, amounts[1]);
  }
  const isUnwrapped = events.some(({ name, emitter }) => name === "Withdrawal" && emitter === market.wrapped);
  const asCoin = (text: string, isCoin: boolean) => (isCoin ? text.replace(market.wrapped, "coin") : text);
  const given = asCoin(nets.text(), BigInt(String(tx.value)) > 0n);
  const received = asCoin(nets.text(-1n), isUnwrapped);
  const pools = [...new Set(swaps.map(({ emitter }) => emitter))].sort().join(" ");
  return [`swap ${given} for ${received} in ${pools}`];
}

function liquidityLines(acting: readonly Change[], market: Market): string[] {
  const kinds = { Mint: new Map<string, Sums>(), Burn: new Map<string, Sums>(), Collect: new Map<string, Sums>() };
  for (const { name, emitter, amounts } of acting) {
    if (name === "Swap") continue;
    const { token0, token1 } = market.pools.get(emitter)!;
    const sums = kinds[name as keyof typeof kinds].get(emitter) ?? new Sums();
    const sign = name === "Mint" ? 1n : -1n;
    sums.add(token0, sign * amounts[0]);
    sums.add(token1, sign * amounts[1]);
    kinds[name as keyof typeof kinds].set(emitter, sums);
  }
  for (const [pool, collected] of kinds.Collect) {
    for (const [token, amount] of kinds.Burn.get(pool) ?? []) collected.add(token, -amount);
  }
  const lines = (verb: string, all: ReadonlyMap<string, Sums>) =>
    [...all].flatMap(([pool, sums]) => (sums.text() === "" ? [] : [`${verb} ${sums.text()} in ${pool}`]));
  return [
    ...lines("add_liquidity", kinds.Mint),
    ...lines("remove_liquidity", kinds.Burn),
    ...lines("collect", kinds.Collect),
  ];
}

/** Tokens that no acting pool trades, shares of pools and positions left out. */
function transferLines(
  events: readonly Event[],
  touched: ReadonlySet<string>,
  acting: readonly Event[],
  market: Market,
): string[] {
  const pools = new Set(acting.map(({ emitter }) => emitter));
  const hasLiquidity = acting.some(({ name }) => name !== "Swap");
  const changed = events.filter(({ name }) => /creaseLiquidity$/.test(name));
  const positions = new Set(changed.map(({ emitter, args }) => `${emitter} ${args.id}`));
  const sums = new Map<string, { amount: bigint; ids: Set<bigint> }>();
  const empty: string[] = [];
  const add = (key: string, amount: bigint, id?: bigint) => {
    if (amount === 0n) empty.push(key);
    const known = sums.get(key) ?? { amount: 0n, ids: new Set() };
    sums.set(key, { amount: known.amount + amount, ids: id === undefined ? known.ids : known.ids.add(id) });
  };
  const kindOf = (from: string, to: string) =>
    from === ZeroAddress ? "mint" : to === ZeroAddress ? "burn" : "transfer";
  for (const { name, emitter, args, isOfItem } of events) {
    if (touched.has(emitter) || pools.has(emitter)) continue;
    if (emitter === market.wrapped && (name === "Deposit" || name === "Withdrawal")) {
      const isDeposit = name === "Deposit";
      add(`${isDeposit ? "wrap" : "unwrap"} ${emitter} ${low(isDeposit ? args.to : args.from)}`, big(args.amount));
    }
    if (!/^Transfer/.test(name) || (hasLiquidity && positions.has(`${emitter} ${args.id}`))) continue;
    const [from, to] = [low(args.from), low(args.to)];
    const key = `${kindOf(from, to)} ${emitter} ${from} ${to}`;
    if (name === "TransferBatch") {
      for (const [at, id] of (args.ids as bigint[]).entries()) add(key, (args.amounts as bigint[])[at]!, id);
    } else if (isOfItem) add(key, 1n, big(args.id));
    else add(key, big(args.amount), args.id === undefined ? undefined : big(args.id));
  }
  // Transfers of nothing are told if nothing else moved.
  const moved = [...sums].filter(([key, { amount }]) => !/^wrap|^unwrap/.test(key) && amount > 0n);
  for (const key of moved.length === 0 ? [] : empty) if (sums.get(key)?.amount === 0n) sums.delete(key);
  return [...sums].map(([key, { amount, ids }]) => `${key} ${amount} ${[...ids].sort().join()}`);
}

/** What a token with a fee on transfers burns of what accounts send to a pool. */
function burntBeside(events: readonly Event[], touched: ReadonlySet<string>, { pools, wrapped }: Market): string[] {
  const burns = events.filter(
    ({ name, emitter, args }) =>
      name === "Transfer" && touched.has(emitter) && emitter !== wrapped && args.to === ZeroAddress,
  );
  const own = burns.filter(({ args }) => !pools.has(low(args.from)));
  const sums = new Sums();
  for (const { emitter, args } of own) sums.add(`${emitter} ${low(args.from)}`, big(args.amount));
  return [...sums].map(([key, amount]) => `burn ${key} ${ZeroAddress} ${amount} `);
}

function approvalLines(events: readonly Event[]): string[] {
  const isUsed = (token: string, owner: string) =>
    events.some(({ name, emitter, args }) => /^Transfer/.test(name) && emitter === token && low(args.from) === owner);
  const last = new Map<string, string>();
  for (const { name, emitter, args } of events) {
    if (!/^Approval/.test(name)) continue;
    const [owner, spender] = [low(args.owner), low(args.spender)];
    const isUnlimited = args.amount !== undefined && big(args.amount) >= 2n ** 255n;
    if (name === "Approval" && isUsed(emitter, owner) && !isUnlimited) continue;
    const what = args.id === undefined ? (args.amount ?? args.approved) : `#${args.id}`;
    last.set(`${emitter} ${owner} ${args.id === undefined ? spender : args.id}`, `${spender} ${what}`);
  }
  return [...last].map(([key, value]) => `approve ${key.split(" ").slice(0, 2).join(" ")} ${value}`);
}
