import type { FundedAccount } from "../api/settings.ts";
import { checksumAddress } from "../chain/encoding/checksum.ts";
import { fromHex } from "../chain/encoding/hex.ts";
import type { Settings } from "../config.ts";
import { alignColumns } from "./alignColumns.ts";
import type { Access } from "./appSettings.ts";
import type { Serving } from "./network.ts";
import { VERSION } from "./version.ts";

/** Fits on a screen. */
const MAX_SHOWN = 10;

export function banner(networks: readonly Serving[], { data }: Settings): string {
  const [first, ...others] = networks;
  if (first?.name === undefined && others.length === 0) return first === undefined ? "" : upstreamLine(first);
  const rows = networks.map(({ name, chainId, url, node, ...network }) => [
    name ?? "",
    `chain ${chainId}`,
    url,
    network.accounts === undefined ? `from ${node}` : `JSON-RPC at ${url}/rpc`,
    placeOf(network.data, network),
  ]);
  const lines = [
    `oriel ${VERSION}`,
    "",
    ...alignColumns(rows),
    ...integrityLines(networks),
    ...accessLines(networks),
    ...warningLines(networks),
    "",
    `The API of each is described at its /docs/api: ${first?.url}/docs/api`,
    "",
    ...accountLines(networks),
  ];
  return [...lines, `To begin again, stop Oriel and start it with --reset, or delete the directory ${data}.`, ""].join(
    "\n",
  );
}

function upstreamLine(network: Serving): string {
  const { chainId, node, url } = network;
  return [
    `oriel ${VERSION}: chain ${chainId} from ${node}, ${placeOf(network.data, network)}, serving ${url}`,
    ...integrityLines([network]),
  ].join("\n");
}

function placeOf(data: string, { store, accounts }: Pick<Serving, "store" | "accounts">): string {
  if (store === undefined) return `data in ${data}`;
  return accounts === undefined ? `index in ${store}` : `index in ${store}, chain in ${data}`;
}

function integrityLines(networks: readonly Serving[]): string[] {
  const observing = networks.filter(({ integrity }) => integrity === "observe");
  if (observing.length === 0) return [];
  const names = observing.flatMap(({ name }) => (name === undefined ? [] : [name])).join(" and ");
  return [
    `Blocks${names && ` of ${names}`} that fail a check are indexed, and counted in /status: --integrity observe.`,
  ];
}

/** Who may use non-public methods of embedded chains, and why. */
function accessLines(networks: readonly Serving[]): string[] {
  const names = new Map<string, string[]>();
  for (const { name = "", access } of networks) {
    if (access === undefined) continue;
    const who = describeAccess(access);
    names.set(who, [...(names.get(who) ?? []), name]);
  }
  const isOne = names.size === 1;
  return [...names].map(([who, of]) => {
    return `Development, debug_ and txpool_ methods${isOne ? "" : ` of ${of.join(" and ")}`}: ${who}.`;
  });
}

function describeAccess({ devMethods, reason }: Access): string {
  if (devMethods === "all") return "for everyone who reaches the port (--dev-methods all)";
  if (devMethods === "none") return `off (${reason === "--dev-methods" ? "--dev-methods none" : reason})`;
  return `for this user's programs on this machine (${reason === undefined ? "the default" : "--dev-methods loopback"})`;
}

/** Warnings about exposing an embedded chain. */
function warningLines(networks: readonly Serving[]): string[] {
  const isOpen = networks.some(({ access }) => access?.devMethods === "loopback");
  if (!isOpen) return [];
  const unseen = "On this system a proxy on this machine counts as one of its programs. ";
  return [
    `${process.platform === "linux" ? "" : unseen}If a proxy or tunnel makes Oriel public, start it with --public.`,
  ];
}

/** Networks usually share accounts; each list is shown once. */
function accountLines(networks: readonly Serving[]): string[] {
  const lists = new Map<string, { names: (string | undefined)[]; accounts: readonly FundedAccount[] }>();
  for (const { name, accounts = [] } of networks) {
    const key = JSON.stringify(accounts);
    const known = lists.get(key);
    if (known !== undefined) known.names.push(name);
    else if (accounts.length > 0) lists.set(key, { names: [name], accounts });
  }
  return [...lists.values()].flatMap(({ names, accounts }) => [...describeAccounts(names.join(" and "), accounts), ""]);
}

function describeAccounts(names: string, accounts: readonly FundedAccount[]): string[] {
  const shown = accounts.slice(0, MAX_SHOWN);
  const rows = shown.map(({ address, privateKey = "" }, index) => [
    String(index),
    checksumAddress(fromHex(address)),
    privateKey,
  ]);
  const isSecret = shown.every(({ privateKey }) => privateKey === undefined);
  const warning = isSecret ? "" : " Everybody knows their keys: for development only.";
  const more = accounts.length - shown.length;
  return [
    `Accounts with coins on ${names}.${warning}`,
    "",
    ...alignColumns(rows),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
}
