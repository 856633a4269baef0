import type { Log } from "../block/receipt.ts";
import type { Bytes } from "../encoding/bytes.ts";
import { keccak256 } from "../hashing/keccak.ts";

/** Events of Uniswap V2, V3 and V4, their forks, PancakeSwap Infinity, Algebra, Solidly, and position managers. */
const EVENTS = {
  pairCreated: { signature: "PairCreated(address,address,address,uint256)", topics: 3, words: 2 },
  sync: { signature: "Sync(uint112,uint112)", topics: 1, words: 2 },
  swapV2: { signature: "Swap(address,uint256,uint256,uint256,uint256,address)", topics: 3, words: 4 },
  mintV2: { signature: "Mint(address,uint256,uint256)", topics: 2, words: 2 },
  burnV2: { signature: "Burn(address,uint256,uint256,address)", topics: 3, words: 2 },
  poolCreated: { signature: "PoolCreated(address,address,uint24,int24,address)", topics: 4, words: 2 },
  initialize: { signature: "Initialize(uint160,int24)", topics: 1, words: 2 },
  swapV3: { signature: "Swap(address,address,int256,int256,uint160,uint128,int24)", topics: 3, words: 5 },
  /** PancakeSwap's form, with the protocol fee. */
  swapPancake: {
    signature: "Swap(address,address,int256,int256,uint160,uint128,int24,uint128,uint128)",
    topics: 3,
    words: 7,
  },
  mintV3: { signature: "Mint(address,address,int24,int24,uint128,uint256,uint256)", topics: 4, words: 4 },
  burnV3: { signature: "Burn(address,int24,int24,uint128,uint256,uint256)", topics: 4, words: 3 },
  collect: { signature: "Collect(address,address,int24,int24,uint128,uint128)", topics: 4, words: 3 },
  collectProtocol: { signature: "CollectProtocol(address,address,uint128,uint128)", topics: 3, words: 2 },
  flash: { signature: "Flash(address,address,uint256,uint256,uint256,uint256)", topics: 3, words: 4 },
  setFeeProtocol: { signature: "SetFeeProtocol(uint8,uint8,uint8,uint8)", topics: 1, words: 4 },
  increaseLiquidity: { signature: "IncreaseLiquidity(uint256,uint128,uint256,uint256)", topics: 2, words: 3 },
  decreaseLiquidity: { signature: "DecreaseLiquidity(uint256,uint128,uint256,uint256)", topics: 2, words: 3 },
  collectManaged: { signature: "Collect(uint256,address,uint256,uint256)", topics: 2, words: 3 },
  /** Of a V4 pool manager, about one of its pools. */
  initializeV4: {
    signature: "Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)",
    topics: 4,
    words: 5,
  },
  swapV4: {
    signature: "Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)",
    topics: 3,
    words: 6,
  },
  modifyLiquidity: {
    signature: "ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)",
    topics: 3,
    words: 4,
  },
  protocolFeeUpdated: { signature: "ProtocolFeeUpdated(bytes32,uint24)", topics: 2, words: 1 },
  /** Of a manager of PancakeSwap Infinity; its others are those of V4. */
  initializeInfinity: {
    signature: "Initialize(bytes32,address,address,address,uint24,bytes32,uint160,int24)",
    topics: 4,
    words: 5,
  },
  swapInfinity: {
    signature: "Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24,uint16)",
    topics: 3,
    words: 7,
  },
  /** Of a factory of Algebra: of any pool, then of one whose plugin its deployer chose. */
  algebraPool: { signature: "Pool(address,address,address)", topics: 3, words: 1 },
  customPool: { signature: "CustomPool(address,address,address,address)", topics: 4, words: 1 },
  swapAlgebra: {
    signature: "Swap(address,address,int256,int256,uint160,uint128,int24,uint24,uint24)",
    topics: 3,
    words: 7,
  },
  swapFee: { signature: "SwapFee(address,uint24,uint24)", topics: 2, words: 2 },
  burnAlgebra: { signature: "Burn(address,int24,int24,uint128,uint256,uint256,uint24)", topics: 4, words: 4 },
  burnFee: { signature: "BurnFee(address,uint24)", topics: 2, words: 1 },
  fee: { signature: "Fee(uint16)", topics: 1, words: 1 },
  feePair: { signature: "Fee(uint16,uint16)", topics: 1, words: 2 },
  communityFee: { signature: "CommunityFee(uint16)", topics: 1, words: 1 },
  communityFeeSmall: { signature: "CommunityFee(uint8)", topics: 1, words: 1 },
  communityFeePair: { signature: "CommunityFee(uint8,uint8)", topics: 1, words: 2 },
  pluginConfig: { signature: "PluginConfig(uint8)", topics: 1, words: 1 },
  tickSpacing: { signature: "TickSpacing(int24)", topics: 1, words: 1 },
  increaseAlgebra: {
    signature: "IncreaseLiquidity(uint256,uint128,uint128,uint256,uint256,address)",
    topics: 2,
    words: 5,
  },
  /** Of a factory of Solidly or its forks: of the first generation, then of the second. */
  solidlyPair: { signature: "PairCreated(address,address,bool,address,uint256)", topics: 3, words: 3 },
  solidlyPool: { signature: "PoolCreated(address,address,bool,address,uint256)", topics: 4, words: 2 },
  syncSolidly: { signature: "Sync(uint256,uint256)", topics: 1, words: 2 },
  /** Of the second generation; the first has those of Uniswap V2. */
  swapSolidly: { signature: "Swap(address,address,uint256,uint256,uint256,uint256)", topics: 3, words: 4 },
  burnSolidly: { signature: "Burn(address,address,uint256,uint256)", topics: 3, words: 2 },
  claim: { signature: "Claim(address,address,uint256,uint256)", topics: 3, words: 2 },
  /** Positions are ERC-721 tokens. */
  transferPosition: { signature: "Transfer(address,address,uint256)", topics: 4, words: 0 },
} as const;

export type ExchangeEvent = keyof typeof EVENTS;

/** Has the form of an exchange event; the emitter decides whether it counts. */
export interface ExchangeLog {
  readonly event: ExchangeEvent;
  readonly log: Log;
  readonly logIndex: number;
  readonly transactionIndex: number;
}

/** topic0 values per event. */
export const EXCHANGE_TOPICS = Object.fromEntries(
  Object.entries(EVENTS).map(([event, { signature }]) => [event, keccak256(Buffer.from(signature))]),
) as Readonly<Record<ExchangeEvent, Bytes>>;

interface Form {
  readonly event: ExchangeEvent;
  readonly hash: Bytes;
  readonly topicBytes: number;
  readonly dataBytes: number;
}

/** Nine bits of topic0 that are unique among these events. */
const tellingBits = (topics: Bytes): number => (topics[28]! << 1) | (topics[29]! & 1);

/** Indexed by these bits. */
const FORMS: (Form | undefined)[] = Array(512).fill(undefined);
for (const [name, { topics, words }] of Object.entries(EVENTS)) {
  const event = name as ExchangeEvent;
  const hash = EXCHANGE_TOPICS[event];
  FORMS[tellingBits(hash)] = { event, hash, topicBytes: topics * 32, dataBytes: words * 32 };
}

/** Most logs are ruled out by these bits. */
export function exchangeEventOf({ topics, data }: Log): ExchangeEvent | undefined {
  const form = topics.length === 0 ? undefined : FORMS[tellingBits(topics)];
  if (form === undefined || topics.length !== form.topicBytes || data.length !== form.dataBytes) return undefined;
  for (let at = 0; at < 32; at++) if (topics[at] !== form.hash[at]) return undefined;
  return form.event;
}
