import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { help } from "./cli/help.ts";
import type { CommandName } from "./commands.ts";
import { COMMANDS } from "./commands.ts";
import type { SettingName } from "./config.ts";
import { environmentName, SETTINGS, storeUrlOf } from "./config.ts";
import { readInvocation } from "./invocation.ts";

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
  assert.deepEqual([settings.dev, settings.integrity, settings["from-block"]], [false, undefined, undefined]);
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
  for (const given of [
    "",
    "proxy",
    "10.0.0.1,",
    "10.0.0/8",
    "10.0.0.0/33",
    "10.0.0.0/0",
    "10.0.0.0/x",
    "::1/129",
    "1.1.1.1/8/8",
  ]) {
    assert.throws(() => settingsOf(["start", `--trust-proxy=${given}`]), {
      code: "invalid_argument",
      message: `--trust-proxy must be addresses or ranges, with commas, not ${JSON.stringify(given)}`,
    });
  }
});

test("exchanges are named with their factories, and anchors by address", () => {
  const [one, other] = [`0x${"aB".repeat(20)}`, `0x${"02".repeat(20)}`];
  const given = ["--factories", `Swap V2=${one}:2500, Swap V3=${other}`, "--stables", `${one},${other}`];
  const settings = settingsOf(["start", ...given, "--wrapped-coin", one]);

  assert.deepEqual(settings.factories, [
    { name: "Swap V2", address: one.toLowerCase(), fee: 2500 },
    { name: "Swap V3", address: other, fee: undefined },
  ]);
  assert.deepEqual(settings.stables, [one.toLowerCase(), other]);
  assert.deepEqual([settings["wrapped-coin"], settings["price-depth"]], [one.toLowerCase(), 1000]);
  for (const wrong of ["", one, `=${one}`, `Swap=${one}:1000001`, `Swap=${one}:`, `Swap=${one},`, "Swap=0x1"]) {
    assert.throws(() => settingsOf(["start", `--factories=${wrong}`]), /--factories must be NAME=ADDRESS\[:FEE\]/);
  }
  assert.throws(() => settingsOf(["start", "--stables=0x1"]), /--stables must be addresses, with commas/);
  assert.throws(() => settingsOf(["start", "--wrapped-coin=0x1"]), /--wrapped-coin must be an address/);
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

test("a command takes the words after it where it has a use for any", () => {
  assert.deepEqual(readInvocation(["abi", "import", "a", "--data", "d", "b"], {}).operands, ["import", "a", "b"]);
  assert.deepEqual(readInvocation(["start"], {}).operands, []);
  assert.throws(() => readInvocation(["start", "now"], {}), /start takes no "now"/);
  assert.match(help("abi"), /oriel abi import FOLDER… /);
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

test("without anything there are two networks, each with its own chain, port and directory", () => {
  const { networks } = readInvocation(["start"], {});

  const shown = networks.map(({ name, settings }) => [name, settings["chain-id"], settings.port, settings.data]);
  assert.deepEqual(shown, [
    ["mainnet", 677, 6770, join("data", "mainnet")],
    ["testnet", 968, 9680, join("data", "testnet")],
  ]);
  for (const { settings } of networks) assert.equal(settings.rpc, undefined);
});

test("a file names networks: each takes its own settings first, then those of all, then what its name stands for", () => {
  const config = configFile({
    poll: 500,
    host: "0.0.0.0",
    data: "root",
    networks: {
      mainnet: { rpc: "http://127.0.0.1:1", poll: 700 },
      side: { rpc: "http://127.0.0.1:2", port: 7000, data: "elsewhere" },
    },
  });
  const read = (args: readonly string[], environment = {}) =>
    readInvocation(["start", "--config", config, ...args], environment).networks.map(({ name, settings }) => [
      name,
      settings.rpc?.join(),
      settings.port,
      settings.poll,
      settings.host,
      settings.data,
    ]);

  const mainnet = ["mainnet", "http://127.0.0.1:1", 6770, 700, "0.0.0.0", join("root", "mainnet")];
  const side = ["side", "http://127.0.0.1:2", 7000, 500, "0.0.0.0", "elsewhere"];
  assert.deepEqual(read([]), [mainnet, side]);
  assert.deepEqual(read(["--network", "side"]), [side]);
  assert.deepEqual(read(["--poll", "900"], { ORIEL_NETWORK: "mainnet", ORIEL_DATA: "given" }), [
    ["mainnet", "http://127.0.0.1:1", 6770, 900, "0.0.0.0", join("given", "mainnet")],
  ]);
  assert.deepEqual(read(["--data", "given"]).at(-1)!.at(-1), join("given", "side"));
});

test("the index is in the data directory, or at a store URL of its own", () => {
  const networks = { main: { "chain-id": 1 }, side: { "chain-id": 2, port: 7000, store: "sqlite:/own" } };
  const read = (args: readonly string[], shared = {}) => {
    const config = configFile({ networks, ...shared });
    return readInvocation(["start", "--config", config, ...args], {}).networks.map(({ settings }) =>
      storeUrlOf(settings),
    );
  };

  assert.deepEqual(read([]), [join("data", "main"), "sqlite:/own"]);
  assert.deepEqual(read([], { store: "sqlite:/disk" }), ["sqlite:/disk/main", "sqlite:/own"]);
  assert.deepEqual(read(["--store", "sqlite:/given"]), ["sqlite:/given/main", "sqlite:/given/side"]);
  assert.equal(storeUrlOf(settingsOf(["start", "--store", "sqlite:/given"])), "sqlite:/given");
  for (const wrong of ["/given", "sqlite:", "sqlite::memory:", "mysql://localhost/x", ""]) {
    assert.throws(() => settingsOf(["start", "--store", wrong]), { code: "invalid_argument" }, wrong);
  }
});

test("errors in the networks of a file are reported", () => {
  const wrong: [content: object, message: RegExp][] = [
    [{ networks: [] }, /"networks" in .* must hold one JSON object/],
    [{ networks: {} }, /must name at least one/],
    [{ networks: { "../up": {} } }, /a network "\.\.\/up": a name is letters/],
    [{ networks: { "": {} } }, /a network ""/],
    [{ networks: { a: 1 } }, /the network "a" in .* must hold one JSON object/],
    [{ networks: { a: { prot: 1 } } }, /the network "a" in .* has an unknown setting "prot"/],
    [{ networks: { a: { port: null } } }, /must give "port" as text/],
    [{ networks: { a: { port: 70_000 } } }, /--port must be an integer/],
    [{ networks: { a: { network: "a" } } }, /the network "a" in .* cannot have "network"/],
    [{ networks: { a: { networks: {} } } }, /unknown setting "networks"/],
    [{ networks: { a: {} }, rpc: "http://127.0.0.1:1" }, /"rpc" beside "networks"/],
    [{ network: "b", networks: { a: {} } }, /there is no network "b", only a/],
  ];
  for (const [content, message] of wrong) {
    assert.throws(() => readInvocation(["start", "--config", configFile(content)], {}), {
      code: "invalid_argument",
      message,
    });
  }
  assert.throws(() => settingsOf(["start", "--network", "othernet"]), /there is no network "othernet", only mainnet/);
});

test("words of accounts are counted and never repeated", () => {
  const secret = "abandon ability able about above absent absorb abstract absurd abuse access";
  assert.throws(
    () => settingsOf(["start", "--mnemonic", secret]),
    (error: Error) => !/abandon/.test(error.message),
  );
  assert.equal(settingsOf(["start", "--mnemonic", ` ${secret}  zoo\n`]).mnemonic, `${secret} zoo`);
});
