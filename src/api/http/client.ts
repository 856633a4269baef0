import { BlockList } from "node:net";
import type { FastifyRequest } from "fastify";
import { parseIpAddress } from "./ipNetwork.ts";

/** Whether an address is a trusted proxy. */
type IsProxy = (address: string) => boolean;

/** Parses the ranges of `--trust-proxy`; a single address is a range of one. */
export function proxyRanges(ranges: readonly string[]): IsProxy {
  const list = new BlockList();
  for (const range of ranges) {
    const [spelled = "", bits] = range.split("/");
    const address = parseIpAddress(spelled);
    if (address === undefined) throw new TypeError(`no address: ${range}`);
    const { text, family } = address;
    // IPv4 ranges may be written as IPv6.
    const inner = family === "ipv4" && spelled.includes(":") ? Number(bits) - 96 : Number(bits);
    if (bits === undefined) list.addAddress(text, family);
    else if (inner > 0) list.addSubnet(text, inner, family);
    else list.addSubnet(spelled, Number(bits), "ipv6");
  }
  return (spelled) => {
    const address = parseIpAddress(spelled);
    return address !== undefined && list.check(address.text, address.family);
  };
}

/**
 * Rate limit key: an IPv4 address or an IPv6 /64, normalized. Everything a proxy sends under an invalid address shares
 * one key.
 */
export function clientOf(request: FastifyRequest): string {
  const addresses = request.ips ?? [request.ip];
  const named = networkOf(addresses.at(-1));
  return named ?? `unknown by way of ${networkOf(addresses.at(-2)) ?? "a socket"}`;
}

/** Whether the request came from this machine without a proxy in between. */
export function isLocal({ ips, ip }: FastifyRequest): boolean {
  const [address, forwarded] = ips ?? [ip];
  const plain = parseIpAddress(address ?? "")?.text ?? "";
  return forwarded === undefined && (plain === "::1" || plain.startsWith("127."));
}

function networkOf(address: string | undefined): string | undefined {
  return parseIpAddress(address ?? "")?.network;
}
