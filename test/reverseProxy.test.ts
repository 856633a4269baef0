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
import { temporaryDirectory, until } from "./support/program.ts";

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

/** What a server answers to a call over a connection of its own. */
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

/** Runs nginx with one server, whose directives are given. */
async function runNginx(t: TestContext, directives: string): Promise<void> {
  const directory = temporaryDirectory(t);
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${join(directory, name)};`,
  );
  const config = `daemon off; master_process off; pid ${join(directory, "pid")}; error_log stderr;
    events {} http { access_log off; ${paths.join(" ")} server { ${directives} } }`;
  writeFileSync(join(directory, "nginx.conf"), config);
  run(t, NGINX!, ["-p", directory, "-c", join(directory, "nginx.conf")]);
}

async function behindNginx(t: TestContext, settings: ServeOptions["settings"], directives: string): Promise<number> {
  const [oriel, port] = [await open(t, settings), await freePort()];
  const own = directives.replaceAll("127.0.0.1:6770", `127.0.0.1:${oriel}`);
  await runNginx(t, `listen 127.0.0.1:${port}; ${own.replace(/(listen 443 ssl|ssl_certificate\w* \S+);/g, "")}`);
  await answers(port);
  return port;
}

test("behind nginx as the page has it, only what is for everyone is answered", { skip: !NGINX }, async (t) => {
  const directives = /```nginx\nserver \{\n(.*?)\n\}\n```/s.exec(PAGE)![1]!;

  const port = await behindNginx(t, RECIPE, directives);

  await expectPublic(port);
  await expectLargeRefused(port);
});

test("behind nginx with a bare proxy_pass, which Oriel is not told of, too", { skip: !NGINX }, async (t) => {
  await expectPublic(await behindNginx(t, {}, "location / { proxy_pass http://127.0.0.1:6770 ; }"));
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

/** What the proxies send with a request of a browser elsewhere, as their documentation has it. */
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

test("a program on this machine may use the rest, unless Oriel is told of a proxy", async (t) => {
  assert.notEqual((await ask(await open(t), "evm_mine")).result, undefined);
  await expectPublic(await open(t, RECIPE));
});
