import { isIPv6 } from "node:net";

/** A normalized IP address. IPv4-mapped IPv6 (`::ffff:0:0/96`) becomes IPv4. */
interface IpAddress {
  /** WHATWG URL form without brackets: lower case, no leading zeros. */
  readonly text: string;
  readonly family: "ipv4" | "ipv6";
  /** The IPv4 address, or the /64 of an IPv6 address: one subscriber's allocation. */
  readonly network: string;
}

/** Longer than any spelling of an address. */
const MAX_LENGTH = 100;

const IPV4 = /^(\d{1,4})\.(\d{1,4})\.(\d{1,4})\.(\d{1,4})$/;

/**
 * Parses an address as found in `X-Forwarded-For`: optional port, brackets, quotes and zone. Octets with leading zeros
 * are decimal, since some proxies pad them.
 */
export function parseIpAddress(spelled: string): IpAddress | undefined {
  if (spelled.length > MAX_LENGTH) return undefined;
  const plain = spelled.trim().replace(/^"(.*)"$/, "$1");
  const [, bracketed] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(plain) ?? [];
  if (bracketed !== undefined) return parseIPv6(bracketed);
  return parseIPv4(plain.replace(/^([\d.]+):\d{1,5}$/, "$1")) ?? parseIPv6(plain);
}

function parseIPv4(text: string): IpAddress | undefined {
  const bytes = IPV4.exec(text)?.slice(1).map(Number);
  if (bytes === undefined || bytes.some((byte) => byte > 255)) return undefined;
  const address = bytes.join(".");
  return { text: address, family: "ipv4", network: address };
}

function parseIPv6(text: string): IpAddress | undefined {
  const [address = ""] = text.split("%");
  if (!isIPv6(address)) return undefined;
  const groups = groupsOf(address);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped)
    return parseIPv4(
      groups
        .slice(6)
        .flatMap((group) => [group >> 8, group & 255])
        .join("."),
    );
  const network = groups.slice(0, 4).map((group) => group.toString(16));
  return {
    text: new URL(`http://[${address}]`).hostname.slice(1, -1),
    family: "ipv6",
    network: `${network.join(":")}::/64`,
  };
}

function groupsOf(address: string): number[] {
  const plain = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) => `${hexPair(a, b)}:${hexPair(c, d)}`);
  const [head = "", tail] = plain.split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16)));
  const [front, back] = [groups(head), groups(tail ?? "")];
  return [...front, ...new Array<number>(8 - front.length - back.length).fill(0), ...back];
}

function hexPair(high: string, low: string): string {
  return (Number(high) * 256 + Number(low)).toString(16);
}
