import { isIPv6 } from "node:net";

/** Who is counted as one client: an IPv4 address, or the 2^64 addresses of IPv6 that a household has. */
export function clientNetwork(ip: string): string {
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip) ?? [];
  if (mapped !== undefined) return mapped;
  const [address = ""] = ip.split("%");
  return isIPv6(address) ? `${groupsOf(address).slice(0, 4).join(":")}::/64` : ip;
}

/** The eight groups of an address, zeros included. An IPv4 address at its end is in the half that nobody needs. */
function groupsOf(address: string): string[] {
  const [head = "", tail] = address.split("::");
  const groups = (text: string) => text.split(":").filter((group) => group !== "");
  const [front, back] = [groups(head), groups(tail ?? "")];
  const size = back.at(-1)?.includes(".") ? back.length + 1 : back.length;
  const zeros = tail === undefined ? 0 : 8 - front.length - size;
  return [...front, ...Array<string>(zeros).fill("0"), ...back].map((group) =>
    group.toLowerCase().replace(/^0+(?=.)/, ""),
  );
}
