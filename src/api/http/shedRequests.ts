import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { failureOf, HttpError, JSON_TYPE } from "./failure.ts";
import { ERROR_HEADERS } from "./httpRules.ts";
import type { Interface } from "./interface.ts";
import { interfaceOf } from "./interface.ts";
import { COSTS, costOf } from "./rateLimit.ts";
import type { RequestQueue } from "./requestQueue.ts";
import { RETRY_AFTER } from "./requestQueue.ts";

interface FixedResponse {
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string;
}

/**
 * Rejects requests that would wait too long before any work is done for them. Free and probably cached requests are
 * admitted.
 */
export function shedRequests(
  app: FastifyInstance,
  interfaces: readonly Interface[],
  queue: RequestQueue,
  isCached: (url: string) => boolean,
): void {
  const overloaded = new Map(interfaces.map((each) => [each, overloadedResponse(each)]));
  const plain = overloadedResponse(undefined);
  app.server.on("connection", () => queue.noteArrival());
  app.addHook("onRequest", (request, reply, done) => {
    queue.noteArrival();
    const cost = costOf(request);
    if (cost === COSTS.free || !queue.isFull(cost) || isCached(request.url)) return done();
    queue.countRefusal();
    const { headers, body } = overloaded.get(interfaceOf(request.url, interfaces)!) ?? plain;
    sendFixed(request, reply, headers, body);
  });
}

function sendFixed(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  headers: FixedResponse["headers"],
  body: string,
): void {
  reply.hijack();
  reply.raw.writeHead(503, headers).end(raw.method === "HEAD" ? undefined : body);
}

function overloadedResponse(answering: Interface | undefined): FixedResponse {
  const error = new HttpError(503);
  const failure = failureOf(error);
  const { body, type = JSON_TYPE } = answering?.answerError.form?.(failure, error) ?? {
    body: { message: failure.message },
  };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const length = Buffer.byteLength(text);
  const headers = { ...ERROR_HEADERS, "content-type": type, "content-length": length, "retry-after": RETRY_AFTER };
  return { headers, body: text };
}
