import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { ChainError } from "./chain/error.ts";

/** A setting is read from a flag, else the environment, else the configuration file, else its default. */
interface Setting<T> {
  readonly meaning: string;
  /** How the value is written in help: a word in capitals, or nothing for a switch. */
  readonly value?: string;
  /** Shown in help and documents; the default itself is what `parse` makes of it. */
  readonly default?: string;
  readonly parse: (text: string, name: string) => T;
}

const text = (given: string, name: string): string => {
  if (given === "") throw wrong(name, given, "a value");
  return given;
};

const integer =
  (least: number, most: number) =>
  (given: string, name: string): number => {
    const number = /^\d{1,16}$/.test(given) ? Number(given) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw wrong(name, given, `an integer from ${least} to ${most}`);
  };

const oneOf =
  <T extends string>(...allowed: readonly T[]) =>
  (given: string, name: string): T => {
    if ((allowed as readonly string[]).includes(given)) return given as T;
    throw wrong(name, given, `one of ${allowed.join(", ")}`);
  };

const toggle = oneOf("true", "false");

const url = (given: string, name: string): string => {
  // The URL may hold a key, so the message does not repeat it.
  if (!URL.canParse(given) || !/^https?:/.test(given)) throw wrong(name, undefined, "an http or https URL");
  return given;
};

export const SETTINGS = {
  rpc: {
    meaning: "The JSON-RPC endpoint of the node to index. A key in it is never printed.",
    value: "URL",
    parse: url,
  },
  "chain-id": {
    meaning: "The chain the node must serve. Without it, the chain that the node serves first.",
    value: "N",
    parse: integer(1, Number.MAX_SAFE_INTEGER),
  },
  "chain-name": { meaning: "What the chain is called in answers.", value: "NAME", parse: text },
  data: { meaning: "The directory of the index.", value: "DIR", default: "data", parse: text },
  port: {
    meaning: "The port to serve on; 0 takes a free one.",
    value: "N",
    default: "6770",
    parse: integer(0, 65_535),
  },
  host: { meaning: "The address to serve on.", value: "HOST", default: "127.0.0.1", parse: text },
  "from-block": {
    meaning: "The first block of a new index. Totals and lists begin there.",
    value: "N",
    default: "0",
    parse: integer(0, Number.MAX_SAFE_INTEGER),
  },
  poll: {
    meaning: "Milliseconds between two looks for a new block.",
    value: "MS",
    default: "1000",
    parse: integer(50, 3_600_000),
  },
  integrity: {
    meaning: "What a failed check does; auto refuses where the check has proven itself.",
    value: "MODE",
    default: "auto",
    parse: oneOf("auto", "enforce", "observe"),
  },
  tokens: {
    meaning: "Keep token transfers, balances and holders, and serve them; --no-tokens leaves them out.",
    default: "true",
    parse: (given: string, name: string) => toggle(given, name) === "true",
  },
  dev: {
    meaning: "The node is a development chain: follow it when it goes back or starts over.",
    default: "false",
    parse: (given: string, name: string) => toggle(given, name) === "true",
  },
  "blob-update-fraction": {
    meaning: "The chain's update fraction of the blob base fee (EIP-4844).",
    value: "N",
    default: "3338477",
    parse: integer(1, Number.MAX_SAFE_INTEGER),
  },
  "trust-proxy": {
    meaning: "Proxies whose X-Forwarded-For is believed: addresses or ranges, with commas.",
    value: "LIST",
    parse: (given: string) => given.split(",").map((entry) => entry.trim()),
  },
  "dev-methods": {
    meaning: "Who may use development, debug_ and txpool_ methods: programs on this machine, all or none.",
    value: "WHO",
    default: "loopback",
    parse: oneOf("loopback", "all", "none"),
  },
  samples: {
    meaning: "How many blocks and how many tokens audit compares with the node.",
    value: "N",
    default: "100",
    parse: integer(0, 1_000_000),
  },
  to: { meaning: "The file backup writes.", value: "FILE", parse: text },
  config: {
    meaning: "The configuration file: JSON with these names as keys.",
    value: "FILE",
    default: "oriel.json",
    parse: text,
  },
} as const satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof SETTINGS;

type Parsed<K extends SettingName> = ReturnType<(typeof SETTINGS)[K]["parse"]>;
type HasDefault<K extends SettingName> = (typeof SETTINGS)[K] extends { default: string } ? K : never;

/** Every setting by its name; undefined where nothing was given and there is no default. */
export type Settings = {
  readonly [K in SettingName]: K extends HasDefault<K> ? Parsed<K> : Parsed<K> | undefined;
};

export const COMMANDS = {
  start: {
    meaning: "Index a node and serve the index.",
    settings: [
      "rpc",
      "chain-id",
      "chain-name",
      "data",
      "port",
      "host",
      "from-block",
      "poll",
      "integrity",
      "tokens",
      "dev",
      "blob-update-fraction",
      "trust-proxy",
      "dev-methods",
      "config",
    ],
  },
  status: { meaning: "Say how far the index is.", settings: ["port", "host", "data", "config"] },
  audit: {
    meaning: "Recompute the index from its own facts and compare samples with the node.",
    settings: ["data", "rpc", "samples", "config"],
  },
  backup: { meaning: "Copy the index to a file while it is in use.", settings: ["data", "to", "config"] },
} as const satisfies Record<string, { meaning: string; settings: readonly SettingName[] }>;

export type CommandName = keyof typeof COMMANDS;

export interface Invocation {
  readonly command: CommandName | "help" | "version";
  /** The command that help is about. */
  readonly about?: CommandName;
  readonly settings: Settings;
}

export function environmentName(name: SettingName): string {
  return `ORIEL_${name.toUpperCase().replaceAll("-", "_")}`;
}

/** Reads the command line. Whatever is wrong with it is one `invalid_argument` with a message for a person. */
export function readInvocation(args: readonly string[], environment: NodeJS.ProcessEnv): Invocation {
  const { positionals, flags } = readFlags(args);
  const [command = "help", ...rest] = positionals;
  const about = isCommand(command) ? { about: command } : {};
  const none = {} as Settings;
  if (flags.version === true || command === "version") return { command: "version", settings: none };
  if (flags.help === true || command === "help") {
    return { command: "help", settings: none, ...about, ...(isCommand(rest[0]) && { about: rest[0] }) };
  }
  if (!isCommand(command)) throw invalid(`there is no command ${JSON.stringify(command)}; try oriel --help`);
  if (rest.length > 0) throw invalid(`${command} takes no ${JSON.stringify(rest[0])}; try oriel ${command} --help`);
  return { command, settings: resolve(command, flags, environment) };
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
    const [first] = (error as Error).message.split(/\. |\n/);
    throw invalid(`${first}; try oriel --help`, error);
  }
}

function resolve(command: CommandName, flags: Flags, environment: NodeJS.ProcessEnv): Settings {
  const allowed: readonly string[] = COMMANDS[command].settings;
  const stray = Object.keys(flags).find((name) => !allowed.includes(name));
  if (stray !== undefined) throw invalid(`${command} has no --${stray}; try oriel ${command} --help`);
  const named = flags.config ?? environment[environmentName("config")];
  const file = readFile(String(named ?? SETTINGS.config.default), named !== undefined);
  const settings: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(SETTINGS) as [SettingName, Setting<unknown>][]) {
    const given = flags[name] ?? environment[environmentName(name)] ?? file[name] ?? setting.default;
    settings[name] = given === undefined ? undefined : setting.parse(String(given), name);
  }
  return settings as Settings;
}

function readFile(path: string, isRequired: boolean): Readonly<Record<string, unknown>> {
  if (!isRequired && !existsSync(path)) return {};
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw invalid(`the configuration file ${path} cannot be read: ${(error as Error).message}`, error);
  }
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw invalid(`the configuration file ${path} must hold one JSON object`);
  }
  const unknown = Object.keys(content).find((name) => !Object.hasOwn(SETTINGS, name));
  if (unknown !== undefined)
    throw invalid(`the configuration file ${path} has an unknown setting ${JSON.stringify(unknown)}`);
  const odd = Object.entries(content).find(([, value]) => value === null || typeof value === "object");
  if (odd !== undefined) {
    throw invalid(
      `the configuration file ${path} must give ${JSON.stringify(odd[0])} as text, a number, true or false`,
    );
  }
  return content as Record<string, unknown>;
}

function isCommand(word: string | undefined): word is CommandName {
  return word !== undefined && Object.hasOwn(COMMANDS, word);
}

function wrong(name: string, given: string | undefined, expected: string): ChainError {
  return invalid(`--${name} must be ${expected}${given === undefined ? "" : `, not ${JSON.stringify(given)}`}`);
}

function invalid(message: string, cause?: unknown): ChainError {
  return new ChainError("invalid_argument", message, cause === undefined ? undefined : { cause });
}
