import type { PlainAlgebra } from "./plainAlgebra.ts";
import { chargeAlgebra, isAlgebra, keepForPlugin, setAlgebra } from "./plainAlgebra.ts";
import type { PlainChain } from "./plainChain.ts";
import { blocksOf } from "./plainChain.ts";
import type { PlainPairFee } from "./plainPairFees.ts";
import { tellFee } from "./plainPairFees.ts";
import type { PlainChange, PlainFlows } from "./plainPositions.ts";
import { claim, flow, isOf, noFlows } from "./plainPositions.ts";
import { feeOn, isIdOf, principal } from "./plainSingletons.ts";
import type { PlainSolidly } from "./plainSolidly.ts";
import { chargeSolidly, syncSolidly } from "./plainSolidly.ts";
import { POOL_TOPICS } from "./simulatedPools.ts";

/** State of a pool, recomputed directly from the JSON of receipts. */
export interface PlainPool {
  block: number;
  reserves: [bigint, bigint];
  sqrtPrice: bigint;
  tick: bigint;
  liquidity: bigint;
  amounts: [bigint, bigint];
  feeProtocol: [bigint, bigint];
  volumes: [bigint, bigint];
  inputs: [bigint, bigint];
  /** The inputs times 2520, over the protocol's divisor. */
  protocolInputs: [bigint, bigint];
  protocolFees: [bigint, bigint];
  transactions: number;
  swaps: number;
  /** Of V4. */
  singleton: PlainSingleton | undefined;
  algebra: PlainAlgebra | undefined;
  solidly: PlainSolidly | undefined;
  pairFee: PlainPairFee | undefined;
}

export interface PlainSingleton {
  fee: bigint;
  hasShareLog: boolean;
  charged: [bigint, bigint];
  paid: [bigint, bigint];
  mints: number;
  burns: number;
  /** Kinds of the logs of the block. */
  kinds: string[];
}

export interface PlainCreation {
  readonly factory: string;
  readonly type: "v2" | "v3" | "v4" | "infinity" | "algebra" | "volatile" | "stable";
  readonly generation?: number;
  readonly tokens: readonly [string, string];
  readonly fee: number | undefined;
  /** Who chose the plugin of a custom pool, and the block that said so. */
  deployer?: string;
  readonly block: number;
}

export interface PlainPosition {
  readonly pool: string;
  readonly ticks: readonly [bigint, bigint];
  liquidity: bigint;
  owner: string;
  readonly flows: PlainFlows;
}

export interface PlainExchange {
  /** By pool: what it was after each block that changed it. */
  readonly history: Map<string, PlainPool[]>;
  /** Claimed creations by pool, in chain order. */
  readonly creations: Map<string, PlainCreation[]>;
  /** By "manager tokenId", or "pool owner lower upper". */
  readonly positions: Map<string, PlainPosition>;
}

const NAMES = new Map(Object.entries(POOL_TOPICS).map(([name, topic]) => [topic as string, name]));
/** Topics and words of data. */
const SIZES: Record<string, readonly [number, number]> = {
  pairCreated: [3, 2],
  sync: [1, 2],
  swapV2: [3, 4],
  mintV2: [2, 2],
  burnV2: [3, 2],
  poolCreated: [4, 2],
  initialize: [1, 2],
  swapV3: [3, 5],
  swapPancake: [3, 7],
  mintV3: [4, 4],
  burnV3: [4, 3],
  collect: [4, 3],
  collectProtocol: [3, 2],
  flash: [3, 4],
  setFeeProtocol: [1, 4],
  increaseLiquidity: [2, 3],
  decreaseLiquidity: [2, 3],
  collectManaged: [2, 3],
  transferPosition: [4, 0],
  initializeV4: [4, 5],
  swapV4: [3, 6],
  initializeInfinity: [4, 5],
  swapInfinity: [3, 7],
  modifyLiquidity: [3, 4],
  protocolFeeUpdated: [2, 1],
  algebraPool: [3, 1],
  customPool: [4, 1],
  swapAlgebra: [3, 7],
  swapFee: [2, 2],
  burnAlgebra: [4, 4],
  burnFee: [2, 1],
  fee: [1, 1],
  feePair: [1, 2],
  communityFee: [1, 1],
  communityFeeSmall: [1, 1],
  communityFeePair: [1, 2],
  pluginConfig: [1, 1],
  tickSpacing: [1, 1],
  increaseAlgebra: [2, 5],
  solidlyPair: [3, 3],
  solidlyPool: [4, 2],
  syncSolidly: [1, 2],
  swapSolidly: [3, 4],
  burnSolidly: [3, 2],
  claim: [3, 2],
};
const NOBODY = `0x${"0".repeat(40)}`;

const address = (word: bigint) => `0x${word.toString(16).padStart(40, "0")}`;
const isAddress = (word: bigint) => word < 2n ** 160n;
const signed = (word: bigint, bits: number) => BigInt.asIntN(bits, word);
const magnitude = (value: bigint) => (value < 0n ? -value : value);

interface PlainLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

interface Mint extends PlainChange {
  readonly values: string;
}

export function plainExchange(chain: PlainChain): PlainExchange {
  const exchange: PlainExchange = { history: new Map(), creations: new Map(), positions: new Map() };
  for (const { number, receipts } of blocksOf(chain)) {
    const pools = new Map<string, PlainPool>();
    for (const { logs } of receipts) {
      const context = {
        mints: [] as Mint[],
        burns: [] as PlainChange[],
        collects: [] as PlainChange[],
        born: new Map<string, string>(),
        used: new Set<string>(),
        pluginFees: new Map<string, bigint[]>(),
        burnFees: new Map<string, bigint>(),
        reserves: new Map<string, readonly [bigint, bigint]>(),
      };
      for (const log of logs as unknown as readonly PlainLog[]) {
        const name = NAMES.get(log.topics[0] ?? "");
        const words = log.data.slice(2).match(/.{64}/g) ?? [];
        const size = name === undefined ? undefined : SIZES[name];
        if (size === undefined || size[0] !== log.topics.length || log.data.length !== 2 + 64 * size[1]) continue;
        const topics = log.topics.slice(1).map(BigInt);
        const data = words.map((word) => BigInt(`0x${word}`));
        apply(exchange, pools, { name: name!, emitter: log.address, topics, data, number }, context);
      }
    }
    for (const [pool, state] of pools) exchange.history.set(pool, [...(exchange.history.get(pool) ?? []), state]);
  }
  return exchange;
}

interface Event {
  readonly name: string;
  readonly emitter: string;
  readonly topics: readonly bigint[];
  readonly data: readonly bigint[];
  readonly number: number;
}

interface Context {
  readonly mints: Mint[];
  readonly burns: PlainChange[];
  readonly collects: PlainChange[];
  readonly born: Map<string, string>;
  readonly used: Set<string>;
  readonly pluginFees: Map<string, bigint[]>;
  readonly burnFees: Map<string, bigint>;
  readonly reserves: Map<string, readonly [bigint, bigint]>;
}

function apply(exchange: PlainExchange, pools: Map<string, PlainPool>, event: Event, context: Context): void {
  const { name, emitter } = event;
  if (SINGLETON.includes(name)) applySingleton(exchange, pools, event, context);
  if (CREATIONS.includes(name)) create(exchange, event);
  if (MANAGED.includes(name)) manage(exchange, event, context);
  else if (exchange.creations.has(emitter) && ![...CREATIONS, ...SINGLETON].includes(name))
    applyToPool(exchange, pools, event, context);
}

const CREATIONS = ["pairCreated", "poolCreated", "algebraPool", "customPool", "solidlyPair", "solidlyPool"];
const MANAGED = ["increaseLiquidity", "increaseAlgebra", "decreaseLiquidity", "collectManaged", "transferPosition"];

function applyToPool(exchange: PlainExchange, pools: Map<string, PlainPool>, event: Event, context: Context): void {
  const { name, emitter, data } = event;
  const kept = name === "burnV3" ? context.burnFees.get(emitter) : undefined;
  if (name === "burnV3") context.burnFees.delete(emitter);
  if (name === "claim" || (name === "burnV3" && data[0] === 0n && kept === undefined)) return;
  const pool = pools.get(emitter) ?? next(exchange.history.get(emitter)?.at(-1), event.number);
  pools.set(emitter, pool);
  const isNothing = (name === "burnV3" || name === "burnAlgebra") && data[0] === 0n;
  const isUse = /^(swap|mint|burn)/.test(name) && !/Fee$/.test(name) && !isNothing;
  if (isUse && !context.used.has(emitter)) pool.transactions++;
  if (isUse) context.used.add(emitter);
  if (name === "sync") {
    context.reserves.set(emitter, pool.reserves);
    pool.reserves = [data[0]!, data[1]!];
  }
  if (name === "syncSolidly") context.reserves.set(emitter, syncSolidly(pool, [data[0]!, data[1]!]));
  if (name === "swapV2" || name === "swapSolidly") {
    const net = [data[0]! - data[2]!, data[1]! - data[3]!] as const;
    trade(pool, net, [data[0]!, data[1]!]);
    const before = context.reserves.get(emitter);
    context.reserves.delete(emitter);
    if (pool.solidly !== undefined) chargeSolidly(pool, net, [data[0]!, data[1]!], before);
    else pool.pairFee ??= { max: 1_000_000n, isExact: false, above: { count: 0, max: 0n } };
    if (pool.solidly === undefined && before !== undefined) tellFee(pool.pairFee!, data, before, pool.reserves);
  }
  if (name === "swapFee")
    context.pluginFees.set(
      emitter,
      data.map((word) => word % 2n ** 24n),
    );
  if (name === "swapV3" || name === "swapPancake" || name === "swapAlgebra") {
    const wanted = name === "swapAlgebra" ? data.slice(5).map((word) => word % 2n ** 24n) : undefined;
    const reported = wanted ?? context.pluginFees.get(emitter);
    if (name !== "swapAlgebra") context.pluginFees.delete(emitter);
    if (reported === undefined && pool.algebra === undefined) swap(pool, data);
    else swapAlgebra(pool, data, reported ?? [0n, 0n]);
  }
  if (isAlgebra(name)) setAlgebra(pool, name, data);
  if (name === "initialize") [pool.sqrtPrice, pool.tick] = [data[0]!, signed(data[1]!, 24)];
  if (name === "collect") add(pool.amounts, [-data[1]!, -data[2]!]);
  if (name === "collectProtocol") add(pool.amounts, [-data[0]!, -data[1]!]);
  if (name === "flash") add(pool.amounts, [data[2]!, data[3]!]);
  if (name === "setFeeProtocol") pool.feeProtocol = [data[2]!, data[3]!];
  if (name === "mintV3") {
    const [liquidity, amount0, amount1] = data.slice(1) as [bigint, bigint, bigint];
    add(pool.amounts, [amount0, amount1]);
    const amounts = [amount0, amount1] as const;
    const mint = change(exchange, pool, event, { by: liquidity, amounts });
    context.mints.push({ ...mint, values: String([liquidity, amount0, amount1]) });
  }
  if ((name === "burnV3" || name === "burnAlgebra") && data[0] !== 0n)
    context.burns.push(change(exchange, pool, event, { by: -data[0]!, amounts: [data[1]!, data[2]!] }));
  if (name === "collect" && data[1]! + data[2]! > 0n) collect(exchange, event, context);
  if (name === "burnFee") context.burnFees.set(emitter, data[0]! % 2n ** 24n);
  if (kept !== undefined) keepForPlugin(pool, [data[1]!, data[2]!], kept);
  if (name === "burnAlgebra") keepForPlugin(pool, [data[1]!, data[2]!], data[3]! % 2n ** 24n);
}

/** Shares that others take are not those of V3. */
function swapAlgebra(pool: PlainPool, data: readonly bigint[], plugin: readonly bigint[]): void {
  const shares = pool.feeProtocol;
  pool.feeProtocol = [0n, 0n];
  swap(pool, data.slice(0, 5));
  pool.feeProtocol = shares;
  chargeAlgebra(pool, [signed(data[0]!, 256), signed(data[1]!, 256)], plugin);
}

function next(before: PlainPool | undefined, block: number): PlainPool {
  const nothing = (): [bigint, bigint] => [0n, 0n];
  if (before !== undefined) {
    const clone = { ...structuredClone(before), block };
    if (clone.singleton !== undefined) clone.singleton.kinds = [];
    return clone;
  }
  return {
    ...{ block, reserves: nothing(), sqrtPrice: 0n, tick: 0n, liquidity: 0n, amounts: nothing() },
    ...{ feeProtocol: nothing(), volumes: nothing(), inputs: nothing(), protocolInputs: nothing() },
    ...{
      protocolFees: nothing(),
      transactions: 0,
      swaps: 0,
      singleton: undefined,
      algebra: undefined,
      solidly: undefined,
      pairFee: undefined,
    },
  };
}

function add(sums: [bigint, bigint], by: readonly [bigint, bigint]): void {
  sums[0] += by[0];
  sums[1] += by[1];
}

function trade(pool: PlainPool, net: readonly [bigint, bigint], inputs: readonly [bigint, bigint]): void {
  pool.swaps++;
  add(pool.volumes, [magnitude(net[0]), magnitude(net[1])]);
  add(pool.inputs, inputs);
}

function swap(pool: PlainPool, data: readonly bigint[]): void {
  const net: [bigint, bigint] = [signed(data[0]!, 256), signed(data[1]!, 256)];
  const inputs = net.map((amount) => (amount > 0n ? amount : 0n)) as [bigint, bigint];
  [pool.sqrtPrice, pool.liquidity, pool.tick] = [data[2]!, data[3]!, signed(data[4]!, 24)];
  add(pool.amounts, net);
  add(pool.protocolFees, [data[5] ?? 0n, data[6] ?? 0n]);
  const share = (at: 0 | 1) => (pool.feeProtocol[at] === 0n ? 0n : (inputs[at] * 2520n) / pool.feeProtocol[at]);
  add(pool.protocolInputs, [share(0), share(1)]);
  trade(pool, net, inputs);
}

function change(
  { positions }: PlainExchange,
  pool: PlainPool,
  { name, emitter, topics }: Event,
  { by, amounts }: { readonly by: bigint; readonly amounts: readonly [bigint, bigint] },
): PlainChange {
  const owner = address(topics[0]! % 2n ** 160n);
  const ticks = [signed(topics[1]!, 24), signed(topics[2]!, 24)] as const;
  if (ticks[0] <= pool.tick && pool.tick < ticks[1]) pool.liquidity += by;
  const id = [emitter, owner, ...ticks].join(" ");
  const before = positions.get(id) ?? { pool: emitter, ticks, liquidity: 0n, owner, flows: noFlows() };
  const isMint = name === "mintV3";
  flow(before.flows, isMint ? "added" : "removed", amounts);
  positions.set(id, { ...before, liquidity: before.liquidity + by });
  return { pool: emitter, owner, ticks, liquidity: isMint ? by : -by, amounts };
}

function collect({ positions }: PlainExchange, { emitter, topics, data }: Event, { collects }: Context): void {
  const owner = address(topics[0]! % 2n ** 160n);
  const ticks = [signed(topics[1]!, 24), signed(topics[2]!, 24)] as const;
  const amounts = [data[1]!, data[2]!] as const;
  collects.push({ pool: emitter, owner, ticks, liquidity: 0n, amounts });
  const known = positions.get([emitter, owner, ...ticks].join(" "));
  if (known !== undefined) flow(known.flows, "collected", amounts);
}

function create({ creations }: PlainExchange, { name, emitter: factory, topics, data, number }: Event): void {
  const pool = name === "poolCreated" || name === "solidlyPair" ? data[1]! : data[0]!;
  const isCustom = name === "customPool";
  const sides = isCustom ? topics.slice(1) : topics;
  if (![...(isCustom ? topics : topics.slice(0, 2)), pool].every(isAddress)) return;
  const known = creations.get(address(pool)) ?? [];
  const same = known.find((one) => one.factory === factory);
  if (same !== undefined) {
    const isSaidNow = isCustom && same.type === "algebra" && same.block === number && same.deployer === undefined;
    if (isSaidNow) same.deployer = address(topics[0]!);
    return;
  }
  const tokens = [address(sides[0]!), address(sides[1]!)] as const;
  const fee = name === "poolCreated" ? Number(topics[2]! % 2n ** 24n) : undefined;
  const flag = name === "solidlyPair" ? data[0]! : name === "solidlyPool" ? topics[2]! : undefined;
  if (flag !== undefined && flag > 1n) return;
  const others = { pairCreated: "v2", poolCreated: "v3" } as const;
  const type =
    flag === undefined ? (others[name as keyof typeof others] ?? "algebra") : flag === 1n ? "stable" : "volatile";
  const generation = flag === undefined ? {} : { generation: name === "solidlyPair" ? 1 : 2 };
  const deployer = isCustom ? { deployer: address(topics[0]!) } : {};
  creations.set(address(pool), [...known, { factory, type, tokens, fee, block: number, ...generation, ...deployer }]);
}

function manage({ positions }: PlainExchange, event: Event, { mints, burns, collects, born }: Context): void {
  const { name, emitter, topics } = event;
  const data = name === "increaseAlgebra" ? event.data.slice(1, 4) : event.data;
  const id = `${emitter} ${topics.at(-1)}`;
  const known = positions.get(id);
  if (name === "transferPosition") {
    const to = address(topics[1]! % 2n ** 160n);
    if (topics[0]! % 2n ** 160n === 0n) born.set(id, to);
    if (known === undefined) return;
    known.owner = to;
    const parties = topics.slice(0, 2).map((topic) => topic % 2n ** 160n);
    if (!parties.includes(0n) && parties[0] !== parties[1]) known.flows.handedOn++;
    return;
  }
  if (name === "decreaseLiquidity" || name === "collectManaged") {
    const isBurn = name === "decreaseLiquidity";
    if (known === undefined || (isBurn && data[0] === 0n)) return;
    const found = isBurn ? claim(burns, known, emitter, data[0]!) : claim(collects, known, emitter);
    if (isBurn) known.liquidity -= data[0]!;
    if (found !== undefined) flow(known.flows, isBurn ? "removed" : "collected", found.amounts);
    return;
  }
  const at = mints.findLastIndex(({ owner, values }) => owner === emitter && values === String(data));
  const [mint] = at < 0 ? [] : mints.splice(at, 1);
  if (known !== undefined) {
    known.liquidity += data[0]!;
    if (mint !== undefined && isOf(known, mint)) flow(known.flows, "added", mint.amounts);
  } else if (mint !== undefined) {
    const { pool, ticks } = mint;
    const position = { pool, ticks, liquidity: data[0]!, owner: born.get(id) ?? NOBODY, flows: noFlows() };
    flow(position.flows, "added", mint.amounts);
    positions.set(id, position);
  }
}

const SINGLETON = [
  ...["initializeV4", "initializeInfinity", "swapV4", "swapInfinity"],
  ...["modifyLiquidity", "protocolFeeUpdated"],
];

/** Pools of V4 and Infinity are called by their manager and their id. */
function applySingleton(exchange: PlainExchange, pools: Map<string, PlainPool>, event: Event, context: Context): void {
  const { name, emitter, topics, data, number } = event;
  const id = `0x${topics[0]!.toString(16).padStart(64, "0")}`;
  const key = `${emitter}${id.slice(2)}`;
  const isInfinity = name.endsWith("Infinity");
  if (name.startsWith("initialize")) {
    const [one, two, three] = data as [bigint, bigint, bigint];
    const terms = isInfinity ? [one, BigInt(emitter), two, three] : [one, two, three];
    const words = [topics[1]!, topics[2]!, ...terms];
    const addresses = [words[0]!, words[1]!, isInfinity ? one : three];
    if (exchange.creations.has(key) || !addresses.every(isAddress) || !isIdOf(id, words)) return;
    const tokens = [address(words[0]!), address(words[1]!)] as const;
    exchange.creations.set(key, [
      {
        ...{ factory: emitter, type: isInfinity ? "infinity" : "v4", tokens },
        ...{ fee: Number(data[isInfinity ? 1 : 0]! % 2n ** 24n), block: number },
      },
    ]);
  }
  if (!exchange.creations.has(key) || (name === "modifyLiquidity" && data[2] === 0n)) return;
  const pool = pools.get(key) ?? next(exchange.history.get(key)?.at(-1), number);
  pools.set(key, pool);
  pool.singleton ??= { fee: 0n, hasShareLog: false, charged: [0n, 0n], paid: [0n, 0n], mints: 0, burns: 0, kinds: [] };
  const own = pool.singleton;
  const isSwap = name.startsWith("swap");
  const isUse = isSwap || name === "modifyLiquidity";
  if (isUse && !context.used.has(key)) pool.transactions++;
  if (isUse) context.used.add(key);
  if (name.startsWith("initialize")) [pool.sqrtPrice, pool.tick] = [data[3]!, signed(data[4]!, 24)];
  if (name === "protocolFeeUpdated") own.hasShareLog = true;
  if (name === "protocolFeeUpdated") pool.feeProtocol = [data[0]! % 4096n, (data[0]! % 2n ** 24n) / 4096n];
  if (isSwap && isInfinity) {
    const into = [0, 1].find((at) => signed(data[at]!, 256) < 0n);
    if (into !== undefined) pool.feeProtocol[into] = data[6]! % 2n ** 16n;
  }
  if (isSwap) swapSingleton(pool, own, data);
  if (name === "modifyLiquidity") changeSingleton(exchange, { key, pool, own }, event, context);
}

function swapSingleton(pool: PlainPool, own: PlainSingleton, data: readonly bigint[]): void {
  const net: [bigint, bigint] = [-signed(data[0]!, 256), -signed(data[1]!, 256)];
  const inputs = net.map((amount) => (amount > 0n ? amount : 0n)) as [bigint, bigint];
  const fee = data[5]! % 2n ** 24n;
  [pool.sqrtPrice, pool.liquidity, pool.tick] = [data[2]!, data[3]!, signed(data[4]!, 24)];
  add(pool.amounts, [net[0] - feeOn(inputs[0], fee), net[1] - feeOn(inputs[1], fee)]);
  add(pool.protocolFees, [
    (inputs[0] * pool.feeProtocol[0]) / 1_000_000n,
    (inputs[1] * pool.feeProtocol[1]) / 1_000_000n,
  ]);
  trade(pool, net, inputs);
  own.fee = fee;
  add(own.charged, [magnitude(net[0]) * fee, magnitude(net[1]) * fee]);
  add(own.paid, [inputs[0] * fee, inputs[1] * fee]);
  own.kinds.push("swap");
}

interface SingletonAt {
  readonly key: string;
  readonly pool: PlainPool;
  readonly own: PlainSingleton;
}

function changeSingleton(
  { positions }: PlainExchange,
  { key, pool, own }: SingletonAt,
  { topics, data }: Event,
  { born }: Context,
): void {
  const owner = address(topics[1]! % 2n ** 160n);
  const ticks = [signed(data[0]!, 24), signed(data[1]!, 24)] as const;
  const by = signed(data[2]!, 256);
  const moved = ticks[0] < ticks[1] ? principal(ticks, by, pool) : ([0n, 0n] as const);
  add(pool.amounts, moved);
  const [kind, sign] = by > 0n ? (["added", 1n] as const) : (["removed", -1n] as const);
  const amounts = [sign * moved[0], sign * moved[1]] as const;
  if (ticks[0] <= pool.tick && pool.tick < ticks[1]) pool.liquidity += by;
  own[by > 0n ? "mints" : "burns"]++;
  own.kinds.push(by > 0n ? "mint" : "burn");
  const direct = [key, owner, ...ticks, data[3]].join(" ");
  const before = positions.get(direct) ?? { pool: key, ticks, liquidity: 0n, owner, flows: noFlows() };
  flow(before.flows, kind, amounts);
  positions.set(direct, { ...before, liquidity: before.liquidity + by });
  const managed = `${owner} ${data[3]}`;
  const known = positions.get(managed);
  const first = born.get(managed);
  if (known !== undefined) {
    if (known.pool === key) known.liquidity += by;
    if (isOf(known, { pool: key, ticks })) flow(known.flows, kind, amounts);
  } else if (first !== undefined && by > 0n) {
    const position = { pool: key, ticks, liquidity: by, owner: first, flows: noFlows() };
    flow(position.flows, kind, amounts);
    positions.set(managed, position);
  }
}
