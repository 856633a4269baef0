import { toHex } from "../../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import type { BlockView } from "../../../query/blocks/block.ts";
import { feesOf as blockFeesOf } from "../../../query/blocks/block.ts";
import type { Method } from "../../../query/decode/method.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import type { KnownToken } from "../../../store/stages/tokens/read/tokenReads.ts";
import type { MinedTransfer } from "../../../store/stages/tokens/read/transferReads.ts";
import type { Content, Html } from "../../html.ts";
import { html } from "../../html.ts";
import { amount, coins, count, figure, gwei, percent, safeText, time } from "./format.ts";
import { addressLink, blockLink, itemLink } from "./links.ts";
import type { Column } from "./table.ts";
import { table } from "./table.ts";

const number = (title: string): Column => ({ title, isNumber: true });

export function bar(part: number | bigint, whole: number | bigint): Html {
  const share = percent(part, whole);
  return html`<span class="fill"><meter min="0" max="100" value="${share.replace(/^<|%$/g, "")}" aria-label="${share}"></meter> ${share}</span>`;
}

export function blockTable(blocks: readonly BlockView[], addresses: AddressInfos, coin: string): Html {
  const columns: Column[] = [
    { title: "Block" },
    { title: "Time", card: "end" },
    number("Transactions"),
    { title: "Miner" },
    number("Gas used"),
    { ...number("Base fee"), card: "none" },
    number("Reward"),
    { ...number("Burnt"), card: "none" },
  ];
  const rows = blocks.map((block): Content[] => {
    const { header, sums, reward } = block;
    const { burnt } = blockFeesOf(block);
    return [
      blockLink(header.number),
      time(header.timestamp),
      figure(sums.transactions),
      addressLink(header.miner, addresses),
      html`${figure(header.gasUsed)} ${bar(header.gasUsed, uintToBigInt(header.gasLimit))}`,
      header.baseFeePerGas === undefined ? "–" : gwei(uintToBigInt(header.baseFeePerGas)),
      reward === null ? "–" : coins(reward, coin),
      burnt === null ? "–" : coins(burnt, coin),
    ];
  });
  return table(columns, rows, "There are no blocks here.");
}

/** Method name, or the kind of transaction. */
export function methodBadge(method: Method | undefined, isCreation = false): Html {
  if (isCreation) return html`<span class="method">create</span>`;
  if (method === undefined) return html`<span class="method plain">transfer</span>`;
  const text = typeof method === "string" ? method : toHex(method);
  return html`<span class="method" title="${safeText(text, 200)}"><bdi>${safeText(text, 22)}</bdi></span>`;
}

export function transferAmount({ kind, tokenId, amount: value }: MinedTransfer, { address, seen }: KnownToken): Html {
  const item = tokenId && itemLink(address, tokenId);
  if (kind === "ERC-721") return html`${item}`;
  return html`${amount(uintToBigInt(value), { decimals: seen?.decimals ?? null })}${item && html` of ${item}`}`;
}

/** A count with its noun. */
export function counted(howMany: number, one: string, several = `${one}s`): string {
  return `${count(howMany)} ${howMany === 1 ? one : several}`;
}
