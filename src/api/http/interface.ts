import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Operation } from "../openapi/operation.ts";
import type { Examples } from "../openapi/page.ts";
import type { AnswerError } from "./failure.ts";
import { HttpError } from "./failure.ts";

/** An interface of an app, with its own paths, error format and documents. */
export interface Interface {
  /** All paths below it, known or not, use its error format. */
  readonly prefix: string;
  readonly answerError: AnswerError;
  /** Paths are relative to the prefix, in an encapsulated scope. */
  routes(scope: FastifyInstance): void;
  /** Routes outside the prefix. */
  rootRoutes?(scope: FastifyInstance): void;
  /** Whether it handles a request outside all prefixes. */
  claims?(request: FastifyRequest): boolean;
  /** Whether it rejects WebSocket upgrades at the root. */
  readonly refusesWebSockets?: boolean;
  /** For the OpenAPI document. */
  readonly operations: readonly Operation[];
  /** Current values for path parameters in the documents. */
  readonly examples?: () => Promise<Examples>;
}

export function mountInterface(app: FastifyInstance, { prefix, answerError, routes, rootRoutes }: Interface): void {
  void app.register(
    async (scope) => {
      scope.setErrorHandler(answerError);
      scope.setNotFoundHandler((request, reply) => answerError(new HttpError(404), request, reply));
      routes(scope);
    },
    { prefix },
  );
  if (rootRoutes === undefined) return;
  void app.register(async (scope) => {
    scope.setErrorHandler(answerError);
    rootRoutes(scope);
  });
}

/** The interface with the longest matching prefix. */
export function interfaceOf(url: string, interfaces: readonly Interface[]): Interface | undefined {
  const isBelow = ({ prefix }: Interface) => url.startsWith(prefix) && /^([/?]|$)/.test(url.slice(prefix.length));
  return interfaces.filter(isBelow).sort((one, other) => other.prefix.length - one.prefix.length)[0];
}
