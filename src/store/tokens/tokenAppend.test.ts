import assert from "node:assert/strict";
import { test } from "node:test";
import type { Bytes } from "../../chain/bytes.ts";
import type { TokenTransfer } from "../../chain/tokenTransfer.ts";
import { Dictionary } from "../dictionary.ts";
import { SqliteEngine } from "../engine/sqlite.ts";
import { KeyedHash } from "../keyedHash.ts";
import { migrate } from "../migrations/migrate.ts";
import { TokenAppender } from "./tokenAppend.ts";
import { TokenTables } from "./tokenTables.ts";

function addressOf(number: number): Bytes {
  const address = new Uint8Array(20).fill(1);
  new DataView(address.buffer).setUint32(16, number);
  return address;
}

test("transfers derived from rows leave no more addresses in memory than the dictionary may keep", async () => {
  const engine = new SqliteEngine({ path: ":memory:" });
  await migrate(engine);
  const hash = new KeyedHash(KeyedHash.newSecret());
  const written = new Dictionary(engine, hash, "address", 20, 1000);
  for (let number = 0; number < 200; number++) written.note(addressOf(number));
  await written.load(1, [200]);
  await written.flush();
  const addresses = new Dictionary(engine, hash, "address", 20, 50);
  const transfers = Array.from({ length: 199 }, (_, at): TokenTransfer => {
    const [token, from, to] = [addressOf(0), addressOf(at), addressOf(at + 1)];
    return { kind: "ERC-20", token, from, to, amount: new Uint8Array(32), logIndex: at, transactionIndex: 0 };
  });

  const appender = new TokenAppender(new TokenTables(engine, hash), addresses, undefined, {
    journalFrom: 0,
    firstNew: 1,
  });
  await appender.add([{ number: 0, transfers }]);
  await appender.finish();

  for (let number = 0; number < 200; number++) addresses.note(addressOf(number));
  assert.ok(addresses.noted >= 150, `${200 - addresses.noted} are kept`);
  await engine.close();
});
