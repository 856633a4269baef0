import type { PoolFigures } from "../../../query/pools/poolFigures.ts";
import { html } from "../../html.ts";
import { figure } from "./format.ts";
import { change, dollars, percentText } from "./poolText.ts";
import type { Tile } from "./tiles.ts";

const transactionCount = (transactions: number) =>
  html`${figure(transactions)} ${transactions === 1 ? "transaction" : "transactions"}`;

export function pricedTiles({
  locked,
  lockedChange,
  traded,
  tradedChange,
  transactions,
  fees,
  apr,
}: PoolFigures): Tile[] {
  return [
    { title: "Value locked", value: dollars(locked), note: html`${change(lockedChange)} in 24 h` },
    {
      title: "Volume 24 h",
      value: dollars(traded),
      note: html`${change(tradedChange)}, ${transactionCount(transactions)}`,
    },
    { title: "Fees 24 h", value: dollars(fees), note: html`${percentText(apr)} a year` },
  ];
}

/** Without prices in dollars. */
export function relativeTiles({ lockedChange, tradedChange, transactions, apr }: PoolFigures): Tile[] {
  return [
    { title: "Change of value", value: change(lockedChange), note: "in 24 h" },
    { title: "Change of volume", value: change(tradedChange), note: html`in 24 h, ${transactionCount(transactions)}` },
    { title: "Fees", value: percentText(apr), note: "a year" },
  ];
}
