import assert from "node:assert/strict";
import { test } from "node:test";
import { autocommit } from "../../../../test/support/autocommit.ts";
import { describeEngines } from "../../../../test/support/engines.ts";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import type { TokenTransfer } from "../../../chain/token/tokenTransfer.ts";
import { Dictionary } from "../../dictionary/dictionary.ts";
import { KeyedHash } from "../../dictionary/keyedHash.ts";
import { readSigned } from "../../rows/signedAmount.ts";
import { migrate } from "../../schema/migrate.ts";
import { MIGRATIONS } from "../../schema/schema.ts";
import { readHolding } from "./tables/holdings.ts";
import { labelsOf } from "./tables/tokenLabels.ts";
import { tokenState } from "./tables/tokenState.ts";
import { TokenTables } from "./tables/tokenTables.ts";
import { TokenAppender } from "./tokenAppend.ts";

describeEngines((tested) => {
  function addressOf(number: number): Bytes {
    const address = new Uint8Array(20).fill(1);
    new DataView(address.buffer).setUint32(16, number);
    return address;
  }

  test("transfers derived from rows leave no more addresses in memory than the dictionary may keep", async () => {
    const engine = await tested.open();
    await migrate(engine, MIGRATIONS);
    const hash = new KeyedHash(KeyedHash.newSecret());
    const written = new Dictionary<"address id">(hash, "address", 20, 1000);
    for (let number = 0; number < 200; number++) written.note(addressOf(number));
    await written.load(engine, 1, [200]);
    await written.flush(autocommit(engine));
    const addresses = new Dictionary<"address id">(hash, "address", 20, 50);
    const transfers = Array.from({ length: 199 }, (_, at): TokenTransfer => {
      const [token, from, to] = [addressOf(0), addressOf(at), addressOf(at + 1)];
      return { kind: "ERC-20", token, from, to, amount: new Uint8Array(32), logIndex: at, transactionIndex: 0 };
    });

    const appender = new TokenAppender(new TokenTables(hash), addresses, undefined, {
      journalFrom: 0,
      firstNew: 1,
    });
    await appender.add(engine, [{ number: 0, transfers }]);
    await appender.finish(autocommit(engine));

    for (let number = 0; number < 200; number++) addresses.note(addressOf(number));
    assert.ok(addresses.noted >= 150, `${200 - addresses.noted} are kept`);
    await engine.close();
  });

  test("a token that mints all of 256 bits to itself a thousand times is added up and labelled", async () => {
    const engine = await tested.open();
    await migrate(engine, MIGRATIONS);
    const hash = new KeyedHash(KeyedHash.newSecret());
    const addresses = new Dictionary<"address id">(hash, "address", 20, 1000);
    const token = addressOf(0);
    addresses.note(token);
    await addresses.load(engine, 1, [1]);
    const amount = new Uint8Array(32).fill(0xff);
    const from = new Uint8Array(20);
    const transfers = Array.from({ length: 1000 }, (_, at): TokenTransfer => {
      return { kind: "ERC-20", token, from, to: token, amount, logIndex: at, transactionIndex: 0 };
    });

    const appender = new TokenAppender(new TokenTables(hash), addresses, undefined, {
      journalFrom: 0,
      firstNew: 1,
    });
    await appender.add(engine, [{ number: 0, transfers }]);
    await appender.finish(autocommit(engine));

    const all = 1000n * (2n ** 256n - 1n);
    const [holding] = await engine.all("SELECT value FROM holding WHERE address = 1 AND asset = 1");
    const { amount: held, transfers: listed } = readHolding(holding![0] as Bytes);
    assert.deepEqual([held, listed.count], [all, 1000]);
    const [row] = await engine.all("SELECT value FROM token WHERE id = 1");
    const state = tokenState.read(row![0] as Bytes);
    assert.deepEqual([state.supply, state.holders], [all, 1]);
    assert.deepEqual(labelsOf(state, { ledger: undefined, isComplete: true }), ["inconsistent"]);
    const [rank] = await engine.all("SELECT amount FROM holder WHERE token = 1");
    assert.equal(readSigned(rank![0] as Bytes), all);
    await engine.close();
  });
});
