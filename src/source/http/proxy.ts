import { BlockList, isIP } from "node:net";
import { ChainError } from "../../chain/error.ts";

/** Proxy settings from the environment. The name has scheme, host and port only. */
export interface HttpProxy {
  readonly name: string;
  readonly isSecure: boolean;
  readonly hostname: string;
  readonly port: number;
  /** Value of `proxy-authorization`. */
  readonly authorization: string | undefined;
}

interface Target {
  readonly isSecure: boolean;
  readonly hostname: string;
  readonly port: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Interprets `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` like Go: loopback is always direct, and so are the hosts,
 * domains, addresses and networks in `NO_PROXY`.
 */
export function proxyFor(target: Target, environment: Environment = process.env): HttpProxy | undefined {
  const read = (name: string) => environment[name.toLowerCase()] || environment[name] || undefined;
  const url = read(target.isSecure ? "HTTPS_PROXY" : "HTTP_PROXY");
  if (url === undefined || isLoopback(target.hostname)) return undefined;
  const isDirect = (read("NO_PROXY") ?? "").split(",").some((entry) => matches(entry.trim().toLowerCase(), target));
  return isDirect ? undefined : parseProxy(url);
}

export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "::1" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function parseProxy(text: string): HttpProxy {
  const written = text.includes("://") ? text : `http://${text}`;
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === "") {
    throw new ChainError("invalid_argument", "the proxy in HTTP_PROXY or HTTPS_PROXY is an http:// or https:// URL");
  }
  const isSecure = url.protocol === "https:";
  const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return {
    name: url.origin,
    isSecure,
    hostname: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port || (isSecure ? 443 : 80)),
    authorization: user === ":" ? undefined : `Basic ${Buffer.from(user).toString("base64")}`,
  };
}

function matches(entry: string, { hostname, isSecure, port }: Target): boolean {
  if (entry === "" || entry === "*") return entry === "*";
  if (entry.includes("/")) return isInNetwork(entry, hostname);
  const [, host = "", ownPort] = /^(?:\[(?=.*\]))?(.*?)\]?(?::(\d+))?$/.exec(entry) ?? [];
  const isAddress = isIP(entry) !== 0;
  if (!isAddress && ownPort !== undefined && ownPort !== (port || (isSecure ? "443" : "80"))) return false;
  const name = isAddress ? entry : host;
  return name.startsWith(".") ? hostname.endsWith(name) : hostname === name || hostname.endsWith(`.${name}`);
}

function isInNetwork(entry: string, hostname: string): boolean {
  const [network = "", prefix = ""] = entry.split("/");
  const kind = isIP(network);
  const isNetwork = kind !== 0 && /^\d+$/.test(prefix) && Number(prefix) <= (kind === 4 ? 32 : 128);
  if (!isNetwork || isIP(hostname) !== kind) return false;
  const family = kind === 4 ? "ipv4" : "ipv6";
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), family);
  return list.check(hostname, family);
}
