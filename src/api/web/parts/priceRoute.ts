import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import type { PricedToken } from "../../../query/pools/exchangeTokens.ts";
import { poolIdOf } from "../../../query/pools/poolId.ts";
import type { PoolToken } from "../../../query/pools/poolRecords.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import { named } from "./format.ts";
import { shorten } from "./links.ts";
import { dollarPrice, dollars, symbolOf } from "./poolText.ts";

/** Pools on the route to a token worth one dollar. */
export function priceRoute({ token, price, route }: PricedToken): Html {
  const name = html`<bdi>${symbolOf(token)}</bdi>`;
  if (price === undefined) {
    return html`<p class="quiet">${name} has no price in US dollars: no pool that holds enough leads from it to a token that counts as a dollar.</p>`;
  }
  const steps = route.map(
    ({ pool, token: other, price: { value } }) =>
      html`<li class="via"><a href="/pools/${poolIdOf(pool)}">${named(pool.dex)} <code>${shorten(poolIdOf(pool))}</code></a></li>
<li>${priced(other, value)}</li>`,
  );
  const end = price.depth === undefined ? html`<li class="quiet">counts as a dollar</li>` : undefined;
  const depth =
    price.depth !== undefined && html`<p class="quiet">The thinnest of these pools holds ${dollars(price.depth)}.</p>`;
  return html`<ol class="route" aria-label="The price of ${symbolOf(token)}"><li>${priced(token, price.value)}</li>${steps}${end}</ol>${depth}`;
}

function priced(token: PoolToken, value: bigint): Html {
  const address = checksumAddress(token.listed.address);
  return html`<a href="/token/${address}"><bdi>${symbolOf(token)}</bdi></a> <strong>${dollarPrice(value, token)}</strong>`;
}
