import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

interface Locked {
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly engines?: Readonly<Record<string, string>>;
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

const packages = (JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: Record<string, Locked> })
  .packages;
const readManifest = (path: string) => JSON.parse(readFileSync(path, "utf8")) as Manifest;
const manifest = readManifest("package.json");
/** Packages of tests with dependencies that conflict with the project's. */
const NODES = "test/nodes";
const HARDHAT_2 = "test/hardhat2";
const POSTGRES = "test/postgres";

test("the lockfile names no host", () => {
  assert.deepEqual(
    Object.entries(packages).filter(([, { resolved }]) => resolved?.includes("//")),
    [],
  );
});

test("the lockfile has every platform's package, so that npm ci works on all of them", () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) =>
        packages[`node_modules/${name}`] === undefined && packages[`${path}/node_modules/${name}`] === undefined,
    ),
  );

  assert.deepEqual(missing, []);
});

test("what the program uses is not left out with the packages for development", () => {
  const used = { ...manifest.dependencies, ...manifest.optionalDependencies };
  const forDevelopment = Object.entries(packages).flatMap(([path, { dev }]) =>
    dev === true ? [path.replace("node_modules/", "")] : [],
  );

  assert.deepEqual(
    Object.keys(used).filter((name) => forDevelopment.includes(name)),
    [],
  );
});

test("dependencies have exact versions", () => {
  const ofTests = [NODES, HARDHAT_2, POSTGRES].map((folder) => readManifest(`${folder}/package.json`));
  const versions = [manifest, ...ofTests].flatMap(({ dependencies, devDependencies = {}, optionalDependencies }) =>
    Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }),
  );

  assert.deepEqual(
    versions.filter(([, version]) => !/^(npm:[\w-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)),
    [
      ["development-nodes", `file:${NODES}`],
      ["hardhat-2", `file:${HARDHAT_2}`],
      ["postgres-server", `file:${POSTGRES}`],
    ],
  );
});

/** An optional package whose engines the Node that runs npm is not among is left out; ours runs it with a later Node. */
test("npm brings the node of hardhat whichever Node it runs on: its entries in the lockfile have no engines", () => {
  const binaries = Object.entries(packages).filter(([path]) => path.includes("@nomicfoundation/edr-"));

  assert.ok(binaries.length >= 7, `${binaries.length}`);
  assert.deepEqual(
    binaries.filter(([, { engines }]) => engines !== undefined),
    [],
  );
});

test("the nodes that tests follow are for development alone", () => {
  const nodes = Object.entries(packages).filter(([path]) => /hardhat|foundry|nomicfoundation|test\/nodes/.test(path));

  assert.deepEqual(
    nodes.filter(([path, { dev, link }]) => dev !== true && link !== true && path !== NODES && path !== HARDHAT_2),
    [],
  );
});

test("nothing that runs needs an install script", () => {
  const needy = Object.entries(packages).filter(
    ([, { hasInstallScript, dev, optional }]) => hasInstallScript === true && dev !== true && optional !== true,
  );

  assert.deepEqual(needy, []);
});
