import type { FastifyRequest } from "fastify";
import { LruCache } from "../../std/lruCache.ts";
import type { DevMethods } from "../settings.ts";

export interface TrustSettings {
  readonly devMethods?: DevMethods | undefined;
  readonly trustProxy?: unknown;
}

/** Who may use what is not for the public: unless that is said, nobody where a proxy stands before the server. */
export function devMethodsOf({ devMethods, trustProxy }: TrustSettings): DevMethods {
  return devMethods ?? (trustProxy === undefined ? "loopback" : "none");
}

/**
 * Whether a request may use what is not for the public. Any web page that a developer visits can reach a server on the
 * same machine, and any proxy there looks like one of its programs: neither counts as being on this machine, whatever
 * the proxy says of whom it serves.
 */
export function isTrusted(request: FastifyRequest, settings: TrustSettings): boolean {
  const devMethods = devMethodsOf(settings);
  if (devMethods !== "loopback") return devMethods === "all";
  if (!LOOPBACK_ADDRESS.test(request.socket.remoteAddress ?? "") || isForwarded(request)) return false;
  const { origin, host } = request.headers;
  return isLoopbackUrl(origin) && isLoopbackUrl(host && `http://${host}`);
}

const LOOPBACK_ADDRESS = /^(::1|(::ffff:)?127(\.\d{1,3}){3})$/i;

/** What proxies and content delivery networks add, empty or not. */
const FORWARDING =
  /^(forwarded|via|cdn-loop|(x-|true-|fastly-|cf-connecting-|x-cluster-)?client-?ip|cf-connecting-ip|x-real-ip|x-forwarded(-.*)?|x-original-.*|x-envoy-.*|x-proxy.*|proxy-.*|x-amzn-trace-id|cf-ray)$/;

/** nginx asks in HTTP/1.0 unless it is told otherwise, and no client of JSON-RPC does. */
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
