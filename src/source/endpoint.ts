import { ChainError } from "../chain/error.ts";
import { HEADER_NAME } from "./http/httpHead.ts";
import type { HttpProxy } from "./http/proxy.ts";
import { proxyFor } from "./http/proxy.ts";

export interface Peer {
  readonly name: string;
  /** Removes all secrets of the URL and headers from a text. */
  redact(text: string): string;
}

/** An HTTP endpoint. Its name has scheme, host and port only: the rest may contain a key. */
export interface Endpoint extends Peer {
  readonly isSecure: boolean;
  readonly hostname: string;
  readonly port: string;
  readonly path: string;
  readonly host: string;
  /** Lower-case names, without `host`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly proxy?: HttpProxy | undefined;
}

/** Shorter path segments are words such as `rpc` or `v1`. */
const MIN_SECRET_LENGTH = 5;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

export function parseEndpoint(text: string, headers: Readonly<Record<string, string>> = {}): Endpoint {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new ChainError("invalid_argument", "the address of a node is an http:// or https:// URL");
  }
  const basic = basicAuthorization(url);
  const secrets = secretsOf(url, Object.values(headers).concat(basic ?? []));
  const { host = url.host, ...others } = checkHeaders(headers);
  const [isSecure, hostname] = [url.protocol === "https:", url.hostname.replace(/^\[|\]$/g, "")];
  return {
    name: url.origin,
    isSecure,
    hostname,
    port: url.port,
    proxy: proxyFor({ isSecure, hostname, port: url.port }),
    path: url.pathname + url.search,
    host,
    headers: basic === undefined ? others : { authorization: `Basic ${basic}`, ...others },
    redact: (message) => secrets.reduce((shown, secret) => shown.replaceAll(secret, "***"), message),
  };
}

/** Error messages name a header but never show its value, which may be a key. */
function checkHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase();
    const isOurs = /^(connection|content-length|expect|transfer-encoding|upgrade)$/.test(key);
    if (isOurs || !HEADER_NAME.test(name) || !HEADER_VALUE.test(value) || Object.hasOwn(checked, key)) {
      throw new ChainError("invalid_argument", `the header ${JSON.stringify(name)} cannot be sent to a node`);
    }
    checked[key] = value;
  }
  return checked;
}

function basicAuthorization(url: URL): string | undefined {
  if (url.username === "" && url.password === "") return undefined;
  return Buffer.from(`${unescaped(url.username)}:${unescaped(url.password)}`).toString("base64");
}

function secretsOf(url: URL, others: readonly string[]): string[] {
  const queries = [...url.searchParams].flat();
  const written = [url.username, url.password, ...url.pathname.split("/"), ...url.search.split(/[?&=]/)];
  const parts = [...written, ...written.map(unescaped), ...queries, ...others];
  const secrets = new Set(parts.filter((part) => part.length >= MIN_SECRET_LENGTH));
  return [...secrets].sort((a, b) => b.length - a.length);
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
