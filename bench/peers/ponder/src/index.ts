import { ponder } from "ponder:registry";
import { balance, transfer } from "ponder:schema";

ponder.on("ERC20:Transfer", async ({ event, context }) => {
  const token = event.log.address;
  const { from, to, value } = event.args;
  await context.db.insert(transfer).values({
    id: event.id,
    block: Number(event.block.number),
    timestamp: Number(event.block.timestamp),
    transaction: event.transaction.hash,
    token,
    from,
    to,
    amount: value,
  });
  await context.db
    .insert(balance)
    .values({ token, holder: from, amount: -value })
    .onConflictDoUpdate((row) => ({ amount: row.amount - value }));
  await context.db
    .insert(balance)
    .values({ token, holder: to, amount: value })
    .onConflictDoUpdate((row) => ({ amount: row.amount + value }));
});
