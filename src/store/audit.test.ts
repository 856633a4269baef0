import assert from "node:assert/strict";
import { test } from "node:test";
import { SimulatedChain } from "../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../test/support/simulatedSource.ts";
import type { Bytes } from "../chain/bytes.ts";
import { auditStore } from "./audit.ts";
import { Store } from "./store.ts";

const TABLES = [
  ["block", "number", "body"],
  ["block", "number", "totals"],
  ["tx", "position", "body"],
  ["account", "id", "value"],
  ["address", "id", "value"],
  ["signature", "id", "value"],
  ["address_tx_tail", "owner", "body"],
  ["address_log_tail", "owner", "body"],
] as const;

test("audit finds any byte that is another than it was, in every table", async () => {
  const chain = new SimulatedChain({ seed: 3 });
  chain.mine(8);
  const store = await Store.inMemory(chain.chainId);
  const blocks = await simulatedSource(chain).blocks(0, chain.length);
  await store.append(8, async (add) => {
    await add(blocks);
    return {};
  });
  assert.deepEqual(await auditStore(store), []);

  for (const [table, key, column] of TABLES) {
    const rows = await store.engine.all(`SELECT ${key}, ${column} FROM ${table} ORDER BY ${key} DESC LIMIT 2`);
    assert.ok(rows.length > 0, table);
    for (const [id, value] of rows) {
      const put = (bytes: Bytes) => store.engine.run(`UPDATE ${table} SET ${column} = ? WHERE ${key} = ?`, bytes, id!);
      for (let at = 0; at < (value as Bytes).length; at += 1 + Math.floor((value as Bytes).length / 60)) {
        const damaged = (value as Bytes).slice();
        damaged[at]! ^= 1 << (at % 8);
        await put(damaged);
        assert.notDeepEqual(await auditStore(store), [], `${table} ${id} byte ${at}`);
      }
      await put(value as Bytes);
    }
  }
  assert.deepEqual(await auditStore(store), []);
  await store.close();
});
