import type { Command, CommandName } from "../commands.ts";
import { COMMANDS } from "../commands.ts";
import type { SettingName } from "../config.ts";
import { environmentName, SETTINGS } from "../config.ts";

interface Shown {
  readonly meaning: string;
  readonly value?: string;
  readonly default?: string;
  readonly isRare?: true;
}

export function help(about?: CommandName): string {
  return about === undefined ? overview() : commandHelp(about);
}

function overview(): string {
  const commands = Object.entries(COMMANDS).map(([name, { meaning }]) => `  ${name.padEnd(8)} ${meaning}`);
  return [
    "oriel: one window onto an EVM chain",
    "",
    "Usage: oriel COMMAND [--flag value …]",
    "",
    ...commands,
    "",
    "oriel COMMAND --help lists the flags of a command. Each can also be set in the environment (ORIEL_…)",
    "or in oriel.json; a flag overrides the environment, the environment overrides the file.",
  ].join("\n");
}

function commandHelp(name: CommandName): string {
  const { meaning, settings: own, forms = {} }: Command = COMMANDS[name];
  const settings = (Object.keys(SETTINGS) as SettingName[]).filter((setting) => own.includes(setting));
  const isRare = (setting: SettingName) => (SETTINGS[setting] as Shown).isRare === true;
  const rows = settings
    .filter((setting) => !isRare(setting))
    .map((setting) => ({ flag: flagOf(setting), text: textOf(setting) }));
  const rare = settings.filter(isRare).map((setting) => `--${setting}`);
  const uses = Object.entries(forms).map(([form, text]) => ({ flag: `oriel ${name} ${form}`, text }));
  return [
    `oriel ${name}: ${meaning}`,
    "",
    ...(uses.length > 0 ? [...aligned(uses), ""] : []),
    ...aligned(rows),
    "",
    ...(rare.length > 0 ? ["Rarely needed, see docs/configuration.md:", ...wrapped(rare)] : []),
    `In the environment --data is ${environmentName("data")}, and so on.`,
  ].join("\n");
}

function aligned(rows: readonly { readonly flag: string; readonly text: string }[]): string[] {
  const width = Math.max(...rows.map(({ flag }) => flag.length));
  return rows.map(({ flag, text }) => `  ${flag.padEnd(width)}  ${text}`);
}

const WIDTH = 118;

function wrapped(words: readonly string[]): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`  ${word}`);
  }
  return lines;
}

function flagOf(name: SettingName): string {
  const { value }: Shown = SETTINGS[name];
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}

function textOf(name: SettingName): string {
  const setting: Shown = SETTINGS[name];
  const standard = setting.default === undefined || setting.value === undefined ? "" : ` [${setting.default}]`;
  return `${setting.meaning}${standard}`;
}
