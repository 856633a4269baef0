import { createHash, timingSafeEqual } from "node:crypto";
import { Socket } from "node:net";
import type { FastifyRequest } from "fastify";
import { LruCache } from "../../std/maps.ts";
import type { DevMethods } from "../settings.ts";
import type { PeerProcess } from "./peerProcess.ts";
import { findPeerProcess } from "./peerProcess.ts";

export interface TrustSettings {
  readonly devMethods?: DevMethods | undefined;
  readonly trustProxy?: unknown;
  readonly isPublic?: boolean | undefined;
  /** Bearer token that marks a request as local. */
  readonly accessToken?: string | undefined;
}

/** Who may use non-public methods: nobody on a public server or behind a proxy, unless configured. */
export function devMethodsOf({ devMethods, trustProxy, isPublic }: TrustSettings): DevMethods {
  return devMethods ?? (trustProxy === undefined && !isPublic ? "loopback" : "none");
}

/**
 * Whether a request may use non-public methods. Any web page that a developer visits can reach a local server, and a
 * local proxy connects like a local program; neither counts as local. Headers rule out what they can, and the process
 * at the other end of the connection decides the rest.
 */
export async function isTrusted(request: FastifyRequest, settings: TrustSettings): Promise<boolean> {
  const devMethods = devMethodsOf(settings);
  if (devMethods !== "loopback") return devMethods === "all";
  if (hasToken(request, settings.accessToken)) return true;
  return looksLocal(request) && (await isOwnProgram(request.socket));
}

function hasToken({ headers: { authorization } }: FastifyRequest, token: string | undefined): boolean {
  if (token === undefined || authorization === undefined) return false;
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(authorization), digest(`Bearer ${token}`));
}

function looksLocal(request: FastifyRequest): boolean {
  if (!LOOPBACK_ADDRESS.test(request.socket.remoteAddress ?? "") || isForwarded(request)) return false;
  const { origin, host, "sec-fetch-site": site } = request.headers;
  return site !== "cross-site" && isLoopbackUrl(origin) && isLoopbackUrl(host && `http://${host}`);
}

const ownPrograms = new WeakMap<Socket, Promise<boolean>>();

/**
 * Whether the peer is a process of the same user that is not itself a public server. Without /proc, headers alone
 * decide.
 */
function isOwnProgram(socket: Socket): boolean | Promise<boolean> {
  // Injected requests have no connection.
  if (process.platform !== "linux" || !(socket instanceof Socket)) return true;
  const known = ownPrograms.get(socket);
  if (known !== undefined) return known;
  const found = findPeerProcess(socket).then(
    (peer) => peer !== undefined && isOwn(peer),
    () => false,
  );
  ownPrograms.set(socket, found);
  return found;
}

function isOwn({ uid, pid, isServer }: PeerProcess): boolean {
  if (uid !== process.getuid?.() || pid === undefined) return false;
  return pid === process.pid || !isServer;
}

const LOOPBACK_ADDRESS = /^(::1|(::ffff:)?127(\.\d{1,3}){3})$/i;

/** Headers added by proxies and CDNs, even if empty. */
const FORWARDING =
  /^(forwarded|via|cdn-loop|(x-|true-|fastly-|cf-connecting-|x-cluster-)?client-?ip|cf-connecting-ip|x-real-ip|x-forwarded(-.*)?|x-original-.*|x-envoy-.*|x-proxy.*|proxy-.*|x-amzn-trace-id|cf-ray)$/;

/** nginx before 1.29.7 uses HTTP/1.0 by default; JSON-RPC clients do not. */
function isForwarded({ headers, raw }: FastifyRequest): boolean {
  return raw.httpVersion === "1.0" || Object.keys(headers).some((name) => FORWARDING.test(name));
}

/** Few distinct values recur. Limited by characters. */
const loopbackUrls = new LruCache<string, boolean>(100_000, (_, url) => url.length);

/** An absent header is no sign of a web page. */
function isLoopbackUrl(url: string | undefined): boolean {
  if (url === undefined) return true;
  const known = loopbackUrls.get(url);
  if (known !== undefined) return known;
  const isLoopback = parseLoopback(url);
  loopbackUrls.set(url, isLoopback);
  return isLoopback;
}

/** The URL parser normalizes every spelling. */
function parseLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname, protocol } = new URL(url);
  return /^https?:$/.test(protocol) && /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
