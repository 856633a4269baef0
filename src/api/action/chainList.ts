import type { AppSettings } from "../settings.ts";

export const CHAIN_LIST_PATH = "/v2/chainlist";

/** Etherscan's list of chains, without an envelope: this network, as the client reached it. */
export function presentChains(
  { chainId, chainName, web }: Pick<AppSettings, "chainId" | "chainName" | "web">,
  origin: string,
) {
  const chain = {
    chainname: chainName,
    chainid: String(chainId),
    blockexplorer: web === undefined ? "" : origin,
    apiurl: `${origin}/v2/api?chainid=${chainId}`,
    status: 1,
    comment: "",
  };
  return { comments: "", totalcount: 1, result: [chain] };
}
