import assert from "node:assert/strict";
import { test } from "node:test";
import { eventLoopTurns } from "../../../../test/support/waiting.ts";
import { ConnectionPool } from "./connectionPool.ts";

class Connection {
  isUsable = true;
  isClosed = false;

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

function openPool(size: number) {
  const opened: Connection[] = [];
  const state = { isDown: false };
  const pool = new ConnectionPool(size, async () => {
    if (state.isDown) throw new Error("down");
    const connection = new Connection();
    opened.push(connection);
    return connection;
  });
  return { pool, opened, state };
}

test("connections are shared, and never more than the size of the pool", async () => {
  const { pool, opened } = openPool(2);
  let [running, max] = [0, 0];
  const work = async () => {
    max = Math.max(max, ++running);
    await eventLoopTurns(2);
    running--;
  };

  await Promise.all(Array.from({ length: 20 }, () => pool.use(work)));

  assert.deepEqual([opened.length, max], [2, 2]);
  await pool.close();
  assert.ok(opened.every(({ isClosed }) => isClosed));
});

test("whoever waits for a connection that breaks gets a new one", async () => {
  const { pool, opened } = openPool(1);
  const broken = Promise.withResolvers<void>();
  const first = pool.use(async (connection) => {
    await broken.promise;
    connection.isUsable = false;
  });
  const others = [1, 2, 3].map((value) => pool.use(async () => value));

  broken.resolve();

  assert.deepEqual(await Promise.all([first, ...others]), [undefined, 1, 2, 3]);
  assert.equal(opened.length, 2);
  await pool.close();
});

test("when none can be opened all who wait learn of it, and the pool closes", async () => {
  const { pool, state } = openPool(1);
  const broken = Promise.withResolvers<void>();
  const first = pool.use(async (connection) => {
    await broken.promise;
    connection.isUsable = false;
  });
  const others = [1, 2, 3].map(() => pool.use(async () => {}));

  state.isDown = true;
  broken.resolve();

  await first;
  for (const { status } of await Promise.allSettled(others)) assert.equal(status, "rejected");
  await pool.close();
  await assert.rejects(
    pool.use(async () => {}),
    { code: "internal" },
  );
});
