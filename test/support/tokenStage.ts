import type { TestContext } from "node:test";
import type { Bytes } from "../../src/chain/encoding/bytes.ts";
import type { TokenTransfer } from "../../src/chain/token/tokenTransfer.ts";
import { Dictionary } from "../../src/store/dictionary/dictionary.ts";
import { KeyedHash } from "../../src/store/dictionary/keyedHash.ts";
import { databasesAt, IN_MEMORY } from "../../src/store/engine/databases.ts";
import { migrate } from "../../src/store/migrations/migrate.ts";
import { TokenTables } from "../../src/store/tokens/ledger/tokenTables.ts";
import type { TokenTip } from "../../src/store/tokens/ledger/tokenTip.ts";
import { TokenAppender } from "../../src/store/tokens/write/tokenAppend.ts";
import { unwindTokensTo } from "../../src/store/tokens/write/tokenUnwind.ts";

/** Bytes that end with a number. */
export function numbered(length: number, number: number): Bytes {
  const bytes = new Uint8Array(length);
  new DataView(bytes.buffer).setUint32(length - 4, number);
  return bytes;
}

/** A tokens stage without a core: addresses are given ids as they are written down here. */
export async function openStage(t: TestContext, addresses: number) {
  const database = databasesAt(IN_MEMORY).open("index");
  t.after(() => database.close());
  await migrate(database);
  const hash = new KeyedHash(KeyedHash.newSecret());
  const dictionary = new Dictionary<"address id">(database, hash, "address", 20, addresses);
  for (let number = 1; number <= addresses; number++) dictionary.note(numbered(20, number));
  await dictionary.load(1, [addresses]);
  await dictionary.flush();
  const tables = new TokenTables(database, hash);
  let tip: TokenTip | undefined;
  const append = async (transfers: readonly TokenTransfer[]) => {
    const number = (tip?.number ?? -1) + 1;
    const appender = new TokenAppender(tables, dictionary, tip, { journalFrom: 0, firstNew: addresses + 1 });
    await appender.add([{ number, transfers }]);
    await appender.finish();
    tip = appender.tip!;
    return tip;
  };
  const unwind = async (to: TokenTip) => {
    await unwindTokensTo(tables, to);
    // As the core does after its stages.
    await database.run("DELETE FROM journal WHERE block > ?", to.number);
    tip = to;
  };
  return { database, append, unwind };
}
