import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../test/support/random.ts";
import { EMPTY } from "../encoding/bytes.ts";
import { toHex } from "../encoding/hex.ts";
import { bloomBits, logsBloom, mayContain } from "./bloom.ts";
import { keccak256 } from "./keccak.ts";

test("the bloom of a hundred texts is the one geth computes", () => {
  const logs = Array.from({ length: 100 }, (_, i) => ({
    address: Buffer.from(`xxxxxxxxxx data ${i} yyyyyyyyyyyyyy`),
    topics: EMPTY,
    data: EMPTY,
    logIndex: i,
  }));

  assert.equal(toHex(keccak256(logsBloom(logs))), "0xc8d3ca65cdb4874300a9e39475508f23ed6da09fdbc487f89a2dcf50b09eb263");
});

test("each topic sets its bits as an emitter would, data sets none", () => {
  const random = new Random(3);
  const [address, first, second] = [random.bytes(20), random.bytes(32), random.bytes(32)];
  const log = { address, topics: Buffer.concat([first, second]), data: random.bytes(64), logIndex: 0 };
  const emitters = [address, first, second].map((value) => ({ ...log, address: value, topics: EMPTY }));

  assert.equal(toHex(logsBloom([log])), toHex(logsBloom(emitters)));
});

test("no logs, no bits", () => {
  assert.equal(toHex(logsBloom([])), `0x${"0".repeat(512)}`);
});

test("a bloom may hold what was put in, and surely not what sets other bits", () => {
  const random = new Random(5);
  const [address, topic, other] = [random.bytes(20), random.bytes(32), random.bytes(32)];
  const bloom = logsBloom([{ address, topics: topic, data: EMPTY, logIndex: 0 }]);

  assert.equal(mayContain(bloom, bloomBits(address)), true);
  assert.equal(mayContain(bloom, bloomBits(topic)), true);
  assert.equal(mayContain(bloom, bloomBits(other)), false);
});
