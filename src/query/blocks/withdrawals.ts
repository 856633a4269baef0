import type { Header, Withdrawal } from "../../chain/block/header.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import type { AddressInfos } from "../../store/read/addressInfos.ts";
import type { CacheScope } from "../cacheScope.ts";
import type { QueryContext } from "../context.ts";
import { readIndexedRange } from "../indexedRange.ts";
import type { PageInfo, PageRequest, WalkInfo } from "../pages.ts";
import { pageInBlock } from "../pages.ts";
import { findBlock } from "./block.ts";

export interface PaidWithdrawal extends Withdrawal {
  readonly wei: bigint;
  readonly header: Header;
}

const WEI_PER_GWEI = 10n ** 9n;

export function payWithdrawal(withdrawal: Withdrawal, header: Header): PaidWithdrawal {
  return { ...withdrawal, wei: uintToBigInt(withdrawal.amount) * WEI_PER_GWEI, header };
}

export interface WithdrawalPage<I extends PageInfo | WalkInfo = PageInfo> {
  readonly withdrawals: readonly PaidWithdrawal[];
  readonly addresses: AddressInfos;
  readonly info: I;
  readonly scope: CacheScope | undefined;
}

export async function listWithdrawals(
  context: QueryContext,
  id: number | Bytes,
  request: PageRequest<Bytes>,
): Promise<WithdrawalPage | undefined> {
  const found = await findBlock(context, id);
  if (found === undefined) return undefined;
  const { header } = found.block;
  const all = header.withdrawals ?? [];
  return context.store.read(async (session) => {
    const { info, window } = pageInBlock(all.length, await readIndexedRange(session), request, header);
    const withdrawals = all.slice(window.from, window.to).map((withdrawal) => payWithdrawal(withdrawal, header));
    const addresses = await session.addresses.infos(withdrawals.map(({ address }) => address));
    return { withdrawals, addresses, info, scope: found.scope };
  });
}
