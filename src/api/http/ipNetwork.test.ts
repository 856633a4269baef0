import assert from "node:assert/strict";
import { BlockList } from "node:net";
import { test } from "node:test";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import { parseIpAddress } from "./ipNetwork.ts";

const networkOf = (text: string) => parseIpAddress(text)?.network;

test("an IPv4 address is the same however it is written", () => {
  const spellings = [
    ...["203.0.113.7", "203.0.113.7:443", " 203.0.113.7\t", '"203.0.113.7:1"', "203.000.113.007"],
    ...["::ffff:203.0.113.7", "::FFFF:203.0.113.7", "::ffff:cb00:7107", "0:0:0:0:0:ffff:cb00:7107"],
    ...["[::ffff:203.0.113.7]", "[::ffff:CB00:7107]:8080", "0000:0000:0000:0000:0000:ffff:203.0.113.7%eth0"],
  ];

  for (const spelled of spellings) {
    assert.deepEqual(parseIpAddress(spelled), { text: "203.0.113.7", family: "ipv4", network: "203.0.113.7" }, spelled);
  }
});

test("addresses of one /64 are one network", () => {
  const same = ["2001:db8:0:7::1", "2001:0db8:0000:0007:ffff:ffff:ffff:ffff", "2001:DB8:0:7:a:b:c:d", "2001:db8:0:7::"];

  assert.deepEqual([...new Set(same.map(networkOf))], ["2001:db8:0:7::/64"]);
  assert.equal(networkOf("fe80::1%eth0"), "fe80:0:0:0::/64");
  assert.equal(networkOf("::1"), "0:0:0:0::/64");
  assert.equal(networkOf("64:ff9b::192.0.2.1"), "64:ff9b:0:0::/64");
  assert.notEqual(networkOf("2001:db8:0:8::1"), "2001:db8:0:7::/64");
});

test("what is no address is none", () => {
  const garbage = [
    ...["", "unknown", "_hidden", "-", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.4:", "1.2.3.4:123456", "1.2.3.4:x"],
    ...["0x7f.1.1.1", "[1.2.3.4]", "[::1", "::1]", "[::1]x", "2001:db8:1:2:3:4:5:6:443", "::g", "1.2.3.4, 5.6.7.8"],
    ...[
      "unix:/tmp/x",
      "::ffff:1.2.3.256",
      "١.٢.٣.٤",
      "\u0000",
      "a".repeat(40_000),
      "[".repeat(40_000),
      "1".repeat(40_000),
    ],
  ];

  for (const text of garbage) assert.equal(parseIpAddress(text), undefined, text.slice(0, 40));
});

function spell(random: Random, groups: readonly number[]): string {
  const pad = random.chance(0.3);
  const hex = groups.map((group) => group.toString(16).padStart(pad ? 4 : 1, "0"));
  const dotted = groups.slice(6).flatMap((group) => [group >> 8, group & 255]);
  const isMapped = groups.slice(0, 6).join() === "0,0,0,0,0,65535";
  const port = random.chance(0.5) ? `:${random.between(1, 65_535)}` : "";
  if (isMapped && random.chance(0.5)) {
    const plain = dotted.map((byte) => String(byte).padStart(random.chance(0.2) ? 3 : 1, "0")).join(".");
    return plain + port;
  }
  const last = random.chance(0.3) ? [...hex.slice(0, 6), dotted.join(".")] : hex;
  let text = last.join(":");
  if (random.chance(0.5)) text = text.replace(/(^|:)0+(:0+)+(:|$)/, "::");
  if (random.chance(0.3)) text = text.toUpperCase();
  if (random.chance(0.2)) text += "%eth0";
  return random.chance(0.5) ? `[${text}]${port}` : text;
}

test("two spellings are one network where the system says that the addresses share one", () => {
  const seed = firstSeed();
  const random = new Random(seed);
  const group = () => random.pick([0, 0, 1, 0xab, 0xffff, 0x102]);
  const address = () =>
    random.chance(0.4) ? [0, 0, 0, 0, 0, 0xffff, group(), group()] : Array.from({ length: 8 }, group);

  for (let round = 0; round < 2000; round++) {
    const [one, other] = [address(), random.chance(0.3) ? undefined : address()];
    const [first, second] = [spell(random, one), spell(random, other ?? one)];
    const isIPv4 = one.slice(0, 6).join() === "0,0,0,0,0,65535";
    const list = new BlockList();
    list.addSubnet(one.map((each) => each.toString(16)).join(":"), isIPv4 ? 128 : 64, "ipv6");
    const asIPv6 = (other ?? one).map((each) => each.toString(16)).join(":");
    const isOtherIPv4 = (other ?? one).slice(0, 6).join() === "0,0,0,0,0,65535";
    const isSame = networkOf(first) !== undefined && networkOf(first) === networkOf(second);
    // IPv4 addresses belong to no IPv6 /64, even one with a zero prefix.
    const expected = isIPv4 === isOtherIPv4 && list.check(asIPv6, "ipv6");
    assert.equal(isSame, expected, `seed ${seed}: ${first} and ${second}`);
  }
});
