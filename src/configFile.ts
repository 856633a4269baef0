import { existsSync, readFileSync } from "node:fs";
import { SETTINGS } from "./config.ts";
import { invalid } from "./settingValues.ts";
import { isObject, messageOf } from "./std/values.ts";

type Values = Readonly<Record<string, unknown>>;

/** Settings for all networks, and per network. */
export interface ConfigFile {
  readonly shared: Values;
  readonly networks?: Readonly<Record<string, Values>>;
}

/** Also a directory name. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/i;

export function readConfigFile(path: string, isRequired: boolean): ConfigFile {
  if (!isRequired && !existsSync(path)) return { shared: {} };
  const where = `the configuration file ${path}`;
  const { networks, ...shared } = readObject(parse(path), where);
  expectSettings(shared, where);
  if (networks === undefined) return { shared };
  if (shared.rpc !== undefined) throw invalid(`${where} has "rpc" beside "networks": each network has its own`);
  return { shared, networks: readNetworks(networks, where) };
}

function readNetworks(networks: unknown, where: string): Readonly<Record<string, Values>> {
  const entries = Object.entries(readObject(networks, `"networks" in ${where}`));
  if (entries.length === 0) throw invalid(`"networks" in ${where} must name at least one`);
  const read = entries.map(([name, given]): [string, Values] => {
    if (!NAME.test(name)) {
      throw invalid(`${where} has a network ${JSON.stringify(name)}: a name is letters, digits, - and _`);
    }
    const network = `the network "${name}" in ${where}`;
    const values = readObject(given, network);
    expectSettings(values, network);
    const stray = ["network", "config"].find((setting) => Object.hasOwn(values, setting));
    if (stray !== undefined) throw invalid(`${network} cannot have "${stray}"`);
    return [name, values];
  });
  return Object.fromEntries(read);
}

function parse(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw invalid(`the configuration file ${path} cannot be read: ${messageOf(error)}`, error);
  }
}

function readObject(value: unknown, where: string): Values {
  if (!isObject(value)) throw invalid(`${where} must hold one JSON object`);
  return value;
}

function expectSettings(values: Values, where: string): void {
  const unknown = Object.keys(values).find((name) => !Object.hasOwn(SETTINGS, name));
  if (unknown !== undefined) throw invalid(`${where} has an unknown setting ${JSON.stringify(unknown)}`);
  const odd = Object.entries(values).find(([, value]) => value === null || typeof value === "object");
  if (odd !== undefined) {
    throw invalid(`${where} must give ${JSON.stringify(odd[0])} as text, a number, true or false`);
  }
}
