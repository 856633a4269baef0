import { element } from "./element.ts";
import type { Call, Network, Wallet } from "./wallet.ts";
import { connect, findWallets, reasonOf, send, useNetwork } from "./wallet.ts";

interface Encoded extends Call {
  readonly chainId: string;
  readonly network: string;
  readonly coin: string;
  readonly amount: string;
  readonly function: string;
  readonly isGuess: boolean;
}

let wallets: readonly Wallet[] = [];
let connected: { readonly wallet: Wallet; readonly account: string } | undefined;

/** Forms of functions that change the state: a press shows what will be signed, another lets the wallet sign it. */
export function watchWrites(): void {
  const bar = document.querySelector<HTMLElement>("[data-wallet]");
  if (!bar) return;
  showWallets(bar);
  findWallets((found) => {
    wallets = found;
    showWallets(bar);
  });
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-write]")) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void review(form);
    });
  }
}

function showWallets(bar: HTMLElement): void {
  if (connected) {
    const { wallet, account } = connected;
    bar.replaceChildren(`Connected to ${wallet.info.name}: `, element("code", account));
    return;
  }
  if (wallets.length === 0) {
    bar.replaceChildren(
      "No wallet was found in this browser. A press on “Write” shows the data to send with another tool.",
    );
    return;
  }
  const buttons = wallets.map((wallet) => {
    const button = element("button", `Connect ${wallet.info.name}`);
    button.type = "button";
    button.addEventListener("click", () => void choose(bar, wallet));
    return button;
  });
  bar.replaceChildren(...buttons);
}

async function choose(bar: HTMLElement, wallet: Wallet): Promise<void> {
  try {
    const [account] = await connect(wallet);
    if (account !== undefined) connected = { wallet, account };
    showWallets(bar);
  } catch (error) {
    showWallets(bar);
    bar.append(element("p", reasonOf(error), "reason"));
  }
}

async function review(form: HTMLFormElement): Promise<void> {
  const place = placeOf(form);
  const fields = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
  const path = new URL(form.action).pathname;
  try {
    const answer = await fetch(`${path}/encode?${fields}`);
    if (!answer.ok) throw new Error(`The server answered with ${answer.status}.`);
    const encoded = (await answer.json()) as Encoded | { readonly error: string };
    if ("error" in encoded) place.replaceChildren(element("p", encoded.error, "reason"));
    else showCall(place, encoded, form);
  } catch (error) {
    place.replaceChildren(element("p", reasonOf(error), "reason"));
  }
}

function placeOf(form: HTMLFormElement): HTMLElement {
  const known = form.parentElement?.querySelector<HTMLElement>("[data-review]");
  if (known) return known;
  const place = element("div", "", "answer");
  place.dataset.review = "";
  place.setAttribute("role", "status");
  form.after(place);
  return place;
}

function showCall(place: HTMLElement, encoded: Encoded, form: HTMLFormElement): void {
  const labels = [...form.querySelectorAll<HTMLLabelElement>("label")];
  const given = labels.map(
    (label) => [label.textContent, (label.control as HTMLInputElement | null)?.value ?? ""] as const,
  );
  const rows = [
    ["Function", encoded.function],
    ...given,
    ...(connected ? [["From", connected.account] as const] : []),
    ["Contract", encoded.to],
    ["Value", `${encoded.amount} ${encoded.coin}`],
    ["Network", `${encoded.network} (${Number(encoded.chainId)})`],
    ["Data", encoded.data],
  ] as const;
  const list = element("dl", "", "facts");
  for (const [name, value] of rows) {
    const row = element("div");
    row.append(element("dt", name), element("dd", value));
    list.append(row);
  }
  const warning = encoded.isGuess ? [element("p", "This function was guessed from bytecode.", "reason")] : [];
  const title = element("p", "This will be signed:");
  place.replaceChildren(title, ...warning, list, ...signing(place, encoded));
}

function signing(place: HTMLElement, encoded: Encoded): readonly HTMLElement[] {
  if (!connected)
    return [element("p", "Connect a wallet above to sign it, or send this data with another tool.", "quiet")];
  const { wallet, account } = connected;
  const button = element("button", `Sign with ${wallet.info.name}`, "primary");
  button.type = "button";
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      const network: Network = { chainId: encoded.chainId, chainName: encoded.network, coin: encoded.coin };
      await useNetwork(wallet, network);
      showSent(place, await send(wallet, account, encoded));
    } catch (error) {
      button.disabled = false;
      place.append(element("p", reasonOf(error), "reason"));
    }
  });
  return [button];
}

function showSent(place: HTMLElement, hash: string): void {
  const link = element("a", hash);
  link.href = `/tx/${encodeURIComponent(hash)}`;
  const sent = element("p", "Sent: ");
  sent.append(link);
  place.replaceChildren(sent);
}
