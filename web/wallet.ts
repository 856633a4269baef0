/** A wallet as EIP-1193 has it. */
interface Provider {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>;
}

/** A wallet's description of itself (EIP-6963). */
export interface Wallet {
  readonly info: { readonly uuid: string; readonly name: string; readonly icon: string };
  readonly provider: Provider;
}

/** A network in a wallet (EIP-3085). */
export interface Network {
  readonly chainId: string;
  readonly chainName: string;
  readonly coin: string;
}

const found = new Map<string, Wallet>();

/** All announced wallets of the browser; calls back for later ones. */
export function findWallets(onFound: (wallets: readonly Wallet[]) => void): void {
  window.addEventListener("eip6963:announceProvider", (event) => {
    const { detail } = event as CustomEvent<Wallet>;
    if (typeof detail?.provider?.request !== "function" || typeof detail.info?.uuid !== "string") return;
    found.set(detail.info.uuid, detail);
    onFound([...found.values()]);
  });
  window.dispatchEvent(new Event("eip6963:requestProvider"));
}

export async function connect({ provider }: Wallet): Promise<readonly string[]> {
  const accounts = await provider.request({ method: "eth_requestAccounts" });
  return Array.isArray(accounts) ? accounts.filter((each) => typeof each === "string") : [];
}

/** Error code for an unknown network (EIP-3326). */
const UNKNOWN_CHAIN = 4902;

/** Switches a wallet to this network, adding it if unknown. */
export async function useNetwork(wallet: Wallet, network: Network): Promise<void> {
  const { chainId } = network;
  if ((await wallet.provider.request({ method: "eth_chainId" })) === chainId) return;
  try {
    await wallet.provider.request({ method: "wallet_switchEthereumChain", params: [{ chainId }] });
  } catch (error) {
    if (codeOf(error) !== UNKNOWN_CHAIN) throw error;
    await addNetwork(wallet, network);
  }
  if ((await wallet.provider.request({ method: "eth_chainId" })) !== chainId) {
    throw new Error("The wallet is on another network.");
  }
}

function codeOf(error: unknown): unknown {
  const { code, data } = error as { code?: unknown; data?: { originalError?: { code?: unknown } } };
  return data?.originalError?.code ?? code;
}

export async function addNetwork({ provider }: Wallet, { chainId, chainName, coin }: Network): Promise<void> {
  const network = {
    chainId,
    chainName,
    nativeCurrency: { name: coin, symbol: coin, decimals: 18 },
    rpcUrls: [`${location.origin}/rpc`],
    blockExplorerUrls: [location.origin],
  };
  await provider.request({ method: "wallet_addEthereumChain", params: [network] });
}

/** A call to be signed. */
export interface Call {
  readonly to: string;
  readonly data: string;
  readonly value: string;
}

/** Lets the owner sign and send a call; answers the hash of the transaction. */
export async function send({ provider }: Wallet, from: string, { to, data, value }: Call): Promise<string> {
  const hash = await provider.request({ method: "eth_sendTransaction", params: [{ from, to, data, value }] });
  if (typeof hash !== "string") throw new Error("The wallet did not say which transaction it sent.");
  return hash;
}

/** Why a wallet did not do it, in words. */
export function reasonOf(error: unknown): string {
  if (codeOf(error) === 4001) return "You refused it in the wallet.";
  const { message } = error as { message?: unknown };
  return typeof message === "string" && message !== "" ? message : "The wallet did not say why it failed.";
}
