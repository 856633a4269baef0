import { toHex } from "../../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import { poolIdOf } from "../../../query/pools/poolId.ts";
import type { PoolPosition } from "../../../query/pools/poolPositions.ts";
import type { PoolRecord, PoolToken } from "../../../query/pools/poolRecords.ts";
import type { Profit } from "../../../query/pools/profits.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import type { Content, Html } from "../../html.ts";
import { html } from "../../html.ts";
import { amount, named, percent } from "./format.ts";
import type { Names } from "./links.ts";
import { addressLink, itemLink } from "./links.ts";
import { rangeText } from "./poolRows.ts";
import { dollars, feeText, pairName, symbolOf } from "./poolText.ts";
import { DOT, row } from "./transferRows.ts";

/** Positions of an account by pool, with the amounts it could withdraw and what they gave. */
export function userPositionRows(profits: readonly Profit[]): Html {
  if (profits.length === 0) return html`<p class="none">It has no liquidity in pools.</p>`;
  const rows = profits.map(({ position: { record, position, liquidity, total, isInRange, ...own }, profit }) => {
    const { pool } = record;
    const id = poolIdOf(pool);
    const item = position?.manager && position.tokenId && itemLink(position.manager, position.tokenId);
    const about: Content[] = [
      html`<a href="/pools/${id}"><bdi>${pairName(record)}</bdi> ${feeText(record.fee)}</a>${DOT}${named(pool.dex, 30)}`,
      item && html`${DOT}${item}`,
      position && html`${DOT}${rangeText(record, [position.tickLower, position.tickUpper])}${rangeTag(isInRange)}`,
      isInRange && total > 0n && html`${DOT}${percent(liquidity, total)} of the pool`,
      own.uncollected && feesText(record, own.uncollected),
      profit !== undefined && profit !== 0n && profitText(profit),
    ];
    return row({
      key: `${id}-${position?.tokenId ? uintToBigInt(position.tokenId) : (position?.tickLower ?? "")}`,
      icon: "◒",
      headline: both(record, own.amount0, own.amount1),
      about,
      worth: own.value > 0n && dollars(own.value),
      when: undefined,
    });
  });
  return html`<ol class="rows">${rows}</ol>`;
}

/** Who would get what out of a pool. */
export function poolPositionRows(
  record: PoolRecord,
  positions: readonly PoolPosition[],
  { addresses, names }: { readonly addresses: AddressInfos; readonly names: Names },
): Html {
  if (positions.length === 0) return html`<p class="none">Nobody has liquidity here.</p>`;
  const rows = positions.map(({ owner, salt, manager, ticks, isInRange, amount0, amount1, value }) =>
    row({
      key: `${toHex(owner)}-${ticks?.join(" ") ?? ""}${salt === undefined ? "" : ` ${uintToBigInt(salt)}`}`,
      icon: "◒",
      headline: both(record, amount0, amount1),
      about: html`of ${addressLink(owner, addresses, names)}${manager && salt && html`${DOT}${itemLink(manager, salt)}`}${ticks && html`${DOT}${rangeText(record, ticks)}${rangeTag(isInRange)}`}`,
      worth: value > 0n && dollars(value),
      when: undefined,
    }),
  );
  return html`<ol class="rows">${rows}</ol>`;
}

const rangeTag = (isInRange: boolean): Html | false =>
  !isInRange &&
  html` <span class="tag" title="The price is beyond the range: it earns nothing now">out of range</span>`;

const size = (value: bigint, token: PoolToken): Html =>
  amount(value, { decimals: token.decimals, symbol: symbolOf(token) });

const both = ({ token0, token1 }: PoolRecord, amount0: bigint, amount1: bigint): Html =>
  html`${size(amount0, token0)} and ${size(amount1, token1)}`;

/** Against holding what was put in. */
function profitText(profit: bigint): Html {
  const size = dollars(profit < 0n ? -profit : profit);
  const [sign, kind] = profit < 0n ? ["−", "loss"] : ["+", "gain"];
  return html`${DOT}<span class="${kind}">${sign}${size}</span> against holding`;
}

/** Uncollected fees. */
function feesText(record: PoolRecord, [fees0, fees1]: readonly [bigint, bigint]): Html | false {
  return (fees0 > 0n || fees1 > 0n) && html`${DOT}${both(record, fees0, fees1)} to collect`;
}
