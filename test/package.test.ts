import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

interface Locked {
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  readonly dev?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

const packages = (JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: Record<string, Locked> })
  .packages;
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;

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

test("dependencies have exact versions", () => {
  const { dependencies, devDependencies, optionalDependencies } = manifest;
  const versions = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });

  assert.deepEqual(
    versions.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)),
    [],
  );
});

test("nothing that runs needs an install script", () => {
  const needy = Object.entries(packages).filter(([, entry]) => entry.hasInstallScript === true && entry.dev !== true);

  assert.deepEqual(needy, []);
});
