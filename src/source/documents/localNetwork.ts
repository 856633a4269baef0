import { BlockList } from "node:net";

/** Separate lists: a combined one would match IPv4 addresses as IPv6. */
const LOCAL = { ipv4: new BlockList(), ipv6: new BlockList() };

for (const [address, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const) {
  LOCAL.ipv4.addSubnet(address, bits, "ipv4");
}

for (const [address, bits] of [
  ["::", 96],
  ["::ffff:0:0", 96],
  ["64:ff9b::", 32],
  ["100::", 64],
  ["2002::", 16],
  ["fc00::", 7],
  ["fe80::", 9],
  ["ff00::", 8],
] as const) {
  LOCAL.ipv6.addSubnet(address, bits, "ipv6");
}

/** True for loopback, private, link-local, reserved and IPv4-embedding addresses. */
export function isLocal(address: string, family: number): boolean {
  const version = family === 6 ? "ipv6" : "ipv4";
  return LOCAL[version].check(address, version);
}
