import type { FastifyRequest } from "fastify";
import type { DevMethods } from "../settings.ts";

export interface TrustSettings {
  readonly devMethods?: DevMethods | undefined;
  readonly trustProxy?: unknown;
}

/**
 * Whether a request may use what is not for the public. Any web page that a developer visits can reach a server on the
 * same machine, and any proxy there looks like one of its programs: neither counts as being on this machine.
 */
export function isTrusted(request: FastifyRequest, { devMethods = "loopback", trustProxy }: TrustSettings): boolean {
  if (devMethods !== "loopback") return devMethods === "all";
  const { origin, host } = request.headers;
  if (!LOOPBACK_ADDRESS.test(request.ip)) return false;
  if (trustProxy === undefined && FORWARDED.some((name) => request.headers[name] !== undefined)) return false;
  return isLoopbackUrl(origin) && isLoopbackUrl(host && `http://${host}`);
}

const LOOPBACK_ADDRESS = /^(::1|(::ffff:)?127(\.\d{1,3}){3})$/i;
const FORWARDED = ["forwarded", "x-forwarded-for", "x-real-ip", "via"];

/** What is absent is no sign of a web page. The parser turns every spelling of an address into this one. */
function isLoopbackUrl(url: string | undefined): boolean {
  if (url === undefined) return true;
  if (!URL.canParse(url)) return false;
  const { hostname, protocol } = new URL(url);
  return /^https?:$/.test(protocol) && /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
