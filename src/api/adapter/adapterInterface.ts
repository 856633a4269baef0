import { ChainError } from "../../chain/error.ts";
import { answerErrorsAs } from "../http/failure.ts";
import { serveRead } from "../http/httpRules.ts";
import type { Interface } from "../http/interface.ts";
import { COSTS } from "../http/rateLimit.ts";
import type { ResponseCache } from "../http/responseCache.ts";
import { cacheable } from "../http/responseCache.ts";
import type { Answer, Operation } from "../openapi/operation.ts";
import type { AdapterContext } from "./adapterRoutes.ts";
import { ADAPTER_ROUTES } from "./adapterRoutes.ts";
import { FailureSchema } from "./adapterSchema.ts";
import type { AdapterFormat } from "./presentAdapter.ts";

/** What programs that list exchanges read of them: the format of DEX Screener, or that of GeckoTerminal. */
export function adapterInterface(context: AdapterContext, responses: ResponseCache): Interface {
  return {
    prefix: `/${context.format}`,
    answerError,
    routes: (scope) => {
      for (const { path, cost, isCacheable, serve } of ADAPTER_ROUTES) {
        serveRead(scope, path, COSTS[cost], (request, reply) => {
          const make = () => serve(context, request.query);
          if (!isCacheable) return responses.serveOnce(request, reply, make);
          return responses.serve(request, reply, async () => cacheable("index", await make()));
        });
      }
    },
    operations: adapterOperations(context.format),
  };
}

const answerError = answerErrorsAs(({ message }, error) => {
  const code = error instanceof ChainError ? error.code : undefined;
  if (code === "invalid_argument") return { status: 400, body: { error: error.message } };
  return { body: { error: code === "limit_exceeded" ? error.message : message } };
});

const FAILURES: Readonly<Record<number, Answer>> = {
  400: { description: "A parameter cannot be read.", schema: FailureSchema },
  404: { description: "There is no such token or pool.", schema: FailureSchema },
  413: { description: "There are more events than one answer may have.", schema: FailureSchema },
  503: { description: "The blocks are not indexed yet.", schema: FailureSchema },
};

const NAMES = { dexscreener: "DEX Screener", geckoterminal: "GeckoTerminal" } as const;

export function adapterOperations(format: AdapterFormat): Operation[] {
  return ADAPTER_ROUTES.map(({ path, summary, parameters, schema, failures }) => ({
    method: "get",
    path: `/${format}${path}`,
    tag: NAMES[format],
    summary,
    parameters,
    answers: {
      200: { description: "The requested data.", schema },
      ...Object.fromEntries([...failures, 503].map((status) => [status, FAILURES[status]!])),
    },
  }));
}
