import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../random.ts";
import { ExchangeDriver } from "./driver.ts";

test("what is read in parts is what all contracts say, after blocks were taken back too", async () => {
  const driver = await ExchangeDriver.open(new Random(11));
  for (let made = 0; made < 6; made++) await driver.act(1 + made);
  assert.deepEqual(await driver.reading(), await driver.readAll());

  await driver.rewind(driver.chain.height - 3);
  for (let made = 0; made < 4; made++) await driver.act(4);

  assert.deepEqual(await driver.reading(), await driver.readAll());
  const reverted = [...driver.done.values()].reduce((sum, { sent, succeeded }) => sum + sent - succeeded, 0);
  assert.ok(reverted < 12, `${reverted} transactions reverted`);
  await driver.close();
});
