import { readFileSync } from "node:fs";
import { checksumAddress } from "../chain/encoding/checksum.ts";
import type { Hex } from "../chain/encoding/hex.ts";
import { fromHex } from "../chain/encoding/hex.ts";
import { isAddress } from "../chain/encoding/parse.ts";
import type { Invocation } from "../invocation.ts";
import { invalid } from "../settingValues.ts";
import { messageOf } from "../std/values.ts";
import { MAX_LABEL_LENGTH } from "../store/contracts/labels.ts";
import { alignColumns } from "./alignColumns.ts";
import type { OpenContracts } from "./contractStores.ts";
import { withContracts } from "./contractStores.ts";
import { networksToInform } from "./networks.ts";

const USAGE =
  "label is followed by set, an address and a name; import and a file; list; or remove and an address; try oriel label --help";

/** Names addresses for the pages. */
export async function label(invocation: Invocation): Promise<number> {
  const [action, first, ...rest] = invocation.operands;
  const { run, areMade } = workOf(action, first, rest);
  await withContracts(
    await networksToInform(invocation),
    async (opened) => {
      for (const each of opened) await run(each);
    },
    { areMade },
  );
  return 0;
}

interface Work {
  readonly run: (opened: OpenContracts) => Promise<void>;
  /** Whether it needs a store where there is none yet. */
  readonly areMade: boolean;
}

function workOf(action: string | undefined, first: string | undefined, rest: readonly string[]): Work {
  if (action === "list" && first === undefined) return { run: printLabels, areMade: false };
  if (action === "set" && first !== undefined && rest.length > 0) {
    const labels = new Map([[readAddress(first), readName(rest.join(" "))]]);
    return { run: ({ contracts }) => contracts.setLabels(labels), areMade: true };
  }
  if (action === "import" && first !== undefined && rest.length === 0) {
    const labels = parseLabels(readText(first));
    return { run: ({ contracts }) => contracts.setLabels(labels), areMade: true };
  }
  if (action === "remove" && first !== undefined && rest.length === 0) {
    const address = first === "all" ? undefined : fromHex(readAddress(first));
    const run = async ({ label: network, contracts }: OpenContracts) =>
      console.log(`${network}removed ${await contracts.removeLabels(address)}`);
    return { run, areMade: false };
  }
  throw invalid(USAGE);
}

async function printLabels({ label: network, contracts }: OpenContracts): Promise<void> {
  const rows = [...contracts.labels].map(([address, text]) => [checksumAddress(fromHex(address)), text]);
  if (network !== "" && rows.length > 0) console.log(network.trimEnd());
  for (const line of alignColumns(rows)) console.log(line);
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw invalid(`${path} cannot be read: ${messageOf(error)}`);
  }
}

/** A line for each label: the address, a comma and the name. Empty lines and those that begin with # are left out. */
export function parseLabels(text: string): Map<Hex, string> {
  const labels = new Map<Hex, string>();
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const comma = line.indexOf(",");
    if (comma < 0) throw invalid(`line ${at + 1} has no comma between the address and the name`);
    try {
      labels.set(readAddress(line.slice(0, comma).trim()), readName(line.slice(comma + 1)));
    } catch (error) {
      throw invalid(`line ${at + 1}: ${messageOf(error)}`);
    }
  }
  return labels;
}

function readAddress(text: string): Hex {
  if (!isAddress(text)) throw invalid(`${JSON.stringify(text.slice(0, 60))} is no address`);
  return text.toLowerCase() as Hex;
}

function readName(text: string): string {
  const name = text.trim().replace(/^"(.*)"$/, "$1");
  if (name === "" || name.length > MAX_LABEL_LENGTH || /\p{C}/u.test(name)) {
    throw invalid(`a name has 1 to ${MAX_LABEL_LENGTH} printable characters`);
  }
  return name;
}
