import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { equalBytes } from "../../../chain/encoding/bytes.ts";
import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import { ChainError } from "../../../chain/error.ts";
import type { Account } from "../../../query/accounts/account.ts";
import type { FirstTransaction } from "../../../query/accounts/firstTransaction.ts";
import { readFirstTransaction } from "../../../query/accounts/firstTransaction.ts";
import type { Rates } from "../../../query/exchange/rates.ts";
import { readRates } from "../../../query/exchange/rates.ts";
import type { TokenBalance } from "../../../query/tokens/balances.ts";
import { listTokenBalances } from "../../../query/tokens/balances.ts";
import { findCopies } from "../../../query/tokens/copies.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { WebContext } from "../context.ts";
import { parsePage } from "../params.ts";
import { amount, figure, named, time } from "../parts/format.ts";
import type { Names, TokenNames } from "../parts/links.ts";
import { addressLink, COPY_MARK, fullAddress, markedToken, transactionLink } from "../parts/links.ts";
import { changeText, dollarAmount, shortDollars } from "../parts/money.ts";
import type { Portfolio } from "../parts/portfolio.ts";
import { portfolioPanel, valuePortfolio } from "../parts/portfolio.ts";
import { facts } from "../parts/table.ts";
import { tiles } from "../parts/tiles.ts";

/** Other roles of an address (token, pool), with a link to their pages. */
function roleFacts({ address, addresses, token }: Account, names: TokenNames): (readonly [string, Html] | false)[] {
  const info = addresses.get(address);
  const text = checksumAddress(address);
  return [
    info?.label?.kind === "pool" && [
      "Pool",
      html`<a href="/pools/${text}">${named(info.label.text)}</a>${info.label.hasCopy && COPY_MARK}`,
    ],
    info?.isVerified === true && ["Verified source", html`<a href="?tab=contract">${named(info.name ?? "")}</a>`],
    token !== undefined && ["Token", markedToken(token, names)],
  ];
}

const VALUED = 50;

interface Holdings {
  readonly rates: Rates;
  readonly balances: readonly TokenBalance[];
  readonly first: FirstTransaction | undefined;
}

/** Facts that do not depend on the kind of account. */
export async function readHoldings(network: WebContext["network"], address: Bytes): Promise<Holdings> {
  const rates = readRates(network);
  const [balances, first] = await Promise.all([
    rates.then(({ coin }) => (coin === undefined ? [] : listValuable(network, address))),
    readFirstTransaction(network, address),
  ]);
  return { rates: await rates, balances, first };
}

/** None where the node has to be asked for some and does not answer: the tab of tokens says why. */
async function listValuable(network: WebContext["network"], address: Bytes): Promise<readonly TokenBalance[]> {
  try {
    return (await listTokenBalances(network, address, parsePage({}, VALUED), ["ERC-20"])).balances;
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    return [];
  }
}

/** Worth, balance, tokens and history in figures, then what is known of the address, then what it holds. */
export async function addressOverview(
  { site, network }: WebContext,
  account: Account,
  { rates, balances, first }: Holdings,
  { path, hasPortfolio }: { readonly path: string; readonly hasPortfolio: boolean },
): Promise<Html> {
  const { names } = network;
  const portfolio = valuePortfolio(account.account?.balance, balances, rates);
  const held = hasPortfolio ? balances.map(({ token }) => token) : [];
  const copies = await findCopies(network, account.token === undefined ? held : [...held, account.token]);
  const panel = hasPortfolio && portfolio && portfolioPanel(portfolio, { coin: site.coin, names, path, copies });
  return html`${figuresOf(account, { portfolio, first, coin: site.coin, names })}
${factsOf(account, { names, copies })}
${panel}`;
}

interface Figures {
  readonly portfolio: Portfolio | undefined;
  readonly first: FirstTransaction | undefined;
  readonly coin: string;
  readonly names: Names;
}

function figuresOf({ address, account: state, counts }: Account, { portfolio, first, coin, names }: Figures): Html {
  const inCoins = portfolio?.holdings.find(({ token }) => token === null)?.dollars;
  const sender = first && !equalBytes(first.from, address) && html` from ${addressLink(first.from, NO_INFOS, names)}`;
  return tiles([
    portfolio &&
      portfolio.total > 0 && {
        title: "Worth",
        value: shortDollars(portfolio.total),
        note: changeText(portfolio.change),
      },
    state !== undefined && {
      title: coin,
      value: amount(state.balance, { decimals: 18 }),
      note: inCoins !== undefined && dollarAmount(inCoins),
    },
    counts.assets !== null && {
      title: "Tokens",
      value: html`<a href="?tab=tokens">${figure(counts.assets)}</a>`,
      note: portfolio && portfolio.tokens > 0 && dollarAmount(portfolio.tokens),
    },
    {
      title: "Transactions",
      value: figure(counts.transactions),
      note: first && html`since ${time(first.timestamp)}${sender}`,
    },
  ]);
}

const NO_INFOS: Account["addresses"] = new Map();

function factsOf(account: Account, known: TokenNames): Html {
  const { names } = known;
  const { creation, proxy, implementations, addresses } = account;
  return facts([
    ...roleFacts(account, known),
    creation !== undefined && [
      "Created by",
      html`${addressLink(creation.creator, addresses, names)} in ${transactionLink(creation.transaction)}${creation.status === "selfdestructed" && html` <span class="tag">destroyed since</span>`}`,
    ],
    proxy !== null &&
      proxy !== undefined && [
        proxy.type === "eip7702" ? "Delegates to" : "Proxy of",
        proxy.implementations.map((each) => html`${fullAddress(each, implementations)} `),
      ],
  ]);
}
