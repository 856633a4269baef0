import type { Rates } from "../../../query/exchange/rates.ts";
import type { ReadAction } from "../../../query/transactions/readAction.ts";
import type { ActionVariable } from "../../../query/transactions/transactionAction.ts";
import type { Shape } from "../../openapi/values.ts";
import { presentAddress } from "../addresses/presentAddress.ts";
import { presentToken } from "../tokens/presentToken.ts";
import type { SummarySchema } from "./summarySchema.ts";

export function presentSummary({ action, addresses }: ReadAction, rates: Rates): Shape<typeof SummarySchema> {
  const presentValue = ({ type, value }: ActionVariable): object | string => {
    if (type === "address") return presentAddress(value, addresses);
    return type === "token" ? presentToken(value, rates) : value;
  };
  const variables = Object.entries(action.variables).map(([name, variable]) => [
    name,
    { type: variable.type, value: presentValue(variable) },
  ]);
  const summary = {
    summary_template: action.template,
    summary_template_variables: Object.fromEntries(variables) as object,
  };
  return { success: true, data: { summaries: [summary] } };
}
