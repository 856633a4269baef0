import type { HotContract } from "../../../query/contracts/hotContracts.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import type { Shape } from "../../openapi/values.ts";
import { presentAddress } from "../addresses/presentAddress.ts";
import type { HotContractSchema } from "./hotContractSchema.ts";

export function presentHotContract(
  { address, transactions, gasUsed, balance }: HotContract,
  addresses: AddressInfos,
): Shape<typeof HotContractSchema> {
  return {
    contract_address: presentAddress(address, addresses),
    transactions_count: String(transactions),
    total_gas_used: gasUsed.toString(),
    balance: balance?.toString() ?? null,
  };
}
