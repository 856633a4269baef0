import { storeUrlOf } from "../config.ts";
import type { Invocation } from "../invocation.ts";
import { invalid } from "../settingValues.ts";
import { distributeStore } from "../store/distributeStore.ts";
import { describeUrl } from "../store/engine/databases.ts";
import { alignColumns } from "./alignColumns.ts";
import { indexToRead } from "./networks.ts";

/** Changes how a database is kept, not what is in it. */
export async function db(invocation: Invocation): Promise<number> {
  const [action, ...rest] = invocation.operands;
  if (action !== "distribute" || rest.length > 0) throw invalid("db is followed by distribute; try oriel db --help");
  const url = storeUrlOf((await indexToRead(invocation)).settings);
  const { wasDistributed, nodes, shards, distributed, kept, roleSettings } = await distributeStore(url, (table) =>
    console.error(`distributing ${table}`),
  );
  const whole = `${describeUrl(url)} ${wasDistributed ? "is distributed already" : "is distributed"}`;
  console.log(`${whole}: ${distributed.length} tables over ${nodes} nodes, in ${shards} shards each`);
  for (const line of alignColumns(distributed.map(({ table, column }) => [table, `by ${column}`]))) console.log(line);
  console.log(`on the coordinator: ${kept.join(", ")}`);
  if (roleSettings.length > 0) console.log(`settings of the role in this database: ${roleSettings.join(", ")}`);
  return 0;
}
