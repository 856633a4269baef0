import type { OutgoingHttpHeaders } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ChainError } from "../../chain/error.ts";
import type { RpcBackend } from "../../jsonrpc/backend.ts";
import { answerBody, errorText } from "../../jsonrpc/envelope.ts";
import type { ResponseBody, ResponseParts } from "../../jsonrpc/responseBody.ts";
import { RPC, RpcError } from "../../jsonrpc/rpcError.ts";
import { answerErrorsAs, HttpError } from "../http/failure.ts";
import { refuseForeignText } from "../http/foreignBody.ts";
import { wantsWebSocket } from "../http/httpRules.ts";
import type { Interface } from "../http/interface.ts";
import type { RateLimit } from "../http/rateLimit.ts";
import { COSTS, costOfCalls } from "../http/rateLimit.ts";
import { EXPLORER_PATHS, RPC_OPERATIONS } from "./describe.ts";
import type { TrustSettings } from "./trust.ts";
import { isTrusted } from "./trust.ts";

const CONTENT_TYPES = ["application/json", "application/json-rpc", "application/jsonrequest"];
export const MAX_BODY = 5 << 20;
export const MAX_WAITING = 64 << 20;
export const MAX_IN_FLIGHT = 1000;

/** Calls are charged when they are parsed. */
const ROUTE_OPTIONS = { config: { cost: COSTS.record } };

/** JSON-RPC at `/rpc`, at `/` and at explorers' paths. */
export function rpcInterface(backend: RpcBackend, settings: TrustSettings, limit?: RateLimit): Interface {
  const answer = answerWith(backend, limit);
  const answerCall = async (request: FastifyRequest, reply: FastifyReply) =>
    answer(request, reply, !isForEverybody(request.body) && (await isTrusted(request, settings)));
  const answerPublicCall = (request: FastifyRequest, reply: FastifyReply) => answer(request, reply, false);
  return {
    prefix: "/rpc",
    answerError: answerRpcError,
    refusesWebSockets: true,
    routes: (scope) => {
      takeBodies(scope, CONTENT_TYPES);
      scope.post("/", ROUTE_OPTIONS, answerCall);
      scope.get("/", answerProbe);
      refuseMethods(scope, "/", ["PUT", "PATCH", "DELETE"]);
    },
    rootRoutes: (scope) => {
      takeBodies(scope, CONTENT_TYPES);
      scope.post("/", ROUTE_OPTIONS, answerCall);
      void scope.register(async (explorer) => {
        takeBodies(explorer, "*");
        explorer.addHook("onRequest", refuseForeignText);
        for (const url of EXPLORER_PATHS) {
          explorer.post(url, ROUTE_OPTIONS, answerPublicCall);
          refuseMethods(explorer, url, ["GET", "PUT", "PATCH", "DELETE"]);
        }
      });
    },
    operations: RPC_OPERATIONS,
  };
}

/** One call of a method that anybody may use, whose answer is the same for all. */
const FOR_EVERYBODY =
  /^\s*\{[^{}]*"method"\s*:\s*"(?:eth_(?:chainId|blockNumber|gasPrice|get[A-Z]\w*)|net_version)"[^{}]*\}\s*$/;
const MAX_CALL = 500;

/** Such calls need not wait until the client's process is found, which takes longer than most answers. */
function isForEverybody(body: unknown): boolean {
  return typeof body === "string" && body.length <= MAX_CALL && FOR_EVERYBODY.test(body);
}

function takeBodies(scope: FastifyInstance, types: string | string[]): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(types, { parseAs: "string", bodyLimit: MAX_BODY }, (_, body, done) => done(null, body));
}

function refuseMethods(scope: FastifyInstance, url: string, method: string[]): void {
  scope.route({ method, url, onRequest: refuseMethod, handler: refuseMethod });
}

function answerWith(backend: RpcBackend, limit: RateLimit | undefined) {
  let waiting = 0;
  let inFlight = 0;
  return async (request: FastifyRequest, reply: FastifyReply, isTrusted: boolean) => {
    if (typeof request.body !== "string") throw new HttpError(415);
    const body = request.body;
    limit?.spend(request, costOfCalls(body));
    if (inFlight >= MAX_IN_FLIGHT) throw new HttpError(503, { "retry-after": "1" });
    if (waiting + body.length > MAX_WAITING) throw new HttpError(429, { "retry-after": "1" });
    waiting += body.length;
    inFlight++;
    try {
      return send(reply, await ask(() => backend.handle(body, isTrusted, leaving(reply), isHardhat(request)), body));
    } finally {
      waiting -= body.length;
      inFlight--;
    }
  };
}

/** Aborts when the client disconnects. */
function leaving({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once("close", () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** Both hardhat 2 and 3 send it. */
function isHardhat({ headers }: FastifyRequest): boolean {
  return /^hardhat /i.test(headers["user-agent"] ?? "");
}

async function ask(handle: () => ReturnType<RpcBackend["handle"]>, body: string): Promise<ResponseBody | undefined> {
  try {
    return await handle();
  } catch (error) {
    if (!(error instanceof ChainError) || error.code !== "upstream_unavailable") throw error;
    // Clients retry on this code, and every call of a batch needs a response.
    return answerBody(body, () => Promise.reject(new RpcError(RPC.internal, "the node is restarting")));
  }
}

/** Answers a bare GET of a health probe. */
async function answerProbe(request: FastifyRequest, reply: FastifyReply) {
  if (wantsWebSocket(request)) throw new HttpError(501);
  return reply.send();
}

const refuseMethod = async () => {
  throw new HttpError(405, { allow: "GET, HEAD, POST, OPTIONS" });
};

const REFUSALS: Readonly<Record<number, RpcError>> = {
  404: new RpcError(RPC.invalidRequest, "nothing is at this path: JSON-RPC is sent to /rpc"),
  405: new RpcError(RPC.invalidRequest, "method not allowed: JSON-RPC is sent with POST"),
  413: new RpcError(RPC.invalidRequest, `request too large: a body has at most ${MAX_BODY} bytes`),
  414: new RpcError(RPC.invalidRequest, "the URL is too long: JSON-RPC is sent in the body"),
  415: new RpcError(RPC.invalidRequest, "invalid content type, only application/json is supported"),
  503: new RpcError(RPC.limitExceeded, "the server is overloaded: try again in a second"),
  429: new RpcError(RPC.limitExceeded, "too many requests"),
  501: new RpcError(RPC.invalidRequest, "there is no WebSocket: JSON-RPC is sent with POST"),
};

/** Internal errors have HTTP status 200. */
const answerRpcError = answerErrorsAs(({ status }) => {
  const refusal = REFUSALS[status];
  if (refusal !== undefined) return { body: errorText(refusal) };
  if (status < 500) return { body: errorText(new RpcError(RPC.invalidRequest, "invalid request")) };
  return { status: 200, body: errorText(new RpcError(RPC.internal, "internal error")) };
});

function send(reply: FastifyReply, body: ResponseBody | undefined): FastifyReply {
  if (body === undefined) return reply.send();
  reply.type("application/json");
  if (typeof body === "string") return reply.send(body);
  return sendParts(reply, body);
}

/** Written in sequence: joining would copy them. */
function sendParts(reply: FastifyReply, body: ResponseParts): FastifyReply {
  reply.hijack();
  const { raw } = reply;
  raw.once("close", () => body.release());
  raw.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), "content-length": body.byteLength });
  for (const content of body.contents) raw.write(content);
  raw.end();
  return reply;
}
