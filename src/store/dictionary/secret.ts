import { ChainError } from "../../chain/error.ts";
import type { Connection, Engine } from "../engine/engine.ts";
import { KeyedHash } from "./keyedHash.ts";

/** The hash under the secret of a store; a store without one is empty. */
export async function loadHasher(connection: Connection): Promise<KeyedHash | undefined> {
  const [row] = await connection.all<[string]>("SELECT value FROM meta WHERE name = 'hash_secret'");
  return row === undefined ? undefined : new KeyedHash(Buffer.from(row[0], "hex"));
}

/** Under a new secret nothing that is there would be found again: every known address would get a second id. */
export async function makeHasher(engine: Engine): Promise<KeyedHash> {
  const [known] = await engine.all("SELECT id FROM address LIMIT 1");
  if (known !== undefined) {
    throw new ChainError(
      "store_corrupt",
      "the secret of the index is missing; delete the data directory to begin again",
    );
  }
  const secret = KeyedHash.newSecret();
  await engine.upsert("meta", ["name", "value"], [["hash_secret", Buffer.from(secret).toString("hex")]]);
  return new KeyedHash(secret);
}
