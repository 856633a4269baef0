import { element } from "./element.ts";
import type { Wallet } from "./wallet.ts";
import { addNetwork, findWallets, reasonOf } from "./wallet.ts";

export function offerNetwork(): void {
  const place = document.querySelector<HTMLElement>("[data-add-network]");
  if (!place) return;
  const { chainId = "", chainName = "", coin = "" } = place.dataset;
  place.textContent = "No wallet was found in this browser to add the network to.";
  const offer = (wallet: Wallet) => {
    const button = element("button", `Add to ${wallet.info.name}`);
    button.type = "button";
    button.addEventListener("click", async () => {
      try {
        await addNetwork(wallet, { chainId, chainName, coin });
        button.textContent = `Added to ${wallet.info.name}`;
      } catch (error) {
        place.append(element("p", reasonOf(error), "reason"));
      }
    });
    return button;
  };
  findWallets((wallets) => place.replaceChildren(...wallets.map(offer)));
}
