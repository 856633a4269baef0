const { EvmBatchProcessor } = require("@subsquid/evm-processor");
const { TypeormDatabase } = require("@subsquid/typeorm-store");
const { In } = require("typeorm");
const abi = require("./abi");
const { Balance, Transfer } = require("./model");

const processor = new EvmBatchProcessor()
  .setRpcEndpoint(process.env.RPC_ENDPOINT)
  .setFinalityConfirmation(0)
  .setFields({ log: { transactionHash: true } })
  .addLog({ topic0: [abi.Transfer.topic] });

processor.run(new TypeormDatabase(), async (ctx) => {
  const transfers = ctx.blocks.flatMap(transfersOf);
  const changes = new Map();
  for (const { token, from, to, amount } of transfers) {
    add(changes, token, from, -amount);
    add(changes, token, to, amount);
  }
  const known = await balancesOf(ctx.store, [...changes.keys()]);
  const balances = [...changes].map(([id, change]) => {
    const [token, holder] = id.split("-");
    return new Balance({ id, token, holder, amount: (known.get(id)?.amount ?? 0n) + change });
  });
  await ctx.store.upsert(balances);
  await ctx.store.insert(transfers);
});

function transfersOf({ header, logs }) {
  return logs.filter(isTransfer).map((log) => {
    const { from, to, value } = abi.Transfer.decode(log);
    const place = { block: header.height, timestamp: Math.floor(header.timestamp / 1000) };
    return new Transfer({
      id: log.id,
      ...place,
      transaction: log.transactionHash,
      token: log.address,
      from,
      to,
      amount: value,
    });
  });
}

const isTransfer = ({ topics }) => topics[0] === abi.Transfer.topic && topics.length === 3;

function add(changes, token, holder, amount) {
  const id = `${token}-${holder}`;
  changes.set(id, (changes.get(id) ?? 0n) + amount);
}

/** PostgreSQL takes at most 65,535 parameters in a statement. */
async function balancesOf(store, ids) {
  const known = new Map();
  for (let at = 0; at < ids.length; at += 50_000) {
    const found = await store.findBy(Balance, { id: In(ids.slice(at, at + 50_000)) });
    for (const balance of found) known.set(balance.id, balance);
  }
  return known;
}
