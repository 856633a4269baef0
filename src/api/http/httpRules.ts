import { hash } from "node:crypto";
import type { Server } from "node:http";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { FastifyHttpOptions, FastifyInstance, FastifyReply, FastifyRequest, RouteGenericInterface } from "fastify";
import type { AnswerError } from "./failure.ts";
import { answerErrorsAs, HttpError, JSON_TYPE } from "./failure.ts";
import { parseQuery } from "./queryString.ts";

/** What is searched for may have 10,000 bytes, each of them three characters of a URL: it is read, and refused as what it is. */
const MAX_URL_LENGTH = 32 * 1024;
const MAX_HEADERS_LENGTH = 40 * 1024;
const MAX_CONNECTIONS = 2000;

/** Of Node's own defaults none stops a client that sends one byte now and then. */
export const HTTP_LIMITS = {
  bodyLimit: 128 * 1024,
  requestTimeout: 20_000,
  keepAliveTimeout: 30_000,
  http: {
    headersTimeout: 10_000,
    connectionsCheckingInterval: 2000,
    maxHeaderSize: MAX_HEADERS_LENGTH,
    // Node's own refusal is no JSON.
    requireHostHeader: false,
  },
  // Above the longest URL, so that a long parameter is refused as such and not taken for an unknown path.
  routerOptions: { maxParamLength: MAX_HEADERS_LENGTH, ignoreTrailingSlash: true, querystringParser: parseQuery },
} as const satisfies FastifyHttpOptions<Server>;

const HEADERS = {
  "cache-control": "no-cache",
  "x-content-type-options": "nosniff",
} as const;

/** Of responses that no hook adds headers to. */
export const ERROR_HEADERS = { ...HEADERS, "access-control-allow-origin": "*" } as const;

export function applyHttpRules(
  app: FastifyInstance,
  findUnknown: (request: FastifyRequest) => AnswerError = () => answerPlainError,
): void {
  app.server.maxConnections = MAX_CONNECTIONS;
  app.server.on("checkExpectation", (_, response) => {
    const body = JSON.stringify({ message: STATUS_CODES[417] });
    response.writeHead(417, { "content-type": JSON_TYPE, "content-length": body.length, ...HEADERS }).end(body);
  });
  app.server.on("connect", (_, socket: Duplex) => answerOnSocket(socket, 501));
  app.addHook("onRequest", async (request, reply) => {
    reply.headers(HEADERS);
    if (request.originalUrl.length > MAX_URL_LENGTH) throw new HttpError(414);
    if (!hasOneHost(request)) throw new HttpError(400);
  });
  app.addHook("onSend", async (request, reply, payload) => tag(request, reply, payload));
  app.setErrorHandler(answerPlainError);
  app.setNotFoundHandler((request, reply) => findUnknown(request)(new HttpError(404), request, reply));
}

/** Other upgrades, such as to HTTP/2, are offers that a server may ignore (RFC 9110, 7.8). */
export function wantsWebSocket({ headers }: FastifyRequest): boolean {
  return headers.upgrade?.trim().toLowerCase() === "websocket";
}

/** HTTP/1.1 wants one `Host`, and of two nobody knows which one a proxy went by (RFC 9112, 3.2). */
function hasOneHost({ raw: { rawHeaders, httpVersion } }: FastifyRequest): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === "host") hosts++;
  return hosts === 1 || (hosts === 0 && httpVersion === "1.0");
}

/** Errors of paths that belong to no interface. */
export const answerPlainError = answerErrorsAs(({ message }) => ({ body: { message } }));

/** A request of what is only read. */
export interface ReadRequest extends RouteGenericInterface {
  Params: Readonly<Record<string, string>>;
  Querystring: Readonly<Record<string, unknown>>;
}

type Answer = (request: FastifyRequest<ReadRequest>, reply: FastifyReply) => unknown;

/** Registers a path that is only read, and what a request of it costs. */
export function serveRead(app: FastifyInstance, url: string, cost: number, answer: Answer): void {
  app.get<ReadRequest>(url, { config: { cost } }, async (request, reply) => answer(request, reply));
  allowOnly(app, url, ["GET", "HEAD"]);
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE"] as const;

type Method = (typeof METHODS)[number];

/** Refuses all methods but the allowed ones of a path, before a body is read. */
export function allowOnly(app: FastifyInstance, url: string, allowed: readonly Method[]): void {
  const refuse = async () => {
    throw new HttpError(405, { allow: [...allowed, "OPTIONS"].join(", ") });
  };
  const method = METHODS.filter((each) => !allowed.includes(each));
  app.route({ method, url, onRequest: refuse, handler: refuse });
}

/** The router cannot read a URL with broken percent signs, so no hook has run. */
export function answerBadUrl(find: (url: string) => AnswerError) {
  return (_error: Error, request: FastifyRequest, reply: FastifyReply): void => {
    reply.headers(ERROR_HEADERS);
    find(request.originalUrl)(new HttpError(400), request, reply);
  };
}

const SOCKET_ERRORS: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** What is no HTTP at all, or came too slowly, gets its answer on the bare socket. */
export function answerBadRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  answerOnSocket(socket, SOCKET_ERRORS[error.code ?? ""] ?? 400);
}

/** Nobody else listens to this socket any more, and its errors are nobody's. */
function answerOnSocket(socket: Duplex, status: number): void {
  const body = JSON.stringify({ message: STATUS_CODES[status] });
  socket.on("error", () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: ${JSON_TYPE}\r\n` +
      `Content-Length: ${body.length}\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** Gives a successful answer its tag, and leaves its body out where the client has it already (RFC 9110, 13.1.2). */
function tag(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  if ((request.method !== "GET" && request.method !== "HEAD") || reply.statusCode !== 200) return payload;
  if (typeof payload !== "string" && !Buffer.isBuffer(payload)) return payload;
  const made = reply.getHeader("etag");
  const etag = typeof made === "string" ? made : entityTag(payload);
  reply.header("etag", etag);
  const known = request.headers["if-none-match"];
  if (known === undefined || (known.trim() !== "*" && !names(known, etag))) return payload;
  reply.code(304).removeHeader("content-length");
  // Nothing at all, and not an empty text, has no length: it would be that of what is left out (RFC 9110, 8.6).
  return request.method === "HEAD" ? "" : null;
}

export function entityTag(body: string | Buffer): string {
  return `"${hash("sha1", body, "base64url")}"`;
}

/** Whether an answer is among those that a client says it has. */
export function names(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch.split(",").some((part) => [etag, `W/${etag}`].includes(part.trim()));
}
