import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { AddressInfos } from "../../store/read/addressInfos.ts";
import type { ReadSession } from "../../store/session.ts";
import type { PageInfo } from "../pages.ts";

export interface AccountRow {
  readonly address: Bytes;
  readonly balance: bigint;
  readonly transactions: number;
}

export interface AccountPage {
  readonly accounts: readonly AccountRow[];
  readonly addresses: AddressInfos;
  readonly total: bigint;
  readonly info: PageInfo;
}

export async function describeAccounts(
  { addresses }: ReadSession,
  shown: readonly { readonly address: Bytes; readonly balance: bigint }[],
): Promise<Pick<AccountPage, "accounts" | "addresses">> {
  const own = shown.map(({ address }) => address);
  const [infos, counts] = await Promise.all([addresses.infos(own), addresses.transactionCounts(own)]);
  return {
    accounts: shown.map(({ address, balance }, at) => ({ address, balance, transactions: counts[at] ?? 0 })),
    addresses: infos,
  };
}
