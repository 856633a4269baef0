import { adapterOperations } from "../../src/api/adapter/adapterInterface.ts";
import { EXCHANGE_OPERATIONS } from "../../src/api/exchange/exchangeInterface.ts";
import { HEALTH_OPERATIONS } from "../../src/api/health/healthRoutes.ts";
import type { Operation } from "../../src/api/openapi/operation.ts";
import { restOperations } from "../../src/api/rest/routes.ts";
import { RPC_OPERATIONS } from "../../src/api/rpc/describe.ts";
import type { AppSettings } from "../../src/api/settings.ts";
import { subgraphOperations } from "../../src/api/subgraph/subgraphSchema.ts";

export function operationsOf({ compat }: Pick<AppSettings, "compat">, hasRpc: boolean): readonly Operation[] {
  return [
    ...restOperations({ compat }),
    ...EXCHANGE_OPERATIONS,
    ...adapterOperations("dexscreener"),
    ...adapterOperations("geckoterminal"),
    ...subgraphOperations("v2"),
    ...subgraphOperations("v3"),
    ...(hasRpc ? RPC_OPERATIONS : []),
    ...HEALTH_OPERATIONS,
  ];
}
