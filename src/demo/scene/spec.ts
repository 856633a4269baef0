export const DOLLAR = 1_000_000n;

export interface TokenSpec {
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  /** Millionths of a dollar per whole token. */
  readonly price: bigint;
  /** Maximum deviation in basis points. */
  readonly swing: number;
}

/** `depth` is the dollar value on either side. */
export interface PoolSpec {
  readonly tokens: readonly [string, string];
  readonly depth: number;
  /** V3 fee in hundredths of a basis point. */
  readonly fee?: 500 | 3000 | 10_000;
}

export interface SceneSpec {
  readonly wrapped: TokenSpec;
  readonly stables: readonly TokenSpec[];
  readonly tokens: readonly TokenSpec[];
  readonly deflating: TokenSpec;
  /** Symbol of the copied token. */
  readonly copied: string;
  readonly collection: { readonly name: string; readonly symbol: string; readonly uri: string };
  readonly items: string;
  readonly pairs: readonly PoolSpec[];
  readonly pools: readonly PoolSpec[];
  /** Initial dollars per account and token. */
  readonly purse: number;
  readonly blocks: number;
}

const dollars = (amount: number) => BigInt(Math.round(amount * Number(DOLLAR)));

function token(symbol: string, name: string, decimals: number, price: number, swing: number): TokenSpec {
  return { symbol, name, decimals, price: dollars(price), swing };
}

/** The names are fixed in the contracts. */
const wrapped = (price: number) => token("WETH", "Wrapped Ether", 18, price, 900);
const deflating = (price: number) => token("DTT", "Deflating Test Token", 18, price, 1200);

const MAINNET: SceneSpec = {
  wrapped: wrapped(312.5),
  stables: [token("LNTD", "Lintel Dollar", 6, 1, 12), token("CSMD", "Casement Dollar", 18, 1, 20)],
  tokens: [
    token("MLLN", "Mullion", 18, 4.2, 1400),
    token("TRSM", "Transom", 8, 61_250, 700),
    token("SASH", "Sash", 6, 0.84, 1600),
    token("JAMB", "Jamb", 18, 17.75, 1100),
  ],
  deflating: deflating(0.25),
  copied: "MLLN",
  collection: { name: "Stained Glass", symbol: "GLASS", uri: "https://glass.example/pane/" },
  items: "https://fittings.example/item/{id}.json",
  pairs: [
    { tokens: ["WETH", "LNTD"], depth: 400_000 },
    { tokens: ["WETH", "CSMD"], depth: 220_000 },
    { tokens: ["MLLN", "WETH"], depth: 180_000 },
    { tokens: ["TRSM", "LNTD"], depth: 260_000 },
    { tokens: ["SASH", "LNTD"], depth: 90_000 },
    { tokens: ["JAMB", "CSMD"], depth: 120_000 },
    { tokens: ["LNTD", "CSMD"], depth: 300_000 },
    { tokens: ["DTT", "WETH"], depth: 30_000 },
  ],
  pools: [
    { tokens: ["WETH", "LNTD"], fee: 500, depth: 250_000 },
    { tokens: ["WETH", "LNTD"], fee: 3000, depth: 150_000 },
    { tokens: ["MLLN", "WETH"], fee: 3000, depth: 100_000 },
    { tokens: ["TRSM", "WETH"], fee: 3000, depth: 120_000 },
    { tokens: ["LNTD", "CSMD"], fee: 500, depth: 200_000 },
    { tokens: ["SASH", "CSMD"], fee: 10_000, depth: 40_000 },
  ],
  purse: 40_000,
  blocks: 760,
};

const TESTNET: SceneSpec = {
  wrapped: wrapped(25),
  stables: [token("tLNTD", "Test Lintel Dollar", 6, 1, 15), token("tCSMD", "Test Casement Dollar", 18, 1, 25)],
  tokens: [
    token("SILL", "Sill", 18, 2.35, 2000),
    token("OGEE", "Ogee", 8, 940, 1500),
    token("DADO", "Dado", 6, 0.065, 2500),
  ],
  deflating: deflating(0.1),
  copied: "SILL",
  collection: { name: "Test Tiles", symbol: "TILE", uri: "https://tiles.example/tile/" },
  items: "https://samples.example/item/{id}.json",
  pairs: [
    { tokens: ["WETH", "tLNTD"], depth: 40_000 },
    { tokens: ["SILL", "WETH"], depth: 25_000 },
    { tokens: ["OGEE", "tLNTD"], depth: 30_000 },
    { tokens: ["DADO", "tCSMD"], depth: 12_000 },
    { tokens: ["tLNTD", "tCSMD"], depth: 35_000 },
    { tokens: ["DTT", "WETH"], depth: 6000 },
  ],
  pools: [
    { tokens: ["WETH", "tLNTD"], fee: 500, depth: 30_000 },
    { tokens: ["SILL", "WETH"], fee: 3000, depth: 15_000 },
    { tokens: ["tLNTD", "tCSMD"], fee: 500, depth: 20_000 },
  ],
  purse: 6000,
  blocks: 700,
};

/** Unknown networks get the testnet's. */
export function specOf(network: string): SceneSpec {
  return network === "mainnet" ? MAINNET : TESTNET;
}
