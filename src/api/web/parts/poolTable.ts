import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import type { PoolRecord } from "../../../query/pools/poolRecords.ts";
import type { Content, Html } from "../../html.ts";
import { html } from "../../html.ts";
import { figure, named } from "./format.ts";
import { change, dollars, feeText, pairName, percentText } from "./poolText.ts";
import { table } from "./table.ts";

const NUMBERS = ["Fee", "Value locked", "Volume 24 h", "Change", "Fees 24 h", "APR", "Transactions 24 h"];

export function poolTable(pools: readonly PoolRecord[], none: string): Html {
  const rows = pools.map((record): Content[] => {
    const { pool, figures } = record;
    return [
      html`<a href="/pools/${checksumAddress(pool.address)}">${pairName(record)}</a>`,
      html`${named(pool.dex)} <span class="tag">${pool.type}</span>`,
      feeText(pool.fee),
      dollars(figures.locked),
      dollars(figures.traded),
      change(figures.tradedChange),
      dollars(figures.fees),
      percentText(figures.apr),
      figure(figures.transactions),
    ];
  });
  return table(["Pool", "Exchange", ...NUMBERS.map((title) => ({ title, isNumber: true }))], rows, none);
}
