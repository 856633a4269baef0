import assert from "node:assert/strict";
import { test } from "node:test";
import { assemble } from "../../../test/support/assembler.ts";
import { CodeChain } from "../../../test/support/codeChain.ts";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { decodeLogged } from "./loggedBlock.ts";
import { decodeStored, encodeStored } from "./stored.ts";

const CASES = Number(process.env.ORIEL_CASES ?? 20);
const SEED = firstSeed();
const at = (index: number): Hex => `0x${(0xc0 + index).toString(16).padStart(40, "0")}`;

/** Logs with none to four topics, and none to three hundred bytes of data. */
function logging(random: Random): Hex {
  const hex = (value: number) => value.toString(16).padStart(4, "0");
  const log = () => {
    const topics = random.int(5);
    const words = Array.from({ length: topics }, () => `PUSH32 ${Buffer.from(random.bytes(32)).toString("hex")} `);
    return `${words.join("")}PUSH2 ${hex(random.int(300))} PUSH1 00 LOG${topics} `;
  };
  return assemble(`${Array.from({ length: random.int(6) }, log).join("")}STOP`);
}

test(`the logs of a stored block are those of its whole decoding (seed ${SEED})`, async () => {
  const random = new Random(SEED);
  const contracts = Array.from({ length: 8 }, (_, index) => [at(index), { code: logging(random) }] as const);
  const chain = await CodeChain.open(Object.fromEntries(contracts));
  for (let index = 0; index < CASES; index++) {
    const calls = Array.from({ length: random.int(5) }, () => ({ to: at(random.int(9)) }));
    const block = await chain.mine(...calls);
    const stored = encodeStored(block);

    const { header, transactions, receipts } = decodeLogged(stored);

    const whole = decodeStored(stored, chain.chain.rules.at(block.header));
    const { number, timestamp, hash } = whole.header;
    assert.deepEqual([header.number, header.timestamp, toHex(header.hash)], [number, timestamp, toHex(hash)]);
    assert.deepEqual(
      transactions.map((tx) => toHex(tx.hash)),
      whole.transactions.map((tx) => toHex(tx.hash)),
    );
    const shown = (list: typeof receipts) =>
      list.map(({ logs }) =>
        logs.map(({ address, topics, data, logIndex }) => [toHex(address), toHex(topics), toHex(data), logIndex]),
      );
    assert.deepEqual(shown(receipts), shown(whole.receipts));
  }
});
