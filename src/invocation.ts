import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Command, CommandName } from "./commands.ts";
import { COMMANDS } from "./commands.ts";
import type { Setting, SettingName, Settings } from "./config.ts";
import { environmentName, SETTINGS } from "./config.ts";
import type { ConfigFile } from "./configFile.ts";
import { readConfigFile } from "./configFile.ts";
import { invalid } from "./settingValues.ts";
import { messageOf } from "./std/values.ts";

/** With its own `data` and `store`. */
interface NamedSettings {
  readonly name: string;
  readonly settings: Settings;
}

export interface Invocation {
  readonly command: CommandName | "help" | "version";
  /** Subject of `--help`. */
  readonly about?: CommandName;
  /** Operands after the command. */
  readonly operands: readonly string[];
  /** Settings given on the command line. */
  readonly flags: ReadonlySet<string>;
  /** Settings outside a network. */
  readonly settings: Settings;
  /** Networks of the configuration file or the built-in ones, filtered by `--network`. */
  readonly networks: readonly NamedSettings[];
}

/** Default networks, and base settings of networks with these names. */
const BUILT_IN: Readonly<Record<string, Partial<Record<SettingName, string>>>> = {
  mainnet: { "chain-id": "677", "chain-name": "Mainnet", port: "6770" },
  testnet: { "chain-id": "968", "chain-name": "Testnet", port: "9680", testnet: "true" },
};

/** Throws `invalid_argument` with a message for the user. */
export function readInvocation(args: readonly string[], environment: NodeJS.ProcessEnv): Invocation {
  const { positionals, flags } = readFlags(args);
  const [command = "help", ...rest] = positionals;
  const about = isCommand(command) ? { about: command } : {};
  const none = { operands: [], flags: new Set<string>(), settings: {} as Settings, networks: [] };
  if (flags.version === true || command === "version") return { command: "version", ...none };
  if (flags.help === true || command === "help") {
    return { command: "help", ...none, ...about, ...(isCommand(rest[0]) && { about: rest[0] }) };
  }
  if (!isCommand(command)) throw invalid(`there is no command ${JSON.stringify(command)}; try oriel --help`);
  const { forms }: Command = COMMANDS[command];
  if (forms === undefined && rest.length > 0) {
    throw invalid(`${command} takes no ${JSON.stringify(rest[0])}; try oriel ${command} --help`);
  }
  return { command, operands: rest, flags: new Set(Object.keys(flags)), ...resolve(command, flags, environment) };
}

type Flags = Readonly<Record<string, string | boolean | undefined>>;

function readFlags(args: readonly string[]): { positionals: string[]; flags: Flags } {
  const options = Object.fromEntries(
    Object.entries(SETTINGS).map(([name, setting]) => [
      name,
      { type: "value" in setting ? "string" : "boolean" } as const,
    ]),
  );
  const all = { ...options, help: { type: "boolean", short: "h" }, version: { type: "boolean", short: "v" } } as const;
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      options: all,
      allowPositionals: true,
      allowNegative: true,
    });
    return { positionals, flags: values as Flags };
  } catch (error) {
    const [first] = messageOf(error).split(/\. |\n/);
    throw invalid(`${first}; try oriel --help`, error);
  }
}

function resolve(command: CommandName, flags: Flags, environment: NodeJS.ProcessEnv) {
  const allowed: readonly string[] = COMMANDS[command].settings;
  const stray = Object.keys(flags).find((name) => !allowed.includes(name));
  if (stray !== undefined) throw invalid(`${command} has no --${stray}; try oriel ${command} --help`);
  const given = (name: SettingName) => flags[name] ?? environment[environmentName(name)];
  const config = given("config");
  const file = readConfigFile(String(config ?? SETTINGS.config.default), config !== undefined);
  const { defaults = {} }: Command = COMMANDS[command];
  const shared = { ...defaults, ...file.shared };
  const settings = parseSettings((name) => given(name) ?? shared[name]);
  return { settings, networks: resolveNetworks({ ...file, shared }, given, settings) };
}

type Given = (name: SettingName) => unknown;

function resolveNetworks(file: ConfigFile, given: Given, { network, data }: Settings): NamedSettings[] {
  const networks: NonNullable<ConfigFile["networks"]> =
    file.networks ?? Object.fromEntries(Object.keys(BUILT_IN).map((name) => [name, {}]));
  if (network !== undefined && !Object.hasOwn(networks, network)) {
    throw invalid(`there is no network ${JSON.stringify(network)}, only ${Object.keys(networks).join(", ")}`);
  }
  const chosen = Object.entries(networks).filter(([name]) => network === undefined || name === network);
  return chosen.map(([name, own]) => {
    const builtIn = (Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined) ?? {};
    const settings = parseSettings((key) => given(key) ?? own[key] ?? file.shared[key] ?? builtIn[key]);
    const isOwn = (key: "data" | "store" | "store-read") => given(key) === undefined && own[key] !== undefined;
    const directory = isOwn("data") ? settings.data : join(data, name);
    const store = isOwn("store") ? settings.store : settings.store && storeOf(settings.store, name);
    const replica = settings["store-read"];
    const read = isOwn("store-read") ? replica : replica && storeOf(replica, name);
    return { name, settings: { ...settings, data: directory, store, "store-read": read } };
  });
}

/** A folder of the directory, or a schema of the database, for each network. */
function storeOf(store: string, network: string): string {
  if (!store.startsWith("postgres")) return `${store}/${network}`;
  const url = new URL(store);
  const prefix = url.searchParams.get("schema");
  url.searchParams.set("schema", prefix === null ? network : `${prefix}_${network}`);
  return url.href;
}

function parseSettings(given: Given): Settings {
  const settings: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(SETTINGS) as [SettingName, Setting<unknown>][]) {
    const value = given(name) ?? setting.default;
    settings[name] = value === undefined ? undefined : setting.parse(String(value), name);
  }
  return settings as Settings;
}

function isCommand(word: string | undefined): word is CommandName {
  return word !== undefined && Object.hasOwn(COMMANDS, word);
}
