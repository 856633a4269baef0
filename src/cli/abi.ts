import type { Artifact } from "../chain/contract/artifact.ts";
import { ChainError } from "../chain/error.ts";
import type { Invocation } from "../invocation.ts";
import { invalid } from "../settingValues.ts";
import { alignColumns } from "./alignColumns.ts";
import { artifactsIn } from "./artifactFiles.ts";
import type { OpenContracts } from "./contractStores.ts";
import { withContracts } from "./contractStores.ts";
import { expectFolder } from "./jsonFiles.ts";
import { networksToInform } from "./networks.ts";
import { printable } from "./printable.ts";

const MAX_SHOWN = 20;

const BATCH_SIZE = 100;

/** Imports, lists or removes ABIs. */
export async function abi(invocation: Invocation): Promise<number> {
  const [action, ...rest] = invocation.operands;
  const [name, ...others] = rest;
  const targets = await networksToInform(invocation);
  if (action === "import" && rest.length > 0) {
    for (const folder of rest) expectFolder(folder);
    await withContracts(targets, (opened) => importFolders(opened, rest), { areMade: true });
  } else if (action === "list" && rest.length === 0) await withContracts(targets, list, { areMade: false });
  else if (action === "remove" && name !== undefined && others.length === 0)
    await withContracts(targets, (opened) => remove(opened, name), { areMade: false });
  else throw invalid("abi is followed by import and folders, list, or remove and a name; try oriel abi --help");
  return 0;
}

async function importFolders(opened: readonly OpenContracts[], folders: readonly string[]): Promise<void> {
  for (const folder of folders) await importFolder(opened, folder);
}

async function importFolder(opened: readonly OpenContracts[], folder: string): Promise<void> {
  const imports = opened.map((open) => ({ ...open, added: 0 }));
  const reasons: string[] = [];
  let [found, skipped] = [0, 0];
  let batch: Artifact[] = [];
  const store = async () => {
    for (const each of imports) each.added += await each.contracts.add(batch);
    found += batch.length;
    batch = [];
  };
  try {
    for (const { file, artifact, reason } of artifactsIn(folder)) {
      if (artifact === undefined) skipped++;
      else batch.push(artifact);
      if (reason !== undefined) reasons.push(`${file} is skipped: ${reason}`);
      if (batch.length === BATCH_SIZE) await store();
    }
    await store();
  } finally {
    for (const reason of shortened(reasons)) console.error(printable(reason));
    for (const { label, added } of found === 0 ? [] : imports)
      console.log(printable(`${label}${summary({ folder, found, known: found - added, skipped })}`));
  }
  if (found === 0) throw new ChainError("not_found", `there is no artifact of hardhat or foundry in ${folder}`);
}

interface Counts {
  readonly folder: string;
  readonly found: number;
  readonly known: number;
  readonly skipped: number;
}

function summary({ folder, found, known, skipped }: Counts): string {
  const parts = [`${counted(found, "contract")} from ${folder}`];
  if (known > 0) parts.push(`${known} of them already known`);
  if (skipped > 0) parts.push(`${counted(skipped, "file")} skipped`);
  return parts.join(", ");
}

async function list(opened: readonly OpenContracts[]): Promise<void> {
  if (opened.length === 0) console.log("nothing was imported");
  for (const { label, contracts } of opened) {
    const rows = (await contracts.list()).map(({ name, path, imported, functions, events, isVerified }) => [
      name,
      path,
      new Date(imported * 1000).toISOString().slice(0, 16).replace("T", " "),
      `${counted(functions, "function")}, ${counted(events, "event")}${isVerified ? ", verified" : ""}`,
    ]);
    console.log(`${label}${rows.length === 0 ? "nothing was imported" : counted(rows.length, "contract")}`);
    for (const line of alignColumns(rows)) console.log(line);
  }
}

async function remove(opened: readonly OpenContracts[], name: string): Promise<void> {
  const removals: { readonly label: string; readonly count: number }[] = [];
  for (const { label, contracts } of opened)
    removals.push({ label, count: await contracts.remove(name === "all" ? undefined : name) });
  if (name !== "all" && removals.every(({ count }) => count === 0)) {
    throw new ChainError("not_found", `no contract ${JSON.stringify(name)} was imported`);
  }
  for (const { label, count } of removals) console.log(`${label}removed ${counted(count, "contract")}`);
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function shortened(lines: readonly string[]): readonly string[] {
  if (lines.length <= MAX_SHOWN) return lines;
  return [...lines.slice(0, MAX_SHOWN), `and ${lines.length - MAX_SHOWN} more`];
}
