import { BlockList } from "node:net";
import type { FastifyRequest } from "fastify";
import { parseIpAddress } from "../../std/ipNetwork.ts";

/** Whether an address is that of a proxy whose `X-Forwarded-For` is believed. */
export type IsProxy = (address: string) => boolean;

/** Reads the ranges of `--trust-proxy`; an address alone is a range of one. */
export function proxyRanges(ranges: readonly string[]): IsProxy {
  const list = new BlockList();
  for (const range of ranges) {
    const [spelled = "", bits] = range.split("/");
    const address = parseIpAddress(spelled);
    if (address === undefined) throw new TypeError(`no address: ${range}`);
    const { text, family } = address;
    // A range of IPv4 addresses may be written as one of IPv6.
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
 * Whom a request counts for: an IPv4 address or a /64 network of IPv6, in one spelling. All that a proxy sends under
 * something that is no address counts for one client of that proxy.
 */
export function clientOf(request: FastifyRequest): string {
  const addresses = request.ips ?? [request.ip];
  const named = networkOf(addresses.at(-1));
  return named ?? `unknown by way of ${networkOf(addresses.at(-2)) ?? "a socket"}`;
}

/** Whether a request came from a program on this machine, by way of no proxy that names another client. */
export function isLocal({ ips, ip }: FastifyRequest): boolean {
  const [address, forwarded] = ips ?? [ip];
  const plain = parseIpAddress(address ?? "")?.text ?? "";
  return forwarded === undefined && (plain === "::1" || plain.startsWith("127."));
}

function networkOf(address: string | undefined): string | undefined {
  return parseIpAddress(address ?? "")?.network;
}
