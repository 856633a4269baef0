import { isIPv6 } from "node:net";

/** An address, however it was spelled. IPv4 addresses inside IPv6 (`::ffff:0:0/96`) are IPv4. */
export interface IpAddress {
  /** As WHATWG URLs have it, without brackets: lower case, no leading zeros. */
  readonly text: string;
  readonly family: "ipv4" | "ipv6";
  /** The IPv4 address itself, or the /64 network of an IPv6 address: what one subscriber has. */
  readonly network: string;
}

/** More is no address in any spelling. */
const MAX_LENGTH = 100;

const IPV4 = /^(\d{1,4})\.(\d{1,4})\.(\d{1,4})\.(\d{1,4})$/;

/**
 * Reads an address as it stands in `X-Forwarded-For` and the like: with or without a port, brackets, quotes or zone.
 * Numbers with leading zeros are decimal, as proxies that pad them mean them.
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

/** The eight groups of a valid address. */
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
