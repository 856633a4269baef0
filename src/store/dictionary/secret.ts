import { ChainError } from "../../chain/error.ts";
import type { Reader, Writer } from "../engine/database.ts";
import { KeyedHash } from "./keyedHash.ts";

/** Undefined for an empty store. */
export async function loadHasher(db: Reader): Promise<KeyedHash | undefined> {
  const [row] = await db.all<[string]>("SELECT value FROM meta WHERE name = 'hash_secret'");
  return row === undefined ? undefined : new KeyedHash(Buffer.from(row[0], "hex"));
}

/** Only for an empty store: under a new secret no existing value would be found. */
export async function makeHasher(writer: Writer): Promise<KeyedHash> {
  const [known] = await writer.all("SELECT id FROM address LIMIT 1");
  if (known !== undefined) {
    throw new ChainError(
      "store_corrupt",
      "the secret of the index is missing; delete the data directory to begin again",
    );
  }
  const secret = KeyedHash.newSecret();
  await writer.upsert("meta", ["name", "value"], [["hash_secret", Buffer.from(secret).toString("hex")]]);
  return new KeyedHash(secret);
}
