import { arrayOf, count, decimal, fields, nullToday, orNull, record, text, time } from "../../openapi/values.ts";

export const CoinBalanceSchema = record("Coin balance", {
  block_number: count("the block"),
  block_timestamp: orNull(time("its timestamp")),
  value: decimal("the balance after it, in wei"),
  delta: text("the difference to the balance before, negative where it became less"),
  transaction_hash: nullToday("a balance may change by several transactions of a block"),
});

export const DailyBalancesSchema = record("Daily balances", {
  days: count("the number of days that are looked at, the last of them that of the newest block"),
  items: arrayOf(
    fields("a day", { date: text("the day, UTC"), value: decimal("the balance after its last block, in wei") }),
    "the days since the first indexed block, oldest first: `date` and `value`",
  ),
});
