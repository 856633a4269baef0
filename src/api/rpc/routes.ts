import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ChainError } from "../../chain/error.ts";
import { answerBody, errorText } from "../../jsonrpc/envelope.ts";
import { RPC, RpcError } from "../../jsonrpc/rpcError.ts";
import type { TrustSettings } from "./trust.ts";
import { isTrusted } from "./trust.ts";

/** What answers JSON-RPC. It throws `upstream_unavailable` while it is not there. */
export interface RpcBackend {
  handle(body: string, isTrusted: boolean): Promise<string | undefined>;
}

const CONTENT_TYPES = ["application/json", "application/json-rpc", "application/jsonrequest"];
export const MOST_BODY = 5 << 20;
/** Of all bodies that wait for their answers. */
export const MOST_WAITING = 64 << 20;

/** JSON-RPC at `/rpc`, and at `/` for those who know only the origin. */
export function rpcRoutes(app: FastifyInstance, backend: RpcBackend, settings: TrustSettings): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(CONTENT_TYPES, { parseAs: "string", bodyLimit: MOST_BODY }, (_, body, done) =>
      done(null, body),
    );
    scope.setErrorHandler(answerRpcError);
    const answer = answerWith(backend, settings);
    scope.post("/rpc", answer);
    scope.post("/", answer);
    scope.get("/rpc", answerProbe);
    scope.route({ method: ["PUT", "PATCH", "DELETE"], url: "/rpc", onRequest: refuseMethod, handler: refuseMethod });
  });
}

function answerWith(backend: RpcBackend, settings: TrustSettings) {
  let waiting = 0;
  return async (request: FastifyRequest, reply: FastifyReply) => {
    if (typeof request.body !== "string") return refuse(reply, 415);
    const body = request.body;
    if (waiting + body.length > MOST_WAITING) return refuse(reply.header("retry-after", 1), 429);
    waiting += body.length;
    try {
      return send(reply, await ask(backend, body, isTrusted(request, settings)));
    } finally {
      waiting -= body.length;
    }
  };
}

async function ask(backend: RpcBackend, body: string, isTrusted: boolean): Promise<string | undefined> {
  try {
    return await backend.handle(body, isTrusted);
  } catch (error) {
    if (!(error instanceof ChainError) || error.code !== "upstream_unavailable") throw error;
    // Clients ask again after this code, and each call of a batch needs its answer.
    return answerBody(body, () => Promise.reject(new RpcError(RPC.internal, "the node is restarting")));
  }
}

const REFUSALS: Readonly<Record<number, RpcError>> = {
  405: new RpcError(RPC.invalidRequest, "method not allowed: JSON-RPC is sent with POST"),
  413: new RpcError(RPC.invalidRequest, `request too large: a body has at most ${MOST_BODY} bytes`),
  415: new RpcError(RPC.invalidRequest, "invalid content type, only application/json is supported"),
  429: new RpcError(RPC.limitExceeded, "too many requests are waiting for the node"),
  501: new RpcError(RPC.invalidRequest, "there is no WebSocket: JSON-RPC is sent with POST"),
};

/** A probe asks with a bare GET whether anybody is there. */
async function answerProbe(request: FastifyRequest, reply: FastifyReply) {
  return request.headers.upgrade === undefined ? reply.send() : refuse(reply, 501);
}

const refuseMethod = async (_: FastifyRequest, reply: FastifyReply) =>
  refuse(reply.header("allow", "GET, HEAD, POST, OPTIONS"), 405);

function answerRpcError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const status = error.statusCode ?? 500;
  if (REFUSALS[status] !== undefined) return refuse(reply, status);
  if (status < 500) return send(reply.code(status), errorText(new RpcError(RPC.invalidRequest, "invalid request")));
  request.log.error({ err: error }, "request failed");
  return send(reply, errorText(new RpcError(RPC.internal, "internal error")));
}

function refuse(reply: FastifyReply, status: number): FastifyReply {
  return send(reply.code(status), errorText(REFUSALS[status]!));
}

function send(reply: FastifyReply, text: string | undefined): FastifyReply {
  return text === undefined ? reply.send() : reply.type("application/json").send(text);
}
