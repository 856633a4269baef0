import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { help } from "./cli/help.ts";
import type { CommandName, SettingName } from "./config.ts";
import { COMMANDS, environmentName, readInvocation, SETTINGS } from "./config.ts";

const directory = mkdtempSync(join(tmpdir(), "oriel-config-"));
process.once("exit", () => rmSync(directory, { recursive: true, force: true }));

function configFile(content: unknown): string {
  const path = join(directory, `${Math.random()}.json`);
  writeFileSync(path, JSON.stringify(content));
  return path;
}

const settingsOf = (args: readonly string[], environment: Record<string, string> = {}) =>
  readInvocation(args, environment).settings;

test("without anything the settings are their defaults", () => {
  const settings = settingsOf(["start"]);

  assert.deepEqual([settings.data, settings.port, settings.host, settings.poll], ["data", 6770, "127.0.0.1", 1000]);
  assert.deepEqual([settings.dev, settings.integrity, settings["from-block"]], [false, "auto", 0]);
  assert.deepEqual([settings.rpc, settings["chain-id"], settings["trust-proxy"]], [undefined, undefined, undefined]);
});

test("a flag wins over the environment, the environment over the file, the file over the default", () => {
  const file = configFile({ port: 1, poll: 111, dev: true, host: "file" });
  const environment = { ORIEL_CONFIG: file, ORIEL_PORT: "2", ORIEL_POLL: "222" };
  const settings = settingsOf(["start", "--port", "3"], environment);

  assert.deepEqual([settings.port, settings.poll, settings.host, settings.dev], [3, 222, "file", true]);
  assert.equal(settingsOf(["start", "--config", configFile({ port: 9 })], { ORIEL_CONFIG: file }).port, 9);
});

test("every value is checked wherever it comes from", () => {
  const wrong: [SettingName, string][] = [
    ["rpc", "localhost:8545"],
    ["chain-id", "0"],
    ["chain-id", "0x1"],
    ["data", ""],
    ["port", "65536"],
    ["port", "-1"],
    ["port", "1.5"],
    ["poll", "49"],
    ["integrity", "Auto"],
    ["dev", "yes"],
    ["from-block", "1e3"],
    ["from-block", "9007199254740993"],
  ];
  for (const [name, value] of wrong) {
    const message = new RegExp(`^--${name} must be`);
    assert.throws(() => settingsOf(["start"], { [environmentName(name)]: value }), {
      code: "invalid_argument",
      message,
    });
    const config = configFile({ [name]: value });
    assert.throws(() => settingsOf(["start", "--config", config]), { code: "invalid_argument", message });
  }
});

test("a value in the file that is no text, number or switch is refused", () => {
  for (const value of [null, {}, [], [1]]) {
    assert.throws(() => settingsOf(["start", "--config", configFile({ data: value })]), { code: "invalid_argument" });
  }
});

test("the URL of a node is never in a message", () => {
  const secret = "htp://user:passw0rd@host/secretkey";
  for (const given of [() => settingsOf(["start", "--rpc", secret]), () => settingsOf(["start", secret, "--rpc"])]) {
    assert.throws(given, (error: Error) => !/passw0rd|secretkey/.test(error.message));
  }
});

test("trusted proxies are a list", () => {
  assert.deepEqual(settingsOf(["start", "--trust-proxy", "10.0.0.0/8, ::1"])["trust-proxy"], ["10.0.0.0/8", "::1"]);
});

test("help and version win over what else is there", () => {
  const commands = (...args: string[]) => readInvocation(args, {}).command;

  assert.equal(commands(), "help");
  assert.equal(commands("start", "--help"), "help");
  assert.equal(commands("-h"), "help");
  assert.equal(commands("-v"), "version");
  assert.equal(commands("start", "--version"), "version");
  assert.equal(readInvocation(["help", "audit"], {}).about, "audit");
  assert.equal(readInvocation(["audit", "--help"], {}).about, "audit");
});

test("help names every flag of a command, and every setting is a flag of some command", () => {
  for (const name of Object.keys(COMMANDS) as CommandName[]) {
    const text = help(name);
    for (const setting of COMMANDS[name].settings) {
      assert.ok(text.includes(`--${setting}`), `${name} ${setting}`);
    }
  }
  const used = new Set<string>(Object.values(COMMANDS).flatMap(({ settings }) => settings));
  assert.deepEqual([...used].sort(), Object.keys(SETTINGS).sort());
});
