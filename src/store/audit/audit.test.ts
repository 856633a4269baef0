import assert from "node:assert/strict";
import { test } from "node:test";
import { autocommit } from "../../../test/support/autocommit.ts";
import { describeEngines } from "../../../test/support/engines.ts";
import { SimulatedChain } from "../../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../../test/support/simulatedSource.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { openStore } from "../openStore.ts";
import type { Store } from "../store.ts";
import { auditStore } from "./audit.ts";

describeEngines((tested) => {
  const TABLES = [
    ["block", "number", "body"],
    ["block", "number", "totals"],
    ["tx", "position", "body"],
    ["address_tx_tail", "owner", "sent"],
    ["address_tx_tail", "owner", "called"],
    ["address", "id", "value"],
    ["signature", "id", "value"],
    ["address_tx_tail", "owner", "body"],
    ["address_log_tail", "owner", "body"],
    ["signature_log_tail", "owner", "body"],
    ["miner", "id", "value"],
    ["miner_block_tail", "owner", "body"],
  ] as const;

  async function indexed(seed: number): Promise<Store> {
    const chain = new SimulatedChain({ seed });
    chain.mine(8);
    const store = await openStore(tested.memory, chain.chainId);
    const blocks = await simulatedSource(chain).blocks(0, chain.length);
    await store.append({ head: 8, blocks: blocks });
    return store;
  }

  /** Blob references in the chain below. */
  const NAMED = 6;

  const STRAY = {
    "UPDATE address_hash SET prefix = prefix + 1 WHERE value = 5": "address 5 is not found by its value",
    "UPDATE address_hash SET value = 3 - value WHERE value < 3": "address 1 is not found by its value",
    "UPDATE address_hash SET fingerprint = fingerprint + 1 WHERE value = 5":
      "address 5 has the fingerprint of another value",
    "UPDATE miner_hash SET fingerprint = fingerprint + 1 WHERE value = 2":
      "miner 2 has the fingerprint of another value",
    "UPDATE signature_hash SET prefix = prefix + 1 WHERE value = 2": "signature 2 is not found by its value",
    "UPDATE address SET value = (SELECT value FROM address WHERE id = 4) WHERE id = 5": "address 4 and 5 are the same",
    "INSERT INTO address_tx_run VALUES (1, 0, x'01')": "the transactions of an owner have runs that no list counts",
    "INSERT INTO address_log_run VALUES (1, 0, x'0101')": "the logs of an owner have runs that no list counts",
    "INSERT INTO signature_log_run VALUES (1, 0, x'01')": "the logs of an owner have runs that no list counts",
    "DELETE FROM signature_log_tail WHERE owner = 1": "signature 1 has no list of its logs",
    "INSERT INTO address_log_count VALUES (1, 0, 0, x'0101')":
      "there are counts of signatures of lists that are shorter",
    "UPDATE miner_hash SET prefix = prefix + 1 WHERE value = 2": "miner 2 is not found by its value",
    "UPDATE miner SET id = 99 WHERE id = 1": "miner 99 is another than the headers say",
    "DELETE FROM miner_block_tail WHERE owner = 2": "miner 2 has no list of its blocks",
    "INSERT INTO miner_block_run VALUES (1, 0, x'01')": "the blocks of an owner have runs that no list counts",
    "INSERT INTO blob_hash VALUES (1, 2)": `there are ${NAMED + 1} entries of blob_hash, not ${NAMED}`,
    "DELETE FROM blob_hash": `there are 0 entries of blob_hash, not ${NAMED}`,
    "UPDATE contract SET position = position + 1":
      "the contract that 0x2bbdbf694db294dc015d431be44b1e318d58e33eee0427b9dcf0cc8087a10613 made is not known as one",
    "INSERT INTO contract VALUES (1, 2)": "the number of contracts is wrong",
    "UPDATE address_tx_tail SET sent = x'' WHERE owner = 12": "the number of senders is wrong",
    "UPDATE address_tx_tail SET sent = x'010100' WHERE owner = 12": "the counters of sender 12 are wrong",
    "INSERT INTO address_tx_tail VALUES (9999, 1, x'01', x'010100', x'')": "the counters of sender 9999 are wrong",
    "INSERT INTO address_tx_tail VALUES (9999, 1, x'01', x'', x'0101')":
      "what was sent to address 9999 is counted wrongly",
    "INSERT INTO address_tx_tail VALUES (9999, 1, x'01', x'', x'')":
      "the transactions of address 9999 are not those of the facts",
    "INSERT INTO address_log_tail VALUES (-5, 1, x'0101')": "the logs of address -5 are not those of the facts",
    "DELETE FROM address_tx_tail WHERE owner = 2": "address 2 has no list of its transactions",
    "UPDATE address_tx_tail SET body = x'ff' WHERE owner = 2":
      "the transactions of address 2 are not those of the facts",
    "INSERT INTO tx_hash VALUES (1, 2)": "there are 33 entries of tx_hash, not 32",
    "INSERT INTO block_time VALUES (3, 9999999999)": "block 3 has another latest time than the blocks up to it",
    "UPDATE active_day SET addresses = addresses + 1": "day 19675 has 28 active addresses, not 29",
    "UPDATE active_day SET first = first + 1": "day 19675 has another first block than 1",
    "DELETE FROM active_day": "there are 0 rows of active_day, not 1",
    "INSERT INTO active_day VALUES (7, 1, 0)": "day 7 has another first block than 1",
    "DELETE FROM journal WHERE block = 5": "the journal of block 5 lacks sender 53",
    "UPDATE journal SET before = NULL WHERE block = 7": "the journal of block 7 restores sender 1 wrongly",
    "UPDATE journal SET before = x'ff' WHERE block = 7": "the journal of block 7 restores sender 1 wrongly",
    "INSERT INTO journal VALUES (6, 'sent', 9999, NULL)":
      "the journal of block 6 has sender 9999, which it did not change",
    "UPDATE journal SET block = 900 WHERE block = 5": "journal has rows of blocks that are not to be unwound",
    "DELETE FROM block WHERE number = 3": "block 4 does not join",
    "INSERT INTO journal VALUES (6, 'nothing', 1, NULL)": "the journal has rows of no table",
  };

  for (const [sql, problem] of Object.entries(STRAY)) {
    test(`audit says after ${sql}: ${problem}`, async () => {
      const store = await indexed(4);
      await autocommit(store.database).run(tested.sql(sql));

      const problems = await store.read(auditStore);

      assert.ok(problems.includes(problem), problems.join("\n"));
      for (const idBatchSize of [1, 7, 40]) {
        const inRanges = await store.read((session) => auditStore(session, { idBatchSize }));
        assert.deepEqual(inRanges.sort(), problems.sort(), `${idBatchSize} ids at once`);
      }
      await store.close();
    });
  }

  test("audit finds any byte that is another than it was, in every table", async () => {
    const store = await indexed(3);
    assert.deepEqual(await store.read(auditStore), []);

    for (const [table, key, column] of TABLES) {
      const rows = await store.database.all(
        `SELECT ${key}, ${column} FROM ${table} WHERE length(${column}) > 0 ORDER BY ${key} DESC LIMIT 2`,
      );
      assert.ok(rows.length > 0, table);
      for (const [id, value] of rows) {
        const put = (bytes: Bytes) =>
          autocommit(store.database).run(`UPDATE ${table} SET ${column} = ? WHERE ${key} = ?`, bytes, id!);
        for (let at = 0; at < (value as Bytes).length; at += 1 + Math.floor((value as Bytes).length / 60)) {
          const damaged = (value as Bytes).slice();
          damaged[at]! ^= 1 << (at % 8);
          await put(damaged);
          assert.notDeepEqual(await store.read(auditStore), [], `${table} ${id} byte ${at}`);
        }
        await put(value as Bytes);
      }
    }
    assert.deepEqual(await store.read(auditStore), []);
    await store.close();
  });
});
