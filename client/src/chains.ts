/** A chain as viem describes it. */
export interface OrielChain {
  readonly id: number;
  readonly name: string;
  readonly nativeCurrency: { readonly name: string; readonly symbol: string; readonly decimals: number };
  readonly rpcUrls: { readonly default: { readonly http: readonly [string] } };
  readonly blockExplorers: {
    readonly default: { readonly name: string; readonly url: string; readonly apiUrl: string };
  };
  readonly testnet: boolean;
}

const network = (id: number, name: string, testnet: boolean, url: string) =>
  chainAt({ id, name, nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 }, testnet }, url);

/** The same chain, served at another URL. */
export function chainAt<const T extends Omit<OrielChain, "rpcUrls" | "blockExplorers">>(chain: T, url: string) {
  const base = url.replace(/\/+$/, "");
  return {
    ...chain,
    rpcUrls: { default: { http: [`${base}/rpc`] } },
    blockExplorers: { default: { name: "Oriel", url: base, apiUrl: `${base}/api` } },
  } as const satisfies OrielChain;
}

/** Chain 677 where `oriel start` serves it. */
export const mainnet = network(677, "Mainnet", false, "http://127.0.0.1:6770");

/** Chain 968 where `oriel start` serves it. */
export const testnet = network(968, "Testnet", true, "http://127.0.0.1:9680");
