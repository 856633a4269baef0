import type { TestContext } from "node:test";
import type { Bytes } from "../../src/chain/encoding/bytes.ts";
import type { TokenTransfer } from "../../src/chain/token/tokenTransfer.ts";
import { Dictionary } from "../../src/store/dictionary/dictionary.ts";
import { KeyedHash } from "../../src/store/dictionary/keyedHash.ts";
import { databasesAt, IN_MEMORY } from "../../src/store/engine/databases.ts";
import { migrate } from "../../src/store/schema/migrate.ts";
import { MIGRATIONS } from "../../src/store/schema/schema.ts";
import { TokenTables } from "../../src/store/stages/tokens/tables/tokenTables.ts";
import type { TokenTip } from "../../src/store/stages/tokens/tables/tokenTip.ts";
import { TokenAppender } from "../../src/store/stages/tokens/tokenAppend.ts";
import { unwindTokensTo } from "../../src/store/stages/tokens/tokenUnwind.ts";
import { autocommit } from "./autocommit.ts";

/** Bytes that end with a number. */
export function numbered(length: number, number: number): Bytes {
  const bytes = new Uint8Array(length);
  new DataView(bytes.buffer).setUint32(length - 4, number);
  return bytes;
}

/** A tokens stage without a core: addresses are given ids as they are written down here. */
export async function openStage(t: TestContext, addresses: number) {
  const database = await databasesAt(IN_MEMORY).open("index");
  t.after(() => database.close());
  await migrate(database, MIGRATIONS);
  const hash = new KeyedHash(KeyedHash.newSecret());
  const dictionary = new Dictionary<"address id">(hash, "address", 20, addresses);
  for (let number = 1; number <= addresses; number++) dictionary.note(numbered(20, number));
  await dictionary.load(database, 1, [addresses]);
  await dictionary.flush(autocommit(database));
  const tables = new TokenTables(hash);
  let tip: TokenTip | undefined;
  const append = async (transfers: readonly TokenTransfer[]) => {
    const number = (tip?.number ?? -1) + 1;
    const appender = new TokenAppender(tables, dictionary, tip, { journalFrom: 0, firstNew: addresses + 1 });
    await appender.add(database, [{ number, transfers }]);
    await appender.finish(autocommit(database));
    tip = appender.tip!;
    return tip;
  };
  const unwind = async (to: TokenTip) => {
    await unwindTokensTo(autocommit(database), tables, to);
    // As the core does after its stages.
    await autocommit(database).run("DELETE FROM journal WHERE block > ?", to.number);
    tip = to;
  };
  return { database, hash, append, unwind };
}
