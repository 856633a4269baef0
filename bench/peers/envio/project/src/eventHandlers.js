const { ERC20 } = require("../generated");

ERC20.Transfer.handler(
  async ({ event, context }) => {
    const { from, to, value } = event.params;
    const token = event.srcAddress;
    await add(context, token, from, -value);
    await add(context, token, to, value);
    context.Transfer.set({
      id: `${event.chainId}_${event.block.number}_${event.logIndex}`,
      block: event.block.number,
      timestamp: event.block.timestamp,
      transaction: event.transaction.hash,
      token,
      from,
      to,
      amount: value,
    });
  },
  { wildcard: true },
);

async function add(context, token, holder, amount) {
  const id = `${token}-${holder}`;
  const before = await context.Balance.get(id);
  context.Balance.set({ id, token, holder, amount: (before?.amount ?? 0n) + amount });
}
