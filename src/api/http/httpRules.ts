import { hash } from "node:crypto";
import type { Server } from "node:http";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { FastifyHttpOptions, FastifyInstance, FastifyReply, FastifyRequest, RouteGenericInterface } from "fastify";
import type { AnswerError } from "./failure.ts";
import { answerErrorsAs, HttpError, JSON_TYPE } from "./failure.ts";
import { parseQuery } from "./queryString.ts";

/** A search query may have 10,000 bytes, each three characters of a URL, and is rejected by its parser. */
const MAX_URL_LENGTH = 32 * 1024;
const MAX_HEADERS_LENGTH = 40 * 1024;
const MAX_CONNECTIONS = 2000;

/** Node's defaults do not stop a client that sends a byte now and then. */
export const HTTP_LIMITS = {
  bodyLimit: 128 * 1024,
  requestTimeout: 20_000,
  keepAliveTimeout: 30_000,
  http: {
    headersTimeout: 10_000,
    connectionsCheckingInterval: 2000,
    maxHeaderSize: MAX_HEADERS_LENGTH,
    // Node's own rejection is not JSON.
    requireHostHeader: false,
  },
  // Above the longest URL, so that a long parameter is rejected as such and not as an unknown path.
  routerOptions: { maxParamLength: MAX_HEADERS_LENGTH, ignoreTrailingSlash: true, querystringParser: parseQuery },
} as const satisfies FastifyHttpOptions<Server>;

const HEADERS = {
  "cache-control": "no-cache",
  "x-content-type-options": "nosniff",
} as const;

/** For responses that bypass hooks. */
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

/** Other upgrades, such as HTTP/2, may be ignored (RFC 9110, 7.8). */
export function wantsWebSocket({ headers }: FastifyRequest): boolean {
  return headers.upgrade?.trim().toLowerCase() === "websocket";
}

/** HTTP/1.1 requires exactly one `Host` (RFC 9112, 3.2). */
function hasOneHost({ raw: { rawHeaders, httpVersion } }: FastifyRequest): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === "host") hosts++;
  return hosts === 1 || (hosts === 0 && httpVersion === "1.0");
}

export const answerPlainError = answerErrorsAs(({ message }) => ({ body: { message } }));

export interface ReadRequest extends RouteGenericInterface {
  Params: Readonly<Record<string, string>>;
  Querystring: Readonly<Record<string, unknown>>;
}

type Answer = (request: FastifyRequest<ReadRequest>, reply: FastifyReply) => unknown;

/** Registers a GET path and its cost. */
export function serveRead(app: FastifyInstance, url: string, cost: number, answer: Answer): void {
  app.get<ReadRequest>(url, { config: { cost } }, async (request, reply) => answer(request, reply));
  allowOnly(app, url, ["GET", "HEAD"]);
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE"] as const;

type Method = (typeof METHODS)[number];

/** Rejects other methods before a body is read. */
export function allowOnly(app: FastifyInstance, url: string, allowed: readonly Method[]): void {
  const refuse = async () => {
    throw new HttpError(405, { allow: [...allowed, "OPTIONS"].join(", ") });
  };
  const method = METHODS.filter((each) => !allowed.includes(each));
  app.route({ method, url, onRequest: refuse, handler: refuse });
}

/** The router rejects malformed percent-encoding before any hook runs. */
export function answerBadUrl(find: (url: string) => AnswerError) {
  return (_error: Error, request: FastifyRequest, reply: FastifyReply): void => {
    reply.headers(ERROR_HEADERS);
    find(request.originalUrl)(new HttpError(400), request, reply);
  };
}

const SOCKET_ERRORS: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** Malformed HTTP and timeouts are answered on the socket. */
export function answerBadRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  answerOnSocket(socket, SOCKET_ERRORS[error.code ?? ""] ?? 400);
}

/** The socket has no other listener; its errors are ignored. */
function answerOnSocket(socket: Duplex, status: number): void {
  const body = JSON.stringify({ message: STATUS_CODES[status] });
  socket.on("error", () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: ${JSON_TYPE}\r\n` +
      `Content-Length: ${body.length}\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** Adds an ETag, and drops the body if the client has it (RFC 9110, 13.1.2). */
function tag(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  if ((request.method !== "GET" && request.method !== "HEAD") || reply.statusCode !== 200) return payload;
  if (typeof payload !== "string" && !Buffer.isBuffer(payload)) return payload;
  const made = reply.getHeader("etag");
  const etag = typeof made === "string" ? made : entityTag(payload);
  reply.header("etag", etag);
  const known = request.headers["if-none-match"];
  if (known === undefined || (known.trim() !== "*" && !names(known, etag))) return payload;
  reply.code(304).removeHeader("content-length");
  // Null rather than an empty string: content-length would be that of the omitted body (RFC 9110, 8.6).
  return request.method === "HEAD" ? "" : null;
}

export function entityTag(body: string | Buffer): string {
  return `"${hash("sha1", body, "base64url")}"`;
}

/** Whether `If-None-Match` contains the tag. */
export function names(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch.split(",").some((part) => [etag, `W/${etag}`].includes(part.trim()));
}
