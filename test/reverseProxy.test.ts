import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { ServeOptions } from "./support/api.ts";
import { serveChain } from "./support/api.ts";
import { handleFor } from "./support/portNode.ts";
import { temporaryDirectory } from "./support/program.ts";
import { until } from "./support/waiting.ts";

const PAGE = readFileSync(new URL("../docs/operations.md", import.meta.url), "utf8");

/** The settings that the page has Oriel start with behind its proxies. */
const RECIPE = { trustProxy: ["127.0.0.1"] };

async function open(t: TestContext, settings: ServeOptions["settings"] = {}): Promise<number> {
  const served = await serveChain({ seed: 8, blocks: 3, settings, rpc: (chain) => ({ handle: handleFor(chain) }) });
  await served.app.listen({ host: "127.0.0.1", port: 0 });
  t.after(() => served.close());
  return (served.app.server.address() as AddressInfo).port;
}

type Headers = Readonly<Record<string, string>>;

/** Response to a call over a new connection. */
async function ask(port: number, method: string, headers: Headers = {}): Promise<{ result?: unknown; error?: object }> {
  const asked = request({ port, path: "/rpc", method: "POST", agent: false });
  for (const [name, value] of Object.entries({ "content-type": "application/json", ...headers })) {
    asked.setHeader(name, value);
  }
  asked.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [] }));
  const [response] = await once(asked, "response");
  return JSON.parse(await text(response));
}

/** Reads are answered, and what is not for everyone is as if it did not exist. */
async function expectPublic(port: number, headers: Headers = {}): Promise<void> {
  assert.equal((await ask(port, "eth_chainId", headers)).result, "0x2a5");
  assert.equal((await ask(port, "evm_mine", headers)).result, undefined);
  assert.match(JSON.stringify((await ask(port, "evm_mine", headers)).error), /-32601/);
}

/** A body beyond what Oriel takes is refused as JSON-RPC refuses. */
async function expectLargeRefused(port: number, headers: Headers = {}): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/rpc`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: " ".repeat((5 << 20) + 1),
  });
  const { error } = (await answer.json()) as { error: { code: number; message: string } };
  assert.deepEqual([answer.status, error.code], [413, -32_600]);
  assert.match(error.message, /^request too large/);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

const isInstalled = (program: string, argument: string) => spawnSync(program, [argument]).error === undefined;
const NGINX = isInstalled("nginx", "-v") ? "nginx" : undefined;
const HAPROXY = isInstalled("haproxy", "-v") ? "haproxy" : undefined;
const CADDY = isInstalled("caddy", "version") ? "caddy" : undefined;

function run(t: TestContext, program: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): void {
  const child = spawn(program, args, { stdio: "ignore", env: { ...process.env, ...environment } });
  t.after(async () => {
    child.kill("SIGKILL");
    await once(child, "close");
  });
}

const answers = (port: number, headers?: Headers) =>
  until("the proxy listens", () =>
    ask(port, "eth_chainId", headers).then(
      () => true,
      () => false,
    ),
  );

/** Runs nginx with one server and the given directives; workers run as another user if configured. */
async function runNginx(t: TestContext, directives: string, user?: string): Promise<void> {
  const directory = temporaryDirectory(t);
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${join(directory, name)};`,
  );
  const workers = user === undefined ? "master_process off;" : `user ${user}; worker_processes 1;`;
  const config = `daemon off; ${workers} pid ${join(directory, "pid")}; error_log stderr;
    events {} http { access_log off; ${paths.join(" ")} server { ${directives} } }`;
  writeFileSync(join(directory, "nginx.conf"), config);
  run(t, NGINX!, ["-p", directory, "-c", join(directory, "nginx.conf")]);
}

interface ProxyOptions {
  /** The interface that it listens on. */
  readonly host?: string;
  readonly user?: string;
}

async function behindNginx(
  t: TestContext,
  settings: ServeOptions["settings"],
  directives: string,
  { host = "127.0.0.1", user }: ProxyOptions = {},
): Promise<number> {
  const [oriel, port] = [await open(t, settings), await freePort()];
  const own = directives.replaceAll("127.0.0.1:6770", `127.0.0.1:${oriel}`);
  await runNginx(t, `listen ${host}:${port}; ${own.replace(/(listen 443 ssl|ssl_certificate\w* \S+);/g, "")}`, user);
  await answers(port);
  return port;
}

test("behind nginx as the page has it, only what is for everyone is answered", { skip: !NGINX }, async (t) => {
  const directives = /```nginx\nserver \{\n(.*?)\n\}\n```/s.exec(PAGE)![1]!;

  const port = await behindNginx(t, RECIPE, directives);

  await expectPublic(port);
  await expectLargeRefused(port);
});

test("behind nginx with a bare proxy_pass that is not configured, too", { skip: !NGINX }, async (t) => {
  await expectPublic(await behindNginx(t, {}, "location / { proxy_pass http://127.0.0.1:6770 ; }"));
});

/** Headers of nginx since 1.29.7, and before if configured: they do not distinguish it from a local program. */
const KEEP_ALIVE =
  'location / { proxy_pass http://127.0.0.1:6770 ; proxy_http_version 1.1; proxy_set_header Connection ""; }';

test("behind nginx that speaks HTTP/1.1 as this user, and adds no header, too", { skip: !NGINX }, async (t) => {
  await expectPublic(await behindNginx(t, {}, KEEP_ALIVE, { host: "0.0.0.0" }));
});

const isRoot = process.getuid?.() === 0;

test("behind nginx that speaks HTTP/1.1 as its own user, too", { skip: !NGINX || !isRoot }, async (t) => {
  await expectPublic(await behindNginx(t, {}, KEEP_ALIVE, { user: "nobody nogroup" }));
});

test("behind haproxy that is not configured, too", { skip: !HAPROXY }, async (t) => {
  const [oriel, port, directory] = [await open(t), await freePort(), temporaryDirectory(t)];
  const file = join(directory, "haproxy.cfg");
  const config = `defaults
  mode http
  timeout connect 5s
  timeout client 5s
  timeout server 5s
frontend public
  bind :${port}
  http-request set-header Host 127.0.0.1:${oriel}
  default_backend oriel
backend oriel
  server oriel 127.0.0.1:${oriel}
`;
  writeFileSync(file, config);
  run(t, HAPROXY!, ["-f", file, "-db"]);
  await answers(port);

  await expectPublic(port);
});

test("behind caddy that hides itself, too", { skip: !CADDY }, async (t) => {
  const [oriel, port, directory] = [await open(t), await freePort(), temporaryDirectory(t)];
  const file = join(directory, "Caddyfile");
  const hidden = ["X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "Via"].map(
    (name) => `header_up -${name}`,
  );
  const upstream = `reverse_proxy 127.0.0.1:${oriel} {\n header_up Host 127.0.0.1:${oriel}\n ${hidden.join("\n")}\n}`;
  writeFileSync(file, `{\n admin off\n}\nhttp://:${port} {\n${upstream}\n}\n`);
  run(t, CADDY!, ["run", "--config", file], { HOME: directory });
  await answers(port);

  await expectPublic(port);
});

test("behind caddy as the page has it, too, whatever the client says of itself", { skip: !CADDY }, async (t) => {
  const [oriel, port, directory] = [await open(t, RECIPE), await freePort(), temporaryDirectory(t)];
  const site = /```text\n(explorer\.example \{.*?\n\})\n```/s
    .exec(PAGE)![1]!
    .replace("127.0.0.1:6770", `127.0.0.1:${oriel}`);
  const file = join(directory, "Caddyfile");
  writeFileSync(file, `{\n admin off\n}\n${site.replace("explorer.example", `http://explorer.example:${port}`)}\n`);
  run(t, CADDY!, ["run", "--config", file], { HOME: directory });
  const host = { host: "explorer.example" };
  await answers(port, host);

  await expectPublic(port, host);
  await expectPublic(port, {
    ...host,
    "x-forwarded-for": "127.0.0.1",
    "x-real-ip": "127.0.0.1",
    forwarded: "for=127.0.0.1",
  });
});

/** Headers that proxies add to a request of a remote browser, according to their documentation. */
const SENT: Readonly<Record<string, Headers>> = {
  "nginx as the page has it": {
    host: "explorer.example",
    "x-forwarded-for": "203.0.113.7",
    "x-forwarded-proto": "https",
  },
  "caddy's reverse_proxy": {
    host: "explorer.example",
    "x-forwarded-for": "203.0.113.7",
    "x-forwarded-proto": "https",
    "x-forwarded-host": "explorer.example",
  },
  "caddy with header_up Host, and the client's own X-Forwarded-For ignored": {
    host: "127.0.0.1:6770",
    "x-forwarded-for": "127.0.0.1",
    "x-forwarded-proto": "http",
    "x-forwarded-host": "localhost",
  },
  "nginx with no header but its own Host": { host: "explorer.example" },
};

for (const [name, headers] of Object.entries(SENT)) {
  test(`a request as it comes from ${name} uses only what is for everyone`, async (t) => {
    await expectPublic(await open(t, RECIPE), headers);
    await expectPublic(await open(t), headers);
  });
}

test("a program on this machine may use the rest, unless a proxy is configured", async (t) => {
  assert.notEqual((await ask(await open(t), "evm_mine")).result, undefined);
  await expectPublic(await open(t, RECIPE));
});
