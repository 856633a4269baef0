import assert from "node:assert/strict";
import { test } from "node:test";
import { numbered, openStage } from "../../../../../test/support/tokenStage.ts";
import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import type { TokenTransfer } from "../../../../chain/token/tokenTransfer.ts";
import type { Database } from "../../../engine/database.ts";
import { AssetReads } from "../read/assetReads.ts";
import { depositCodec, MAX_CARRIED, MAX_DEPOSITORS } from "./depositLedger.ts";
import { readHolding } from "./holdings.ts";
import { tokenState } from "./tokenState.ts";

const NOBODY: Bytes = new Uint8Array(20);
const ADDRESSES = 2000;
const address = (id: number) => numbered(20, id);
const [ALICE, BOB, COIN, OTHER] = [1, 2, 3, 4] as const;

type Fields = Partial<Pick<TokenTransfer, "kind" | "tokenId" | "isWrap">> & { token?: number; transaction?: number };

/** By address id; 0 is the zero address. */
function transfer(from: number, to: number, amount: number, fields: Fields = {}): TokenTransfer {
  const { token = COIN, transaction = 0, ...rest } = fields;
  const party = (id: number) => (id === 0 ? NOBODY : address(id));
  const place = { logIndex: 0, transactionIndex: transaction };
  const value = { token: address(token), from: party(from), to: party(to), amount: numbered(32, amount) };
  return { kind: "ERC-20", ...value, ...place, ...rest };
}

const deposit = (who: number, amount: number, fields: Fields = {}) =>
  transfer(0, who, amount, { isWrap: true, ...fields });
const withdrawal = (who: number, amount: number, fields: Fields = {}) =>
  transfer(who, 0, amount, { isWrap: true, ...fields });

/** `holder:balance`, listed transfers, and stored state. */
async function stateOf(database: Database, token: number = COIN) {
  const rows = await database.all("SELECT address, value FROM holding WHERE asset = ? ORDER BY address", token);
  const [state] = await database.all("SELECT value FROM token WHERE id = ?", token);
  const [wrapper] = await database.all("SELECT value FROM wrapper WHERE id = ?", token);
  const [tail] = await database.all("SELECT count FROM token_transfer_tail WHERE owner = ?", token);
  const { kinds, holders, supply, mints } =
    state === undefined ? ({} as Partial<ReturnType<typeof tokenState.read>>) : tokenState.read(state[0] as Bytes);
  return {
    balances: rows.map(([holder, value]) => `${holder}:${readHolding(value as Bytes).amount}`),
    listed: tail?.[0] ?? 0,
    token: state === undefined ? undefined : { kinds: String(kinds), holders, supply: Number(supply), mints },
    phase: wrapper === undefined ? undefined : depositCodec.read(wrapper[0] as Bytes).phase,
  };
}

const NO_TOKEN = { balances: [], listed: 0, token: undefined };
const erc20 = (holders: number, supply: number, mints = false) => ({ kinds: "ERC-20", holders, supply, mints });

test("deposits alone make no token, in any list or count", async (t) => {
  const { database, append } = await openStage(t, ADDRESSES);
  const tip = await append([deposit(ALICE, 5), withdrawal(ALICE, 2), deposit(BOB, 1)]);

  assert.deepEqual(await stateOf(database), { ...NO_TOKEN, phase: "open" });
  assert.deepEqual(tip.totals, { transfers: 0, tokens: 0, items: 0 });
  for (const table of [
    "transfer",
    "transfer_count",
    "holding",
    "holder",
    "token_rank",
    "asset",
    "address_transfer_tail",
  ])
    assert.deepEqual(await database.all(`SELECT count(*) FROM ${table}`), [[0]], table);
});

test("the first Transfer carries the deposits over; those in its own transaction are listed, in whatever order", async (t) => {
  for (const order of [0, 1]) {
    const { database, append } = await openStage(t, ADDRESSES);
    await append([deposit(ALICE, 5), deposit(BOB, 7), withdrawal(BOB, 7)]);
    const last = [deposit(ALICE, 1), transfer(ALICE, BOB, 2)];

    await append(order === 0 ? last : last.reverse());

    assert.deepEqual(await stateOf(database), {
      balances: ["1:4", "2:2"],
      listed: 2,
      token: erc20(2, 6),
      phase: "carried",
    });
    const assets = new AssetReads(database);
    assert.deepEqual([await assets.count(ALICE), await assets.count(BOB)], [1, 1]);
  }
});

test("a block that is unwound gives the deposits back, and another first transfer may come", async (t) => {
  const { database, append, unwind } = await openStage(t, ADDRESSES);
  const tip = await append([deposit(ALICE, 5)]);
  await append([transfer(ALICE, BOB, 2), deposit(BOB, 3, { transaction: 1 })]);

  await unwind(tip);
  assert.deepEqual(await stateOf(database), { ...NO_TOKEN, phase: "open" });
  assert.deepEqual(await database.all("SELECT * FROM asset"), []);

  await append([transfer(0, BOB, 2)]);
  assert.deepEqual(await stateOf(database), {
    balances: ["2:2"],
    listed: 1,
    token: erc20(1, 2, true),
    phase: "closed",
  });
});

test("a contract that mints by Transfer has no deposits, from that transaction on", async (t) => {
  const { database, append } = await openStage(t, ADDRESSES);
  await append([transfer(ALICE, BOB, 0), deposit(ALICE, 5, { transaction: 1 })]);

  await append([
    deposit(ALICE, 9, { transaction: 0 }),
    transfer(0, ALICE, 3, { transaction: 1 }),
    deposit(ALICE, 30, { transaction: 1 }),
    withdrawal(ALICE, 30, { transaction: 2 }),
  ]);

  const { balances, listed, token } = await stateOf(database);
  assert.deepEqual([balances, listed, token], [["1:17", "2:0"], 4, erc20(1, 17, true)]);
});

test("a Transfer of nothing from the zero address, which WETH9 allows to anybody, is no mint", async (t) => {
  const { database, append } = await openStage(t, ADDRESSES);
  await append([transfer(0, BOB, 0), transfer(ALICE, 0, 0), deposit(ALICE, 5)]);

  const { balances, token } = await stateOf(database);
  assert.deepEqual([balances, token], [["1:5", "2:0"], erc20(1, 5)]);
});

test("deposits of what emits other standards alone are none", async (t) => {
  const { database, append } = await openStage(t, ADDRESSES);
  await append([deposit(ALICE, 5)]);
  await append([transfer(0, ALICE, 1, { kind: "ERC-721", tokenId: numbered(32, 7) }), deposit(ALICE, 7)]);
  await append([deposit(BOB, 7)]);

  const { balances, listed, phase } = await stateOf(database);
  assert.deepEqual([balances, listed, phase], [["1:1"], 1, "closed"]);
});

test(`a contract with over ${MAX_DEPOSITORS} depositors is not followed any more`, async (t) => {
  const { database, append } = await openStage(t, ADDRESSES);
  const everybody = Array.from({ length: MAX_DEPOSITORS }, (_, at) => deposit(at + 10, 1));
  await append([...everybody, withdrawal(10, 1), deposit(ALICE, 1)]);
  assert.equal((await stateOf(database)).phase, "open");
  const tip = await append([transfer(ALICE, BOB, 1)]);
  assert.deepEqual((await stateOf(database)).token, erc20(MAX_DEPOSITORS, MAX_DEPOSITORS));
  const other = await append([...everybody, deposit(ALICE, 1)].map((one) => ({ ...one, token: address(OTHER) })));
  assert.equal((await stateOf(database, OTHER)).phase, "closed");

  await append([transfer(ALICE, BOB, 1, { token: OTHER })]);

  assert.deepEqual((await stateOf(database, OTHER)).balances, ["1:-1", "2:1"]);
  assert.deepEqual([tip.totals.tokens, other.totals.tokens], [1, 1]);
});

test(`in one block the deposits of ${MAX_CARRIED} contracts are carried over, those of others are not`, async (t) => {
  const { database, append } = await openStage(t, ADDRESSES);
  const contracts = Array.from({ length: MAX_CARRIED + 5 }, (_, at) => at + 10);
  await append(contracts.map((token) => deposit(ALICE, 5, { token })));

  await append(contracts.map((token, transaction) => transfer(ALICE, BOB, 1, { token, transaction })));

  const balances = await Promise.all(contracts.map(async (token) => (await stateOf(database, token)).balances[0]));
  assert.deepEqual(
    balances,
    contracts.map((_, at) => (at < MAX_CARRIED ? "1:4" : "1:-1")),
  );
});
