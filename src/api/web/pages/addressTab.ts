import type { Account } from "../../../query/accounts/account.ts";
import type { Html } from "../../html.ts";
import type { WebContext, WebRequest } from "../context.ts";

export interface AddressTab {
  /** Path of the same data in the REST API. */
  readonly json: (address: string) => string;
  readonly render: (context: WebContext, account: Account, query: WebRequest["query"], path: string) => Promise<Html>;
}

export type Render = Parameters<AddressTab["render"]>;
