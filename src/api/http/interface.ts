import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Operation } from "../openapi/operation.ts";
import type { Examples } from "../openapi/page.ts";
import type { AnswerError } from "./failure.ts";
import { HttpError } from "./failure.ts";

/** One of the interfaces of an app. It has its own paths, its own form of every error and its own documents. */
export interface Interface {
  /** All paths below it, known or not, are answered in its form. */
  readonly prefix: string;
  readonly answerError: AnswerError;
  /** Registers its paths in a scope that nothing else is in. Paths are without the prefix. */
  routes(scope: FastifyInstance): void;
  /** Registers what it answers outside its prefix. */
  rootRoutes?(scope: FastifyInstance): void;
  /** Whether it answers a request for a path that belongs to no interface. */
  claims?(request: FastifyRequest): boolean;
  /** Whether it says at the root that there are no WebSockets: whoever asks for one there looks for this interface. */
  readonly refusesWebSockets?: boolean;
  /** What can be asked of it. */
  readonly operations: readonly Operation[];
  /** What its paths can be asked for at the moment. */
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

/** The interface whose paths a URL is among, known to it or not: that with the longest prefix. */
export function interfaceOf(url: string, interfaces: readonly Interface[]): Interface | undefined {
  const isBelow = ({ prefix }: Interface) => url.startsWith(prefix) && /^([/?]|$)/.test(url.slice(prefix.length));
  return interfaces.filter(isBelow).sort((one, other) => other.prefix.length - one.prefix.length)[0];
}
