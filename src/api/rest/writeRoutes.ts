import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { findItem } from "../../query/tokens/items.ts";
import { readMetadata } from "../../query/tokens/metadata.ts";
import { allowOnly } from "../http/httpRules.ts";
import { COSTS } from "../http/rateLimit.ts";
import type { Operation } from "../openapi/operation.ts";
import { always, record } from "../openapi/values.ts";
import type { ErrorStatus } from "./errorSchema.ts";
import { ERROR_SCHEMAS } from "./errorSchema.ts";
import { expectFound } from "./errors.ts";
import { PATH_PARAMETERS } from "./parameters.ts";
import { parseAddress, parseTokenId } from "./params.ts";
import type { RestContext } from "./route.ts";

/** Actions other than verification. The body is ignored. */
interface WriteRoute {
  readonly method: "POST" | "PATCH";
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly cost: number;
  readonly parameters: Operation["parameters"];
  readonly fails: readonly ErrorStatus[];
  readonly serve: (context: RestContext, parameters: readonly string[]) => Promise<void>;
}

const DoneSchema = record("Done", { message: always("OK", "always `OK`") });

const WRITE_ROUTES: readonly WriteRoute[] = [
  {
    method: "PATCH",
    path: "/tokens/{address}/instances/{id}/refetch-metadata",
    tag: "Tokens",
    summary: "reads the metadata of an instance anew, for [lists](#token-instance) too",
    cost: COSTS.search,
    parameters: [PATH_PARAMETERS.tokens!, PATH_PARAMETERS.instances!],
    fails: [404, 422, 503],
    serve: async ({ network }, [address = "", id = ""]) => {
      const found = expectFound(await findItem(network, parseAddress(address), parseTokenId(id)));
      await readMetadata(network, found, found.range);
    },
  },
  {
    method: "POST",
    path: "/key",
    tag: "Chain",
    summary: "the key that clients of Blockscout ask for: none is needed, and rate limits stay as they are",
    cost: COSTS.record,
    parameters: [],
    fails: [],
    serve: async () => {},
  },
];

export function writeRoutes(scope: FastifyInstance, context: RestContext): void {
  for (const { method, path, cost, serve } of WRITE_ROUTES) {
    const url = path.replace(/\{(\w+)\}/g, ":$1");
    // Before the body is read.
    const onRequest = async ({ params }: FastifyRequest, reply: FastifyReply) => {
      await serve(context, Object.values(params as Record<string, string>));
      return reply.send({ message: "OK" });
    };
    scope.route({ method, url, config: { cost }, onRequest, handler: async () => undefined });
    allowOnly(scope, url, [method]);
  }
}

export function writeOperations(prefix: string): readonly Operation[] {
  return WRITE_ROUTES.map(({ method, path, tag, summary, parameters, fails }) => ({
    method: method === "PATCH" ? "patch" : "post",
    path: `${prefix}${path}`,
    tag,
    summary,
    parameters,
    answers: {
      200: { description: "It is done.", schema: DoneSchema },
      ...Object.fromEntries(fails.map((status) => [status, ERROR_SCHEMAS[status]])),
    },
  }));
}
