import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ChainError } from "../../chain/error.ts";
import type { RpcBackend } from "../../jsonrpc/backend.ts";
import { answerBody, errorText } from "../../jsonrpc/envelope.ts";
import { RPC, RpcError } from "../../jsonrpc/rpcError.ts";
import { answerErrorsAs, HttpError } from "../http/failure.ts";
import type { Interface } from "../http/interface.ts";
import { RPC_OPERATION } from "./describe.ts";
import type { TrustSettings } from "./trust.ts";
import { isTrusted } from "./trust.ts";

const CONTENT_TYPES = ["application/json", "application/json-rpc", "application/jsonrequest"];
export const MOST_BODY = 5 << 20;
/** Of all bodies that wait for their answers. */
export const MOST_WAITING = 64 << 20;

/** JSON-RPC at `/rpc`, and at `/` for those who know only the origin. */
export function rpcInterface(backend: RpcBackend, settings: TrustSettings): Interface {
  const answer = answerWith(backend, settings);
  const takeCalls = (scope: FastifyInstance) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(CONTENT_TYPES, { parseAs: "string", bodyLimit: MOST_BODY }, (_, body, done) =>
      done(null, body),
    );
    scope.post("/", answer);
  };
  return {
    prefix: "/rpc",
    answerError: answerRpcError,
    routes: (scope) => {
      takeCalls(scope);
      scope.get("/", answerProbe);
      scope.route({ method: ["PUT", "PATCH", "DELETE"], url: "/", onRequest: refuseMethod, handler: refuseMethod });
    },
    rootRoutes: takeCalls,
    operations: [RPC_OPERATION],
  };
}

function answerWith(backend: RpcBackend, settings: TrustSettings) {
  let waiting = 0;
  return async (request: FastifyRequest, reply: FastifyReply) => {
    if (typeof request.body !== "string") throw new HttpError(415);
    const body = request.body;
    if (waiting + body.length > MOST_WAITING) throw new HttpError(429, { "retry-after": "1" });
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

/** A probe asks with a bare GET whether anybody is there. */
async function answerProbe(request: FastifyRequest, reply: FastifyReply) {
  if (request.headers.upgrade !== undefined) throw new HttpError(501);
  return reply.send();
}

const refuseMethod = async () => {
  throw new HttpError(405, { allow: "GET, HEAD, POST, OPTIONS" });
};

const REFUSALS: Readonly<Record<number, RpcError>> = {
  404: new RpcError(RPC.invalidRequest, "nothing is at this path: JSON-RPC is sent to /rpc"),
  405: new RpcError(RPC.invalidRequest, "method not allowed: JSON-RPC is sent with POST"),
  413: new RpcError(RPC.invalidRequest, `request too large: a body has at most ${MOST_BODY} bytes`),
  414: new RpcError(RPC.invalidRequest, "the URL is too long: JSON-RPC is sent in the body"),
  415: new RpcError(RPC.invalidRequest, "invalid content type, only application/json is supported"),
  429: new RpcError(RPC.limitExceeded, "too many requests are waiting for the node"),
  501: new RpcError(RPC.invalidRequest, "there is no WebSocket: JSON-RPC is sent with POST"),
};

/** What fails inside is an answer like any other, under HTTP status 200. */
const answerRpcError = answerErrorsAs(({ status }) => {
  const refusal = REFUSALS[status];
  if (refusal !== undefined) return { body: errorText(refusal) };
  if (status < 500) return { body: errorText(new RpcError(RPC.invalidRequest, "invalid request")) };
  return { status: 200, body: errorText(new RpcError(RPC.internal, "internal error")) };
});

function send(reply: FastifyReply, text: string | undefined): FastifyReply {
  return text === undefined ? reply.send() : reply.type("application/json").send(text);
}
