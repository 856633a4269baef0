import assert from "node:assert/strict";
import { BlockList } from "node:net";
import { test } from "node:test";
import { Random } from "../../test/support/random.ts";
import { firstSeed } from "../../test/support/seed.ts";
import { clientNetwork } from "./clientNetwork.ts";

test("an IPv4 address is a client, however it is written", () => {
  assert.equal(clientNetwork("203.0.113.7"), "203.0.113.7");
  assert.equal(clientNetwork("::ffff:203.0.113.7"), "203.0.113.7");
  assert.notEqual(clientNetwork("203.0.113.7"), clientNetwork("203.0.113.8"));
});

test("addresses of one /64 are one client", () => {
  const same = ["2001:db8:0:7::1", "2001:0db8:0000:0007:ffff:ffff:ffff:ffff", "2001:DB8:0:7:a:b:c:d", "2001:db8:0:7::"];

  assert.deepEqual([...new Set(same.map(clientNetwork))], ["2001:db8:0:7::/64"]);
  assert.equal(clientNetwork("fe80::1%eth0"), "fe80:0:0:0::/64");
  assert.equal(clientNetwork("::1"), "0:0:0:0::/64");
  assert.equal(clientNetwork("64:ff9b::192.0.2.1"), "64:ff9b:0:0::/64");
  assert.notEqual(clientNetwork("2001:db8:0:8::1"), "2001:db8:0:7::/64");
});

test("two addresses are one client where the system says that they share a /64", () => {
  const seed = firstSeed();
  const random = new Random(seed);
  const group = () => random.pick(["0", "0", "1", "00ab", "ffff", "AB"]);
  const spell = () => {
    const groups = Array.from({ length: 8 }, group);
    const text = groups.join(":");
    return random.chance(0.5) ? text : text.replace(/(^|:)0+(:0+)+(:|$)/, "::");
  };

  for (let round = 0; round < 300; round++) {
    const [one, other] = [spell(), spell()];
    const list = new BlockList();
    list.addSubnet(one, 64, "ipv6");
    const isSame = clientNetwork(one) === clientNetwork(other);
    assert.equal(isSame, list.check(other, "ipv6"), `seed ${seed}: ${one} and ${other}`);
    assert.equal(clientNetwork(one), clientNetwork(new URL(`http://[${one}]`).hostname.slice(1, -1)), `seed ${seed}`);
  }
});
