import { checksumAddress } from "../chain/encoding/checksum.ts";
import { fromHex } from "../chain/encoding/hex.ts";
import type { Settings } from "../config.ts";
import type { Serving } from "./network.ts";
import type { FundedAccount } from "./nodeWorker.ts";
import { VERSION } from "./version.ts";

/** As many accounts as leave room on a screen. */
const MOST_SHOWN = 10;

/** What a start says: where everything is, and who has coins. */
export function banner(networks: readonly Serving[], { data }: Settings): string {
  const [only, ...others] = networks;
  if (only!.name === undefined && others.length === 0) return upstreamLine(only!);
  const rows = networks.map(({ name, chainId, url, node, ...network }) => [
    name!,
    `chain ${chainId}`,
    url,
    network.accounts === undefined ? `from ${node}` : `JSON-RPC at ${url}/rpc`,
    `data in ${network.data}`,
  ]);
  const lines = [
    `oriel ${VERSION}`,
    "",
    ...aligned(rows),
    ...integrityLines(networks),
    "",
    `The API of each is described at its /docs: ${only!.url}/docs`,
    "",
    ...accountLines(networks),
  ];
  return [...lines, `To begin again, stop Oriel and start it with --reset, or delete the directory ${data}.`, ""].join(
    "\n",
  );
}

function upstreamLine(network: Serving): string {
  const { chainId, node, data, url } = network;
  return [
    `oriel ${VERSION}: chain ${chainId} from ${node}, data in ${data}, serving ${url}`,
    ...integrityLines([network]),
  ].join("\n");
}

function integrityLines(networks: readonly Serving[]): string[] {
  const observing = networks.filter(({ integrity }) => integrity === "observe");
  if (observing.length === 0) return [];
  const names = observing.flatMap(({ name }) => (name === undefined ? [] : [name])).join(" and ");
  return [
    `Blocks${names && ` of ${names}`} that fail a check are indexed, and counted in /status: --integrity observe.`,
  ];
}

/** Networks mostly have the same accounts: each list is shown once. */
function accountLines(networks: readonly Serving[]): string[] {
  const lists = Map.groupBy(
    networks.filter(({ accounts }) => accounts !== undefined && accounts.length > 0),
    ({ accounts }) => JSON.stringify(accounts),
  );
  return [...lists.values()].flatMap((sharing) => {
    const names = sharing.map(({ name }) => name).join(" and ");
    return [...describeAccounts(names, sharing[0]!.accounts!), ""];
  });
}

function describeAccounts(names: string, accounts: readonly FundedAccount[]): string[] {
  const shown = accounts.slice(0, MOST_SHOWN);
  const rows = shown.map(({ address, privateKey = "" }, index) => [
    String(index),
    checksumAddress(fromHex(address)),
    privateKey,
  ]);
  const warning = shown[0]!.privateKey === undefined ? "" : " Everybody knows their keys: for development only.";
  const more = accounts.length - shown.length;
  return [
    `Accounts with coins on ${names}.${warning}`,
    "",
    ...aligned(rows),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column]!)).join("  ")}`.trimEnd());
}
