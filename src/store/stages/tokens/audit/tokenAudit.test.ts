import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { transact } from "../../../../../test/support/autocommit.ts";
import { describeEngines } from "../../../../../test/support/engines.ts";
import { observeAll } from "../../../../../test/support/namedTokens.ts";
import { SimulatedChain } from "../../../../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../../../../test/support/simulatedSource.ts";
import { transfersOf } from "../../../../indexer/events/transfers.ts";
import { Indexer } from "../../../../indexer/indexer.ts";
import { STAGES } from "../../../../indexer/stages.ts";
import type { Writer } from "../../../engine/database.ts";
import { openStore } from "../../../openStore.ts";
import type { ReadSession } from "../../../session.ts";
import { Reads } from "../../../session.ts";
import type { Store } from "../../../store.ts";
import { auditTokens } from "./tokenAudit.ts";

describeEngines((tested) => {
  let store: Store;

  before(async () => {
    const chain = new SimulatedChain({
      seed: 12,
      traffic: { addresses: 12, fresh: 0.02, logs: [0, 60], wrappers: 40 },
    });
    chain.mine(40);
    store = await openStore(tested.memory, chain.chainId);
    const indexer = new Indexer({ store, source: simulatedSource(chain), stages: STAGES });
    while ((await indexer.step()) !== "idle");
    await observeAll(store, (token) => ({ name: `Coin ${token}`, symbol: token % 2 === 0 ? null : "COIN" }));
  });

  after(() => store.close());

  /** Condition that selects one row. */
  const one = (table: string, key: string, where = "1 = 1") =>
    `${key} = (SELECT max(${key}) FROM ${table} WHERE ${where})`;

  /** Changes the last byte of a column. */
  const corrupt = (table: string, column: string, where: string) =>
    `UPDATE ${table} SET ${column} = CAST(substr(${column}, 1, length(${column}) - 1) || CASE substr(${column}, length(${column})) WHEN x'01' THEN x'02' ELSE x'01' END AS BLOB) WHERE ${where}`;

  const pair = (table: string, where = "1 = 1") =>
    `(address, asset) = (SELECT address, asset FROM ${table} WHERE ${where} ORDER BY address DESC, asset DESC LIMIT 1)`;

  /** Length of the amount, its own length and sign, then a digit. */
  const ANOTHER_AMOUNT = "CAST(substr(value, 1, 2) || x'07' || substr(value, 4) AS BLOB)";

  const DAMAGE: Readonly<Record<string, readonly [sql: string, problem: RegExp]>> = {
    "a token that is ranked too high": [
      "UPDATE token_rank SET rank = rank - 1 WHERE list = 0 AND token = (SELECT max(id) FROM token)",
      /^token \d+ is ranked where it does not belong$/,
    ],
    "a token in the list of another standard": [
      "UPDATE token_rank SET list = CASE list WHEN 3 THEN 2 ELSE 3 END WHERE list > 0 AND token = (SELECT max(id) FROM token)",
      /^token \d+ is ranked where it does not belong$/,
    ],
    "a token that is not ranked": [
      "DELETE FROM token_rank WHERE list = 0 AND token = (SELECT max(id) FROM token)",
      /^1 tokens are not in list 0$/,
    ],
    "a rank of what is no token": [
      "INSERT INTO token_rank VALUES (1, -7, 9999)",
      /^token 9999 is ranked where it does not belong$/,
    ],
    "a count of tokens": [
      "UPDATE token_rank_count SET tokens = tokens + 1 WHERE list = 1",
      /^the lists of tokens are not counted as they are$/,
    ],
    "an asset that is missing": [
      "DELETE FROM asset WHERE (address, list, asset) = (SELECT address, list, asset FROM asset LIMIT 1)",
      /^address \d+ has asset \d+ of list \d$/,
    ],
    "an asset that nobody has": [
      "INSERT INTO asset VALUES (9999, 0, 9999)",
      /^no holding tells of asset 9999 of list 0 that address 9999 has$/,
    ],
    "a count of assets": [
      corrupt("asset_count", "value", one("asset_count", "id")),
      /^what address \d+ has is not counted as it is$/,
    ],
    "a count of assets that is missing": [
      `DELETE FROM asset_count WHERE ${one("asset_count", "id")}`,
      /^what address \d+ has is not counted as it is$/,
    ],
    "a count of what nobody has": [
      "INSERT INTO asset_count SELECT 9999, value FROM asset_count LIMIT 1",
      /^there are counts of assets that address 9999 does not have$/,
    ],
    "a balance that was deposited": [
      corrupt("wrapper", "value", one("wrapper", "id", "length(value) > 3")),
      /^the deposits of contract \d+ add up to something else$/,
    ],
    "deposits that nobody counts": [
      "DELETE FROM wrapper WHERE substr(value, 1, 1) = x'00'",
      /^block \d+ has a deposit that no contract \d+ counts$/,
    ],
    "deposits that were not carried over": [
      "UPDATE wrapper SET value = x'02' WHERE substr(value, 1, 1) = x'01'",
      /^the deposits of contract \d+ add up to something else$/,
    ],
    "a token that is said to mint by something else": [
      "UPDATE token SET value = CAST(x'01' || substr(value, 2) AS BLOB) WHERE substr(value, 1, 1) = x'09'",
      /^token \d+ has wrong mints$/,
    ],
    "an amount of a transfer": [
      corrupt("transfer", "body", one("transfer", "position")),
      /^transfer \d+ of block \d+ is not what its log says$/,
    ],
    "a transfer that is missing": [
      `DELETE FROM transfer WHERE ${one("transfer", "position")}`,
      /^block \d+ has \d+ transfers, its logs tell of \d+$/,
    ],
    "a transfer that no log tells of": [
      "INSERT INTO transfer SELECT position + 1, body FROM transfer ORDER BY position DESC LIMIT 1",
      /^block \d+ has \d+ transfers, its logs tell of \d+$/,
    ],
    "a transfer of a block that is not there": [
      "INSERT INTO transfer SELECT position + 1048576000, body FROM transfer ORDER BY position DESC LIMIT 1",
      /^there are \d+ rows of transfer, not \d+$/,
    ],
    "a transfer that stands elsewhere": [
      `UPDATE transfer SET position = position + 1 WHERE ${one("transfer", "position")}`,
      /^a transfer of block \d+ is out of place$/,
    ],
    "a transaction that has transfers by its block's row": [
      corrupt("transfer_count", "body", one("transfer_count", "block")),
      /^block \d+ says wrongly which of its transactions have transfers$/,
    ],
    "a block with transfers and without such a row": [
      `DELETE FROM transfer_count WHERE ${one("transfer_count", "block")}`,
      /^block \d+ says wrongly which of its transactions have transfers$/,
    ],
    "such a row of a block that is not there": [
      "INSERT INTO transfer_count SELECT max(block) + 1000, x'0001' FROM transfer_count",
      /^there are \d+ rows of transfer_count, not \d+$/,
    ],
    "a log that tells something else": [
      corrupt(
        "tx",
        "body",
        "position = (SELECT t.position FROM tx t JOIN transfer f ON f.position / 1048576 = t.position / 1048576 ORDER BY length(t.body) DESC LIMIT 1)",
      ),
      /is not what its log says$|its logs tell of|cannot be read|add up to something else$/,
    ],
    "a block without its row": [
      "DELETE FROM token_block WHERE number = 20",
      /^the transfers of block 21 do not follow those of the block before$/,
    ],
    "a first block without its row": [
      "DELETE FROM token_block WHERE number = 0",
      /^the transfers of block 1 do not follow/,
    ],
    "totals of a block": [
      corrupt("token_block", "totals", "number = 20"),
      /^the tokens stage has wrong totals at block 20$/,
    ],
    "a digest": [
      corrupt("token_block", "digest", "number = 20"),
      /^the tokens stage has another digest at block 20 than its rows$/,
    ],
    "a cursor that is not at the tip": [
      "UPDATE stage SET block = block - 1 WHERE name = 'tokens'",
      /^the tokens stage is not at its newest block$/,
    ],
    "a cursor with another digest": [
      corrupt("stage", "digest", "name = 'tokens'"),
      /^the tokens stage is not at its newest block$/,
    ],
    "no cursor": ["DELETE FROM stage WHERE name = 'tokens'", /^the tokens stage is not at its newest block$/],
    "an item that is another": [
      corrupt("item", "value", one("item", "id")),
      /^transfer \d+ of block \d+ is not what its log says$/,
    ],
    "an item that is missing": [
      `DELETE FROM item WHERE ${one("item", "id")}`,
      /^transfer \d+ of block \d+ is not what its log says$/,
    ],
    "an item that no transfer has": [
      `INSERT INTO item SELECT max(id) + 1, x'${"00".repeat(36)}' FROM item`,
      /^there are \d+ rows of item, not \d+$/,
    ],
    "an item that is not found": [
      `DELETE FROM item_hash WHERE ${one("item_hash", "value")}`,
      /^item \d+ is not found by its value$/,
    ],
    "an item under another key": [
      `UPDATE item_hash SET prefix = prefix + 1 WHERE ${one("item_hash", "value")}`,
      /^item \d+ is not found by its value$/,
    ],
    "items under each other's keys": [
      "UPDATE item_hash SET value = 3 - value WHERE value IN (1, 2)",
      /^item [12] is not found by its value$/,
    ],
    "a key of no item": [
      "INSERT INTO item_hash VALUES (77, (SELECT max(id) + 1 FROM item), 5)",
      /^there are \d+ entries of item_hash, not \d+$/,
    ],
    "kinds of a token": [
      "UPDATE token SET value = CAST((CASE substr(value, 1, 1) WHEN x'01' THEN x'02' ELSE x'01' END) || substr(value, 2) AS BLOB)",
      /^token \d+ has wrong kinds$/,
    ],
    "holders of a token": [
      "UPDATE token SET value = CAST(substr(value, 1, 1) || x'7b' || substr(value, 3) AS BLOB) WHERE substr(value, 2, 1) < x'7b'",
      /^token \d+ has wrong holders$/,
    ],
    "debtors of a token": [
      "UPDATE token SET value = CAST(substr(value, 1, 2) || x'7b' || substr(value, 4) AS BLOB) WHERE substr(value, 2, 1) < x'7b'",
      /^token \d+ has wrong debtors$/,
    ],
    "a supply": [corrupt("token", "value", one("token", "id", "length(value) > 5")), /^token \d+ has wrong supply$/],
    "a token that is missing": [`DELETE FROM token WHERE ${one("token", "id")}`, /^there is no row of token \d+$/],
    "a token that no transfer tells of": [
      "INSERT INTO token SELECT 9999, value FROM token LIMIT 1",
      /^no transfer tells of token 9999$/,
    ],
    "a balance": [
      `UPDATE holding SET value = ${ANOTHER_AMOUNT} WHERE ${pair("holding", "length(value) > 40")}`,
      /^the transfers add up to another amount of token \d+ that address \d+ has$/,
    ],
    "a number of transfers": [
      "UPDATE holding SET value = CAST(substr(value, 1, 11) || x'7b' || substr(value, 13) AS BLOB) WHERE substr(value, 1, 1) = x'0a' AND substr(value, 12, 1) < x'7b'",
      /^the number of transfers is wrong of token \d+ that address \d+ has$/,
    ],
    "a list of transfers of a pair": [
      corrupt("holding", "value", pair("holding")),
      /^the list of transfers is wrong of token \d+ that address \d+ has$/,
    ],
    "a holding that is missing": [
      `DELETE FROM holding WHERE ${pair("holding")}`,
      /^there is no row of token \d+ that address \d+ has$/,
    ],
    "a holding that no transfer tells of": [
      "INSERT INTO holding SELECT 9999, asset, value FROM holding LIMIT 1",
      /^no transfer tells of token \d+ that address 9999 has$/,
    ],
    "a holding of the zero address": [
      "INSERT INTO holding SELECT 0, asset, value FROM holding LIMIT 1",
      /^no transfer tells of token \d+ that address 0 has$/,
    ],
    "a run of a pair": [
      corrupt("holding_run", "body", pair("holding_run")),
      /^the list of transfers is wrong of token \d+ that address \d+ has$/,
    ],
    "a run of a pair that is missing": [
      `DELETE FROM holding_run WHERE ${pair("holding_run")}`,
      /^the list of transfers is wrong of token \d+ that address \d+ has$/,
    ],
    "a run of a pair in another place": [
      `UPDATE holding_run SET ordinal = ordinal + 1 WHERE ${pair("holding_run")}`,
      /^the list of transfers is wrong of token \d+ that address \d+ has$/,
    ],
    "a run of no pair": [
      "INSERT INTO holding_run SELECT 9999, asset, ordinal, body FROM holding_run LIMIT 1",
      /^there are runs of transfers that no holding counts$/,
    ],
    "a balance of an item": [
      `UPDATE item_holding SET value = ${ANOTHER_AMOUNT} WHERE ${pair("item_holding", "length(value) > 4")}`,
      /^the transfers add up to another amount of item \d+ that address \d+ has$/,
    ],
    "a holding of an item that is missing": [
      `DELETE FROM item_holding WHERE ${pair("item_holding")}`,
      /^there is no row of item \d+ that address \d+ has$/,
    ],
    "a rank by another amount": [
      corrupt("holder", "amount", one("holder", "token")),
      /^the holders of token \d+ are not ranked by what they have$/,
    ],
    "a rank of another address": [
      `UPDATE holder SET address = 9999 WHERE ${one("holder", "token")}`,
      /^the holders of token \d+ are not ranked by what they have$/,
    ],
    "a rank that is missing": [
      `DELETE FROM holder WHERE ${one("holder", "amount")}`,
      /^the holders of token \d+ are not ranked by what they have$/,
    ],
    "a rank in a token that is none": [
      "INSERT INTO holder SELECT 9999, amount, address FROM holder LIMIT 1",
      /^the holders of token 9999 are not ranked by what they have$/,
    ],
    "a name under which nothing is found": [
      "DELETE FROM token_name WHERE token = (SELECT max(token) FROM token_name) AND place = 1",
      /^token \d+ is not found by its name and symbol$/,
    ],
    "a name of another token": [
      "UPDATE token_observation SET name = 'Other' WHERE token = (SELECT max(token) FROM token_name)",
      /^token \d+ is not found by its name and symbol$/,
    ],
    "a name that nobody said": [
      "INSERT INTO token_name SELECT place, text, 9999 FROM token_name LIMIT 1",
      /^there are \d+ rows of token_name, not \d+$/,
    ],
    "a token without its value before a block": [
      `DELETE FROM journal WHERE source = 'token' AND ${one("journal", "block", "source = 'token'")}`,
      /^the journal of block \d+ lacks token \d+$/,
    ],
    "a token that a block did not change": [
      "INSERT INTO journal SELECT block, source, 9999, before FROM journal WHERE source = 'token' LIMIT 1",
      /^the journal of block \d+ has token 9999, which it did not change$/,
    ],
    "a supply before a block": [
      corrupt("journal", "before", one("journal", "block", "source = 'token' AND length(before) > 5")),
      /^the journal of block \d+ restores token \d+ wrongly$/,
    ],
    "a balance before a block": [
      `UPDATE holding_journal SET before = ${ANOTHER_AMOUNT.replaceAll("value", "before")} WHERE length(before) > 40 AND ${one("holding_journal", "block", "length(before) > 40")}`,
      /^the row \d+ \d+ of block \d+ in holding_journal restores a holding wrongly$/,
    ],
    "a holding that is said to be new": [
      "UPDATE holding_journal SET before = NULL WHERE block = 37",
      /^the row \d+ \d+ of block 37 in holding_journal restores a holding wrongly$/,
    ],
    "a holding without its value before a block": [
      "DELETE FROM holding_journal WHERE block = 21",
      /^the row \d+ \d+ of block 21 in holding_journal is missing$/,
    ],
    "an item without its value before a block": [
      "DELETE FROM item_holding_journal WHERE block = (SELECT max(block) FROM item_holding_journal)",
      /^the row \d+ \d+ of block \d+ in item_holding_journal is missing$/,
    ],
    "a holding that a block did not change": [
      "INSERT INTO holding_journal SELECT block, 9999, asset, before FROM holding_journal LIMIT 1",
      /^the row 9999 \d+ of block \d+ in holding_journal is of nothing that it changed$/,
    ],
    "a journal of a block that is not there": [
      "UPDATE holding_journal SET block = block + 1000 WHERE block = 40",
      /^holding_journal has rows of blocks that are not to be unwound$/,
    ],
    ...listDamage("token_transfer", "transfers", "token"),
    ...listDamage("address_transfer", "transfers", "address"),
    ...listDamage("token_item", "items", "token"),
    ...tailDamage("item_transfer", "transfers", "item"),
    "a holder of an item that is not ranked": [
      `DELETE FROM item_holder WHERE ${one("item_holder", "address")}`,
      /^address \d+ is not where its balance of item \d+ ranks it$/,
    ],
    "an amount of a holder of an item": [
      "UPDATE item_holder SET amount = x'81ff' WHERE address = (SELECT max(address) FROM item_holder)",
      /^address \d+ is not where its balance of item \d+ ranks it$/,
    ],
    "a holder of an item who has none": [
      "INSERT INTO item_holder SELECT token, amount, item, 9999 FROM item_holder LIMIT 1",
      /^there are \d+ holders of items ranked, not \d+$/,
    ],
    "a number of holders of items": [
      "UPDATE item_holder_count SET holders = holders + 1 WHERE list = 0",
      /^the holders of items are not counted by token$/,
    ],
    "a number of holders of an item that nobody has": [
      "INSERT INTO item_holder_count VALUES (1, 9999, 1)",
      /^the holders of items are not counted by item$/,
    ],
  };

  function wrongList(what: string, whose: string): RegExp {
    return new RegExp(`^the ${what} of ${whose} \\d+ are not those of the facts$`);
  }

  function tailDamage(list: string, what: string, whose: string): typeof DAMAGE {
    const isWrong = wrongList(what, whose);
    const owner = one(`${list}_tail`, "owner", "length(body) > 1");
    return {
      [`a tail of ${list}`]: [corrupt(`${list}_tail`, "body", owner), isWrong],
      [`a count of ${list}`]: [`UPDATE ${list}_tail SET count = count + 1 WHERE ${owner}`, isWrong],
      [`a count of ${list} beyond all that can be`]: [`UPDATE ${list}_tail SET count = 9007199254740991`, isWrong],
      [`a list of ${list} that is missing`]: [
        `DELETE FROM ${list}_tail WHERE ${owner}`,
        new RegExp(`^${whose} \\d+ has no list of its ${what}$`),
      ],
    };
  }

  function listDamage(list: string, what: string, whose: string): typeof DAMAGE {
    const isWrong = wrongList(what, whose);
    return {
      ...tailDamage(list, what, whose),
      [`a run of ${list}`]: [corrupt(`${list}_run`, "body", one(`${list}_run`, "owner")), isWrong],
      [`a run of ${list} that is missing`]: [`DELETE FROM ${list}_run WHERE ${one(`${list}_run`, "owner")}`, isWrong],
      [`a run of ${list} that no list counts`]: [
        `INSERT INTO ${list}_run SELECT 9999, ordinal, body FROM ${list}_run LIMIT 1`,
        new RegExp(`^the ${what} of an owner have runs that no list counts$`),
      ],
    };
  }

  test("an audit of a good stage finds nothing", async () => {
    assert.deepEqual(await store.read((session) => auditTokens(session, transfersOf)), []);
  });

  test("an index without the stage has nothing to audit", async () => {
    const chain = new SimulatedChain({ seed: 13 });
    chain.mine(5);
    const plain = await openStore(tested.memory, chain.chainId);
    const indexer = new Indexer({ store: plain, source: simulatedSource(chain) });
    while ((await indexer.step()) !== "idle");

    assert.deepEqual(await plain.read((session) => auditTokens(session, transfersOf)), []);
    await plain.close();
  });

  const TAKEN_BACK = new Error("taken back");

  /** Reads uncommitted state: a snapshot would wait for the transaction. */
  const inTransaction = (writer: Writer) =>
    Object.assign(new Reads(writer, store.latest.addressHasher), { version: 0 }) as ReadSession;

  /** A sample suffices: id ranges do not depend on the damage. */
  const isDivided = (at: number) => at % 8 === 0;

  for (const [at, [what, [sql, problem]]] of Object.entries(DAMAGE).entries()) {
    test(`an audit names ${what}`, async () => {
      const damaged = transact(store.database, async (writer) => {
        await writer.run(tested.sql(sql));
        const problems = await auditTokens(inTransaction(writer), transfersOf);
        assert.ok(
          problems.some((found) => problem.test(found)),
          problems.slice(0, 5).join("\n") || "nothing was found",
        );
        if (isDivided(at)) {
          const inRanges = await auditTokens(inTransaction(writer), transfersOf, { idBatchSize: 40 });
          assert.deepEqual(inRanges.sort(), problems.sort());
        }
        throw TAKEN_BACK;
      });
      await assert.rejects(damaged, TAKEN_BACK);
    });
  }
});
