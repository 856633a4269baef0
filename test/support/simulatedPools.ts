import type { Log } from "../../src/chain/block/receipt.ts";
import type { Bytes } from "../../src/chain/encoding/bytes.ts";
import type { Hex } from "../../src/chain/encoding/hex.ts";
import { fromHex } from "../../src/chain/encoding/hex.ts";
import type { Draft } from "../../src/chain/encoding/wire.ts";
import { keccak256 } from "../../src/chain/hashing/keccak.ts";
import type { Random } from "./random.ts";
import type { SimulatedChain } from "./simulatedChain.ts";
import { wordOf } from "./simulatedTokens.ts";

export const POOL_TOPICS = {
  pairCreated: "0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9",
  sync: "0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1",
  swapV2: "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822",
  mintV2: "0x4c209b5fc8ad50758f13e2e1088ba56a560dff690a1c6fef26394f4c03821c4f",
  burnV2: "0xdccd412f0b1252819cb1fd330b93224ca42612892bb3f4f789976e6d81936496",
  poolCreated: "0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118",
  initialize: "0x98636036cb66a9c19a37435efc1e90142190214e8abeb821bdba3f2990dd4c95",
  swapV3: "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67",
  swapPancake: "0x19b47279256b2a23a1665c810c8d55a1758940ee09377d4f8d26497a3577dc83",
  mintV3: "0x7a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde",
  burnV3: "0x0c396cd989a39f4459b5fa1aed6a9a8dcdbc45908acfd67e028cd568da98982c",
  collect: "0x70935338e69775456a85ddef226c395fb668b63fa0115f5f20610b388e6ca9c0",
  collectProtocol: "0x596b573906218d3411850b26a6b437d6c4522fdb43d2d2386263f86d50b8b151",
  flash: "0xbdbdb71d7860376ba52b25a5028beea23581364a40522f6bcfb86bb1f2dca633",
  setFeeProtocol: "0x973d8d92bb299f4af6ce49b52a8adb85ae46b9f214c4c4fc06ac77401237b133",
  increaseLiquidity: "0x3067048beee31b25b2f1681f88dac838c8bba36af25bfb2b7cf7473a5847e35f",
  decreaseLiquidity: "0x26f6a048ee9138f2c0ce266f322cb99228e8d619ae2bff30c67f8dcf9d2377b4",
  collectManaged: "0x40d0efd1a53d60ecbf40971b9daf7dc90178c3aadc7aab1765632738fa8b8f01",
  initializeV4: "0xdd466e674ea557f56295e2d0218a125ea4b4f0f6f3307b95f85e6110838d6438",
  swapV4: "0x40e9cecb9f5f1f1c5b9c97dec2917b7ee92e57ba5563708daca94dd84ad7112f",
  modifyLiquidity: "0xf208f4912782fd25c7f114ca3723a2d5dd6f3bcc3ac8db5af63baa85f711d5ec",
  protocolFeeUpdated: "0xe9c42593e71f84403b84352cd168d693e2c9fcd1fdbcc3feb21d92b43e6696f9",
  initializeInfinity: "0x426cc62fe6a33a40ba2788c2c87a9c34ee4582b95bc9fa5a7bb7ae70b750b99c",
  swapInfinity: "0x04206ad2b7c0f463bff3dd4f33c5735b0f2957a351e4f79763a4fa9e775dd237",
  algebraPool: "0x91ccaa7a278130b65168c3a0c8d3bcae84cf5e43704342bd3ec0b59e59c036db",
  customPool: "0x8a5f030f5fc13b04a1e4ef7c47177e3d76b0e80e1d9be9843db37caa5b7b9b8f",
  swapAlgebra: "0x121cb44ee54098b1a04743c487e7460d8dd429b27f88b1f4d4767396e1a59f79",
  swapFee: "0x9443903d84c9719611bd4bba871daaf18a3950d00d5d78b1a2fa701f76df54ff",
  burnAlgebra: "0x932214d4a69c27c086643126ed97c32681da179064c678836c173f99bd13ca01",
  burnFee: "0x1a25098b7a731ae33ed362388b593b876963dfde0efb4db9c0befeed637ff26b",
  fee: "0x598b9f043c813aa6be3426ca60d1c65d17256312890be5118dab55b0775ebe2a",
  feePair: "0x8a89de70856bccec096661388f305b9a75f5f65cb0d8a0e1e803c39dabedb57f",
  communityFee: "0x3647dccc990d4941b0b05b32527ef493a98d6187b20639ca2f9743f3b55ca5e1",
  communityFeeSmall: "0xc78d4b4d53b7da1ae87376021bf9a299c7bc3d753247820f385bbc7062d6b30f",
  communityFeePair: "0x9e22b964b08e25c3aaa72102bb0071c089258fb82d51271a8ddf5c24921356ee",
  pluginConfig: "0x3a6271b36c1b44bd6a0a0d56230602dc6919b7c17af57254306fadf5fee69dc3",
  tickSpacing: "0x01413b1d5d4c359e9a0daa7909ecda165f6e8c51fe2ff529d74b22a5a7c02645",
  increaseAlgebra: "0x8a82de7fe9b33e0e6bca0e26f5bd14a74f1164ffe236d50e0a36c3ea70f2b814",
  solidlyPair: "0xc4805696c66d7cf352fc1d6bb633ad5ee82f6cb577c453024b6e0eb8306c6fc9",
  solidlyPool: "0x2128d88d14c80cb081c1252a5acff7a264671bf199ce226b53788fb26065005e",
  syncSolidly: "0xcf2aa50876cdfbb541206f89af0ee78d44a2abf8d328e37fa4917f982149848a",
  swapSolidly: "0xb3e2773606abfd36b5bd91394b3a54d1398336c65005baf7bf7a05efeffaf75b",
  burnSolidly: "0x5d624aa9c148153ab3446c1b154f660ee7701e549fe9b62dab7171b1c80e6fa2",
  claim: "0x865ca08d59f5cb456e85cd2f7ef63664ea4f73327414e9d8152c4158b0e94645",
  transferPosition: "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
} as const;

type Topic = keyof typeof POOL_TOPICS;
type Word = bigint | number | Bytes;

/** A log of an exchange: its indexed values, then its data, a word each. */
export function poolLog(
  event: Topic,
  address: Bytes,
  indexed: readonly Word[],
  data: readonly Word[] = [],
): Draft<Log> {
  const hex = (values: readonly Word[]) => values.map((value) => wordOf(asNumber(value))).join("");
  return {
    address,
    topics: new Uint8Array(fromHex(`${POOL_TOPICS[event]}${hex(indexed)}`)),
    data: new Uint8Array(fromHex(`0x${hex(data)}`)),
    logIndex: 0,
  };
}

const asNumber = (value: Word) =>
  value instanceof Uint8Array ? BigInt(`0x${Buffer.from(value).toString("hex")}`) : value;

interface SingletonPool {
  readonly manager: Bytes;
  readonly id: Bytes;
  readonly tokens: readonly [Bytes, Bytes];
  /** The words of the event between its tokens and its price. */
  readonly terms: readonly Word[];
  readonly isInfinity: boolean;
}

/** Two managers have V4 pools of the same ids, too. */
function inventSingletons(random: Random, count: number, hasInfinity: boolean): SingletonPool[] {
  const managers = [random.bytes(20), random.bytes(20)];
  return Array.from({ length: count }, () => {
    const tokens = [random.chance(0.3) ? new Uint8Array(20) : random.bytes(20), random.bytes(20)] as const;
    const [fee, spacing, hooks] = [random.pick([500, 3000, 0x800000]), random.pick([1, 60]), random.bytes(20)];
    const isInfinity = hasInfinity && random.chance(0.4);
    const terms = isInfinity ? [hooks, fee, BigInt(spacing) << 16n] : [fee, spacing, hooks];
    return managers.map((manager): SingletonPool => {
      const words = isInfinity ? [...tokens, hooks, manager, ...terms.slice(1)] : [...tokens, ...terms];
      const encoded = Buffer.from(words.map((value) => wordOf(asNumber(value))).join(""), "hex");
      return { manager, id: keccak256(encoded), tokens, terms, isInfinity };
    });
  }).flat();
}

interface PoolKinds {
  readonly algebra: boolean;
  readonly solidly: boolean;
  readonly exactSwaps: boolean;
  readonly infinity: boolean;
}

/**
 * Invents what exchanges log: a few pools, factories and position managers do what they like, in and out of turn, with amounts
 * no honest pool has now and then, and others say the same of pools that are not theirs.
 */
export class PoolTraffic {
  readonly #random: Random;
  readonly #users: readonly Bytes[];
  readonly #tokens: readonly Bytes[];
  readonly #pools: readonly Bytes[];
  readonly #factories: readonly Bytes[];
  readonly #managers: readonly Bytes[];
  readonly #singletons: readonly SingletonPool[];

  readonly #hasAlgebra: boolean;
  readonly #hasSolidly: boolean;
  readonly #hasExactSwaps: boolean;

  constructor(
    random: Random,
    { pools, ...kinds }: PoolKinds & { readonly pools: number },
    users: readonly Bytes[],
    tokens: readonly Bytes[],
  ) {
    this.#hasAlgebra = kinds.algebra;
    this.#hasSolidly = kinds.solidly;
    this.#hasExactSwaps = kinds.exactSwaps;
    this.#random = random;
    this.#users = users;
    this.#tokens = tokens;
    this.#pools = Array.from({ length: pools }, () => random.bytes(20));
    this.#factories = Array.from({ length: 3 }, () => random.bytes(20));
    this.#managers = Array.from({ length: 2 }, () => random.bytes(20));
    this.#singletons = inventSingletons(random, pools, kinds.infinity);
  }

  /** One of the pools, whether it was created or not. */
  pool(): Bytes {
    return this.#random.pick(this.#pools);
  }

  logs(): Draft<Log>[] {
    const random = this.#random;
    const pool = random.chance(0.05) ? random.bytes(20) : random.pickSkewed(this.#pools);
    const roll = random.int(20);
    if (roll < 2) return [this.#creation(pool)];
    if (roll < 7) return this.#pair(pool);
    if (roll < 12) return this.#concentrated(pool);
    if (roll < 14) return this.#position(pool);
    if (roll < 17) return this.#singleton();
    if (roll < 18) return [...this.#pair(pool), ...this.#concentrated(random.pick(this.#pools)), ...this.#pair(pool)];
    if (this.#hasSolidly && roll === 18) return this.#solidly(pool);
    return this.#hasAlgebra && roll === 19 ? this.#algebra(pool) : [this.#stray(pool)];
  }

  #creation(pool: Bytes): Draft<Log> {
    const random = this.#random;
    const factory = random.pickSkewed([...this.#factories, random.bytes(20)]);
    const token = this.#tokens.length > 0 && random.chance(0.5) ? random.pick(this.#tokens) : random.bytes(20);
    const tokens = [token, random.chance(0.1) ? new Uint8Array(20) : this.#otherToken(random.bytes(20))];
    if (random.chance(0.03)) tokens[0] = random.bytes(32);
    if (random.chance(0.5)) return poolLog("pairCreated", factory, tokens, [pool, random.int(9)]);
    if (this.#hasSolidly && random.chance(0.3)) {
      const flag = random.pick([0, 1, 1, 2]);
      return random.chance(0.5)
        ? poolLog("solidlyPair", factory, tokens, [flag, pool, 7])
        : poolLog("solidlyPool", factory, [...tokens, flag], [pool, 7]);
    }
    if (this.#hasAlgebra && random.chance(0.3)) return poolLog("algebraPool", factory, tokens, [pool]);
    if (this.#hasAlgebra && random.chance(0.2))
      return poolLog("customPool", factory, [random.bytes(20), ...tokens], [pool]);
    return poolLog(
      "poolCreated",
      factory,
      [...tokens, random.pick([100, 500, 3000])],
      [random.pick([1, 60, -1]), pool],
    );
  }

  /** A pool of Algebra says its fees, swaps with others, and gives its liquidity to a manager. */
  #algebra(pool: Bytes): Draft<Log>[] {
    const random = this.#random;
    const [one, two, manager] = [this.#user(), this.#user(), random.pick(this.#managers)];
    const fees = [random.pick([0, 500, 3000, 2 ** 20]), random.pick([0, 0, 70])];
    const amounts = [this.#amount(), -this.#amount()];
    const swap = [...(random.chance(0.5) ? amounts : amounts.toReversed()), this.#amount(), this.#amount(), 7];
    const removed = [this.#amount(), this.#amount(), this.#amount(), random.pick([0, 500, 2 ** 20])];
    const factory = random.pick(this.#factories);
    const tokens = [random.bytes(20), random.bytes(20)];
    switch (random.int(12)) {
      case 0:
        return [poolLog("fee", pool, [], [random.int(5000)])];
      case 1:
        return [poolLog("feePair", pool, [], [random.int(5000), random.int(70_000)])];
      case 2:
        return [poolLog(random.pick(["communityFee", "communityFeeSmall"]), pool, [], [random.int(1001)])];
      case 3:
        return [poolLog("communityFeePair", pool, [], [random.int(250), random.int(250)])];
      case 4:
        return [poolLog("pluginConfig", pool, [], [random.int(256)])];
      case 5:
        return [poolLog("tickSpacing", pool, [], [random.pick([1, 60, -60])])];
      case 6:
        return [poolLog("swapFee", pool, [one], fees), poolLog("swapV3", pool, [one, two], swap)];
      case 7:
        return [poolLog("swapAlgebra", pool, [one, two], [...swap, ...fees])];
      case 8:
        if (random.chance(0.5)) return [poolLog("burnAlgebra", pool, [one, -60, 60], removed)];
        return [
          poolLog("burnFee", pool, [one], [removed[3]!]),
          poolLog("burnV3", pool, [one, -60, 60], removed.slice(0, 3)),
        ];
      case 9:
        return [
          poolLog("algebraPool", factory, tokens, [pool]),
          poolLog("customPool", factory, [random.bytes(20), ...tokens], [pool]),
        ];
      default: {
        const [liquidity, ...paid] = removed;
        return [
          poolLog("mintV3", pool, [manager, -60, 60], [manager, liquidity!, paid[0]!, paid[1]!]),
          poolLog("transferPosition", manager, [0, one, 9]),
          poolLog("increaseAlgebra", manager, [9], [liquidity!, liquidity!, paid[0]!, paid[1]!, pool]),
        ];
      }
    }
  }

  /** A pool of Solidly says its reserves, from which the fee of a swap is missing, or what has nothing to do with it. */
  #solidly(pool: Bytes): Draft<Log>[] {
    const random = this.#random;
    const [sender, to] = [this.#user(), this.#user()];
    const sync = (reserves: readonly bigint[]) => poolLog("syncSolidly", pool, [], reserves);
    const swap = random.pick(["swapV2", "swapSolidly"] as const);
    switch (random.int(8)) {
      case 0:
        return [sync([this.#amount(), this.#amount()]), poolLog("burnSolidly", pool, [sender, to], [7, 9])];
      case 1:
        return [poolLog("claim", pool, [sender, to], [this.#amount(), this.#amount()])];
      case 2:
        return [poolLog(swap, pool, [sender, to], [this.#amount(), 0, 0, this.#amount()])];
      case 3:
        return [
          sync([this.#amount(), this.#amount()]),
          poolLog(swap, pool, [sender, to], [this.#amount(), this.#amount(), this.#amount(), 0]),
        ];
      default: {
        const reserves = [10n ** 24n, 10n ** 12n];
        const inputs = [BigInt(random.int(1e9)), random.chance(0.3) ? BigInt(random.int(1e9)) : 0n];
        const outputs = [random.chance(0.3) ? 5n : 0n, BigInt(random.int(1000))];
        const fee = BigInt(random.pick([3000, 3000, 500, 100, 7, 123_456, 999_999, 0]));
        const after = reserves.map((one, at) => one + inputs[at]! - outputs[at]! - (inputs[at]! * fee) / 1_000_000n);
        return [sync(reserves), sync(after), poolLog(swap, pool, [sender, to], [...inputs, ...outputs])];
      }
    }
  }

  /** Half of the time one of the given tokens. */
  #otherToken(bytes: Bytes): Bytes {
    const isGiven = this.#tokens.length > 0 && bytes[0]! < 128;
    return isGiven ? this.#tokens[bytes[1]! % this.#tokens.length]! : bytes;
  }

  #pair(pool: Bytes): Draft<Log>[] {
    const random = this.#random;
    const [sender, to] = [this.#user(), this.#user()];
    const sync = poolLog("sync", pool, [], [this.#amount(), this.#amount()]);
    const amounts = [this.#amount(), this.#amount(), random.chance(0.5) ? 0 : this.#amount(), this.#amount()];
    const kind = random.int(4);
    if (this.#hasExactSwaps && random.chance(0.2)) return this.#exactSwap(pool, sender, to);
    if (kind === 0) return [sync, poolLog("mintV2", pool, [sender], amounts.slice(2))];
    if (kind === 1) return [sync, poolLog("burnV2", pool, [sender, to], amounts.slice(2))];
    return random.chance(0.1) ? [sync] : [sync, poolLog("swapV2", pool, [sender, to], amounts)];
  }

  /** As a router makes it: nothing less would do. Sometimes it pays a little more. */
  #exactSwap(pool: Bytes, sender: Bytes, to: Bytes): Draft<Log>[] {
    const random = this.#random;
    const reserves = [10n ** 24n, 10n ** BigInt(random.pick([3, 12, 18]))];
    const [input, fee] = [10n ** 20n * BigInt(random.between(1, 1000)), random.pick([3000n, 3000n, 2500n, 9900n])];
    const left = input * (1_000_000n - fee);
    const paid = random.chance(0.2) ? input + 10n ** BigInt(random.int(20)) : input;
    const output = (left * reserves[1]!) / (reserves[0]! * 1_000_000n + left);
    const after = [reserves[0]! + paid, reserves[1]! - output];
    const [sides, amounts] = random.chance(0.5)
      ? [(both: bigint[]) => both, [paid, 0n, 0n, output]]
      : [(both: bigint[]) => both.toReversed(), [0n, paid, output, 0n]];
    const swap = poolLog("swapV2", pool, [sender, to], amounts);
    return [poolLog("sync", pool, [], sides(reserves)), poolLog("sync", pool, [], sides(after)), swap];
  }

  #concentrated(pool: Bytes): Draft<Log>[] {
    const random = this.#random;
    const [one, two] = [this.#user(), this.#user()];
    const swap = [this.#amount(), -this.#amount(), this.#amount(), this.#amount(), random.between(-300, 300)];
    if (random.chance(0.5)) [swap[0], swap[1]] = [swap[1]!, swap[0]!];
    const amounts = [this.#amount(), this.#amount()];
    switch (random.int(9)) {
      case 0:
        return [poolLog("initialize", pool, [], [this.#amount(), random.between(-300, 300)])];
      case 1:
        return [poolLog("collect", pool, [one, -60, 60], [two, ...amounts])];
      case 2:
        return [poolLog("collectProtocol", pool, [one, two], amounts)];
      case 3:
        return [poolLog("flash", pool, [one, two], [...amounts, this.#amount(), this.#amount()])];
      case 4:
        return [poolLog("setFeeProtocol", pool, [], [0, 0, random.pick([0, 4, 7, 11]), random.pick([0, 10])])];
      case 5:
        return [poolLog("swapPancake", pool, [one, two], [...swap, ...amounts])];
      default:
        return [poolLog("swapV3", pool, [one, two], swap)];
    }
  }

  /** Liquidity that comes, goes or changes hands: by a manager, or without one. */
  #position(pool: Bytes): Draft<Log>[] {
    const random = this.#random;
    const manager = random.pick(this.#managers);
    const owner = random.chance(0.7) ? manager : this.#user();
    const [lower, upper] = [random.pick([-120, -60, 0]), random.pick([0, 60, 120])];
    const amounts = [random.chance(0.2) ? 0 : this.#amount(), this.#amount(), this.#amount()];
    const tokenId = random.int(6);
    const mint = poolLog("mintV3", pool, [owner, lower, upper], [manager, ...amounts]);
    const burn = poolLog("burnV3", pool, [owner, lower, upper], amounts);
    const increase = poolLog("increaseLiquidity", manager, [tokenId], amounts);
    const born = poolLog("transferPosition", manager, [0, this.#user(), tokenId]);
    switch (random.int(8)) {
      case 0:
        return [burn, poolLog("decreaseLiquidity", manager, [tokenId], amounts)];
      case 1:
        return [poolLog("transferPosition", manager, [this.#user(), random.pick([this.#user(), 0]), tokenId])];
      case 2:
        return [mint, increase];
      case 3:
        return random.chance(0.5) ? [mint] : [burn];
      case 4:
        return [
          mint,
          poolLog("mintV3", random.pick(this.#pools), [owner, 0, 60], [manager, ...amounts]),
          born,
          increase,
        ];
      case 5:
        return [born, increase, mint];
      default:
        return [mint, born, increase];
    }
  }

  /** A pool of V4 or Infinity: its price, its liquidity and who has it, and what the protocol takes. */
  #singleton(): Draft<Log>[] {
    const random = this.#random;
    const { manager, id, tokens, terms, isInfinity } = random.pickSkewed(this.#singletons);
    const owner = random.chance(0.7) ? random.pick(this.#managers) : this.#user();
    const tokenId = random.int(6);
    switch (random.int(8)) {
      case 0:
      case 1: {
        const isFalse = random.chance(0.1);
        const topics = [isFalse ? random.bytes(32) : id, ...tokens];
        const event = isInfinity ? "initializeInfinity" : "initializeV4";
        return [poolLog(event, manager, topics, [...terms, this.#amount(), random.between(-300, 300)])];
      }
      case 2:
        return [poolLog("protocolFeeUpdated", manager, [id], [random.between(0, 1000) + (random.int(1000) << 12)])];
      case 3:
      case 4: {
        const amounts = random.chance(0.5) ? [-this.#amount(), this.#amount()] : [this.#amount(), -this.#amount()];
        const price = [this.#amount(), this.#amount(), random.between(-300, 300), random.pick([0, 500, 3000, 1e6])];
        const [event, share] = isInfinity
          ? (["swapInfinity", [random.pick([0, 300, 4000, 65_535])]] as const)
          : (["swapV4", []] as const);
        return [poolLog(event, manager, [id, this.#user()], [...amounts, ...price, ...share])];
      }
      case 5:
        return [poolLog("transferPosition", owner, [this.#user(), this.#user(), tokenId])];
      default: {
        const [lower, upper] = [random.pick([-887_272, -60, 0]), random.pick([0, 60, 887_272])];
        const change = random.pick([0n, this.#amount(), this.#amount(), -this.#amount()]);
        const born = poolLog("transferPosition", owner, [0, this.#user(), tokenId]);
        const modify = poolLog("modifyLiquidity", manager, [id, owner], [lower, upper, change, tokenId]);
        return random.chance(0.5) ? [born, modify] : [modify];
      }
    }
  }

  /** Resembles a log of an exchange, but has another size. */
  #stray(pool: Bytes): Draft<Log> {
    const random = this.#random;
    const event = random.pick(Object.keys(POOL_TOPICS) as Topic[]);
    return poolLog(event, pool, Array(random.int(4)).fill(7), Array(random.int(8)).fill(9));
  }

  #user(): Bytes {
    return this.#random.pickSkewed(this.#users);
  }

  #amount(): bigint {
    const random = this.#random;
    if (random.chance(0.05)) return 2n ** 255n - 1n;
    return BigInt(random.int(1_000_000)) * 10n ** BigInt(random.pick([0, 3, 12, 18]));
  }
}

/** Claimed creators of a pool. */
export function factoriesOf(chain: SimulatedChain): Set<Hex> {
  const blocks = Array.from({ length: chain.length }, (_, number) => chain.at(number)!.receipts).flat();
  const logs = (blocks as unknown as { logs: { address: Hex; topics: string[] }[] }[]).flatMap((one) => one.logs);
  const { pairCreated, poolCreated, algebraPool, customPool, solidlyPair, solidlyPool } = POOL_TOPICS;
  const known: readonly string[] = [pairCreated, poolCreated, algebraPool, customPool, solidlyPair, solidlyPool];
  const isCreation = ({ topics: [topic = ""] }: { topics: string[] }) => known.includes(topic);
  return new Set(logs.filter(isCreation).map(({ address }) => address));
}
