import { answerErrorsAs } from "../http/failure.ts";
import { serveRead } from "../http/httpRules.ts";
import type { Interface } from "../http/interface.ts";
import { COSTS } from "../http/rateLimit.ts";
import type { ResponseCache } from "../http/responseCache.ts";
import { cacheable } from "../http/responseCache.ts";
import type { Answer, Operation } from "../openapi/operation.ts";
import { readExamples } from "./examples.ts";
import { FailureSchema } from "./exchangeSchema.ts";
import { BadRequest } from "./parse.ts";
import type { ExchangeContext, ExchangeRoute } from "./route.ts";
import { EXCHANGE_ROUTES } from "./routes.ts";

const EXCHANGE_PREFIX = "/api/v1";

export function exchangeInterface(context: ExchangeContext, responses: ResponseCache): Interface {
  return {
    prefix: EXCHANGE_PREFIX,
    answerError: answerExchangeError,
    routes: (scope) => {
      for (const { path, isRecord, serve, scopeOf = () => "index" as const } of EXCHANGE_ROUTES) {
        const cost = isRecord ? COSTS.record : COSTS.list;
        serveRead(scope, path.replace(/\{(\w+)\}/g, ":$1"), cost, (request, reply) => {
          const [parameter = ""] = Object.values(request.params);
          const make = async () => {
            const response = await serve(context, { parameter, query: request.query });
            return cacheable(scopeOf(response), response);
          };
          return responses.serve(request, reply, make);
        });
      }
    },
    operations: EXCHANGE_OPERATIONS,
    examples: readExamples(context),
  };
}

const answerExchangeError = answerErrorsAs(({ status, message }, error) => {
  if (error instanceof BadRequest) return { status: 400, body: presentFailure(400, error.message) };
  return { body: presentFailure(status, message) };
});

function presentFailure(code: number, message: string) {
  return { success: false, code, message };
}

const FAILURES: Readonly<Record<number, Answer>> = {
  400: { description: "A parameter cannot be read.", schema: FailureSchema },
  404: { description: "There is no such pool or token.", schema: FailureSchema },
  413: { description: "There is more than one request may look at.", schema: FailureSchema },
  503: { description: "Exchanges are not indexed yet.", schema: FailureSchema },
};

export const EXCHANGE_OPERATIONS: readonly Operation[] = EXCHANGE_ROUTES.map(describe);

function describe({ path, isRecord, summary, parameters, schema }: ExchangeRoute): Operation {
  const failures = [
    400,
    ...(isRecord || /^.(pools|tokens).*{|liquidity$/.test(path) ? [404] : []),
    ...(/(candles|positions|liquidity|profits)$/.test(path) ? [413] : []),
    503,
  ];
  return {
    method: "get",
    path: `${EXCHANGE_PREFIX}${path}`,
    tag: "Exchange",
    summary,
    parameters,
    answers: {
      200: { description: "The requested data.", schema },
      ...Object.fromEntries(failures.map((status) => [status, FAILURES[status]!])),
    },
  };
}
