import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { parse, parseAllDocuments } from "yaml";
import { COMMANDS } from "../src/commands.ts";
import { environmentName, SETTINGS, type SettingName } from "../src/config.ts";
import { serveChain } from "./support/api.ts";
import { readSections } from "./support/markdown.ts";

const read = (path: string) => readFileSync(path, "utf8");
const FILES = globSync("deploy/**/*.*", { exclude: ["deploy/test/**"] });
const YAML = FILES.filter((path) => /\.ya?ml$/.test(path) && !path.includes("/templates/"));
const parseYaml = <T>(path: string) => parse(read(path), { merge: true }) as T;

interface Composition {
  readonly services: Readonly<Record<string, Service>>;
}

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly read_only?: boolean;
}

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
}

interface Alerts {
  readonly groups: readonly { readonly rules: readonly { readonly expr: string }[] }[];
}

test("the files of deploy/ can be parsed", () => {
  assert.ok(YAML.length >= 9, `${YAML}`);
  for (const path of YAML) assert.equal(typeof parseYaml(path), "object", path);
});

test("the version is the same wherever it stands", () => {
  const { version } = JSON.parse(read("package.json")) as { version: string };
  const lock = JSON.parse(read("package-lock.json")) as { version: string; packages: { "": { version: string } } };
  const chart = parseYaml<{ version: string; appVersion: string }>("deploy/helm/oriel/Chart.yaml");
  const [, changed] = /^## (\d\S*), \d{4}-\d\d-\d\d$/m.exec(read("CHANGELOG.md"))!;
  const printed = [...read("README.md").matchAll(/oriel (\d+\.\d+\.\d+)/g)].map(([, found]) => found);
  const images = FILES.flatMap((path) => [...read(path).matchAll(/\boriel:(\d\S*)/g)].map(([, found]) => found));

  assert.deepEqual([lock.version, lock.packages[""].version, changed], [version, version, version]);
  assert.deepEqual([chart.version, chart.appVersion], [version, version]);
  assert.ok(printed.length > 0 && images.length > 1);
  assert.deepEqual(new Set([...printed, ...images]), new Set([version]));
});

describe("the settings in deploy/", () => {
  const known = new Set((Object.keys(SETTINGS) as SettingName[]).map(environmentName));

  test("are settings of the program", () => {
    for (const path of [...FILES, "deploy/Dockerfile", "docs/deployment.md"]) {
      for (const [name] of read(path).matchAll(/\bORIEL_[A-Z_]+/g)) assert.ok(known.has(name), `${path} names ${name}`);
      for (const [, flag] of read(path).matchAll(/\/oriel \w+ --([a-z-]+)/g))
        assert.ok(Object.hasOwn(SETTINGS, flag!), `${path} names --${flag}`);
    }
  });

  test("go with commands of the program", () => {
    const units = FILES.filter((path) => path.endsWith(".service"));
    const started = units.map((path) => /^ExecStart=\S+ (\w+)/m.exec(read(path))![1]!);
    const services = Object.values(parseYaml<Composition>("deploy/compose/postgres.yaml").services);
    const composed = services.flatMap(({ image, command = [] }) => (image.startsWith("oriel:") ? command : []));

    assert.deepEqual(composed, ["index", "index", "serve", "serve"]);
    assert.deepEqual(started.sort(), ["index", "serve", "start"]);
    for (const command of started) assert.ok(Object.hasOwn(COMMANDS, command));
  });
});

test("processes of Oriel have a root that they cannot write", () => {
  const compositions = ["single", "postgres"].map((name) => parseYaml<Composition>(`deploy/compose/${name}.yaml`));
  const ours = compositions
    .flatMap(({ services }) => Object.values(services))
    .filter(({ image }) => image.startsWith("oriel:"));

  assert.equal(ours.length, 5);
  assert.deepEqual(
    ours.filter(({ read_only }) => read_only !== true),
    [],
  );
  assert.match(read("deploy/helm/oriel/templates/_helpers.tpl"), /readOnlyRootFilesystem: true/);
});

const withoutHelm = spawnSync("helm", ["version"]).error !== undefined && "helm is not installed";

describe("the chart", { skip: withoutHelm }, () => {
  interface Resource {
    readonly kind: string;
    readonly metadata: { readonly name: string };
    readonly spec: { readonly template: { readonly spec: { readonly containers: readonly Container[] } } };
  }
  interface Container {
    readonly env: readonly { readonly name: string; readonly value?: string }[];
  }

  function render(values: object): Resource[] {
    const args = ["template", "explorer", "deploy/helm/oriel", "--kube-version", "1.31.0", "--values", "-"];
    const text = execFileSync("helm", args, { input: JSON.stringify(values), encoding: "utf8" });
    return parseAllDocuments(text).map((document) => document.toJS() as Resource);
  }

  const settingsOf = (resources: Resource[], name: string) => {
    const [container] = resources.find(({ kind, metadata }) => kind === "Deployment" && metadata.name === name)!.spec
      .template.spec.containers;
    return Object.fromEntries(container!.env.map((variable) => [variable.name, variable.value]));
  };

  test("writes settings as they are given, those of a part over those of both", () => {
    const resources = render({
      settings: { ORIEL_FROM_BLOCK: 20_000_000, ORIEL_TOKENS: false, ORIEL_CHAIN_NAME: "one" },
      index: { settings: { ORIEL_CHAIN_NAME: 'a "b"' } },
      serve: { settings: null },
    });

    const [index, serve] = ["explorer-index", "explorer-serve"].map((name) => settingsOf(resources, name));
    assert.deepEqual([index!.ORIEL_FROM_BLOCK, index!.ORIEL_TOKENS], ["20000000", "false"]);
    assert.deepEqual([index!.ORIEL_CHAIN_NAME, serve!.ORIEL_CHAIN_NAME], ['a "b"', "one"]);
  });

  test("has what is turned on, and nothing else", () => {
    const kinds = (values: object) =>
      render(values)
        .map(({ kind }) => kind)
        .sort();
    const always = ["Deployment", "Deployment", "Service"];

    const [on, off] = [{ enabled: true }, { enabled: false }];
    const all = kinds({ index: { replicas: 2 }, ingress: on, monitoring: on });
    const least = kinds({ serve: { replicas: 1, autoscaling: off } });

    const added = ["HorizontalPodAutoscaler", "Ingress", "PodDisruptionBudget", "PodDisruptionBudget", "PodMonitor"];
    assert.deepEqual(all, [...always, ...added].sort());
    assert.deepEqual(least, always);
  });
});

test("the dashboard and the alerts ask for metrics that are served", async () => {
  const dashboard = JSON.parse(read("deploy/grafana/dashboard.json")) as Dashboard;
  const alerts = parseYaml<Alerts>("deploy/prometheus/alerts.yml");
  const served = await serveChain({ seed: 2, blocks: 3 });
  const { payload } = await served.app.inject({ url: "/metrics" });
  await served.close();
  const names = [...payload.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name, type]) =>
    type === "histogram" ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
  );

  const asked = [
    ...dashboard.panels.flatMap(({ targets }) => targets),
    ...alerts.groups.flatMap(({ rules }) => rules),
  ].flatMap(({ expr }) => [...expr.matchAll(/\b(?:oriel|process|nodejs)_\w+/g)].map(([name]) => name));

  assert.ok(asked.length > 30, `${asked.length}`);
  assert.deepEqual(
    [...new Set(asked)].filter((name) => !names.includes(name)),
    [],
  );
});

test("the Dockerfile copies only what .dockerignore lets through, and all that an archive is made of", () => {
  const context = read(".dockerignore")
    .split("\n")
    .flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : []));
  const copied = [...read("deploy/Dockerfile").matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files]) =>
    files!.split(" "),
  );

  assert.ok(copied.length > 5);
  assert.deepEqual(
    copied.filter((file) => file !== "." && !context.includes(file)),
    [],
  );
  for (const file of ["bin", "build", "src", "web", "README.md", "CHANGELOG.md", "LICENSE"])
    assert.ok(context.includes(file), file);
});

test("deployment.md names files that exist, and every composition", () => {
  const commands = [...readSections("docs/deployment.md").values()].flatMap(({ code }) => code("sh")).join("\n");

  const paths = [...commands.matchAll(/deploy\/[\w./@-]+/g)].map(([path]) => path);
  assert.deepEqual(
    paths.filter((path) => !existsSync(path)),
    [],
  );
  for (const name of ["single", "postgres", "monitoring"])
    assert.ok(commands.includes(`deploy/compose/${name}.yaml`), name);
});
