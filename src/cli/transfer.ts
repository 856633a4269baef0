import { storeUrlOf } from "../config.ts";
import type { Invocation } from "../invocation.ts";
import { invalid } from "../settingValues.ts";
import type { CopyProgress } from "../store/copyStore.ts";
import { copyStore } from "../store/copyStore.ts";
import { describeUrl } from "../store/engine/databases.ts";
import { indexToRead } from "./networks.ts";
import { LINE_EVERY } from "./progress.ts";

export async function exportStore(invocation: Invocation): Promise<number> {
  const { to } = invocation.settings;
  if (to === undefined) throw invalid("export needs a store: oriel export --to postgres://USER@HOST/NAME");
  return transfer(storeUrlOf((await indexToRead(invocation)).settings), to);
}

export async function importStore(invocation: Invocation): Promise<number> {
  const { from } = invocation.settings;
  if (from === undefined) throw invalid("import needs a store: oriel import --from sqlite:DIR");
  return transfer(from, storeUrlOf((await indexToRead(invocation)).settings));
}

async function transfer(from: string, to: string): Promise<number> {
  const digest = await copyStore(from, to, { onProgress: reporter() });
  console.log(`copied ${describeUrl(from)} to ${describeUrl(to)}; both have the digest ${digest}`);
  return 0;
}

const BAR = 30;

/** A bar on a terminal, and a line now and then elsewhere. */
function reporter(): (progress: CopyProgress) => void {
  let shownAt = 0;
  return ({ database, table, copied, rows }) => {
    const share = rows === 0 ? 1 : copied / rows;
    const text = `${database}: ${copied} of ${rows} rows (${Math.floor(share * 100)} %), ${table}`;
    if (process.stderr.isTTY) {
      const bar = "#".repeat(Math.floor(share * BAR)).padEnd(BAR, ".");
      process.stderr.write(`\r\x1b[K[${bar}] ${text}\r`);
    } else if (copied === rows || performance.now() - shownAt > LINE_EVERY) {
      shownAt = performance.now();
      console.error(text);
    }
  };
}
