import { createHash, timingSafeEqual } from "node:crypto";
import { Socket } from "node:net";
import type { FastifyRequest } from "fastify";
import { LruCache } from "../../std/lruCache.ts";
import type { PeerProcess } from "../../std/peerProcess.ts";
import { findPeerProcess } from "../../std/peerProcess.ts";
import type { DevMethods } from "../settings.ts";

export interface TrustSettings {
  readonly devMethods?: DevMethods | undefined;
  readonly trustProxy?: unknown;
  readonly isPublic?: boolean | undefined;
  /** Sent as a bearer token, it stands for a local program. */
  readonly accessToken?: string | undefined;
}

/** Who may use what is not for the public: nobody on a public server or behind a proxy, unless that is set. */
export function devMethodsOf({ devMethods, trustProxy, isPublic }: TrustSettings): DevMethods {
  return devMethods ?? (trustProxy === undefined && !isPublic ? "loopback" : "none");
}

/**
 * Whether a request may use what is not for the public. Any web page that a developer visits can reach a server on the
 * same machine, and any proxy there connects like one of its programs. Neither counts as local, whatever the proxy says of
 * its client: headers rule out what they can, and the process at the other end of the connection decides the rest.
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
 * Whether a connection is from a program of the user who runs Oriel that is no server for other machines. Where the
 * system does not show processes in /proc, headers alone decide.
 */
function isOwnProgram(socket: Socket): boolean | Promise<boolean> {
  // A request that is injected has no connection: it comes from this process.
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

/** What proxies and content delivery networks add, empty or not. */
const FORWARDING =
  /^(forwarded|via|cdn-loop|(x-|true-|fastly-|cf-connecting-|x-cluster-)?client-?ip|cf-connecting-ip|x-real-ip|x-forwarded(-.*)?|x-original-.*|x-envoy-.*|x-proxy.*|proxy-.*|x-amzn-trace-id|cf-ray)$/;

/** nginx before 1.29.7 asks in HTTP/1.0 by default, and no client of JSON-RPC does. */
function isForwarded({ headers, raw }: FastifyRequest): boolean {
  return raw.httpVersion === "1.0" || Object.keys(headers).some((name) => FORWARDING.test(name));
}

/** What few clients send again and again is parsed once; as many characters of it are remembered. */
const loopbackUrls = new LruCache<string, boolean>(100_000, (_, url) => url.length);

/** What is absent is no sign of a web page. */
function isLoopbackUrl(url: string | undefined): boolean {
  if (url === undefined) return true;
  const known = loopbackUrls.get(url);
  if (known !== undefined) return known;
  const isLoopback = parseLoopback(url);
  loopbackUrls.set(url, isLoopback);
  return isLoopback;
}

/** The parser turns every spelling of an address into this one. */
function parseLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname, protocol } = new URL(url);
  return /^https?:$/.test(protocol) && /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
