import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { createServer, request } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { connect } from "node:net";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { setDefaultCACertificates } from "node:tls";
import { selfSignedCertificate } from "../../../test/support/selfSigned.ts";
import { SimulatedChain } from "../../../test/support/simulatedChain.ts";
import { startSimulatedNode } from "../../../test/support/simulatedNode.ts";
import { Upstream } from "../upstream.ts";
import { proxyFor } from "./proxy.ts";

const RETRY = { attempts: 1, invalidAttempts: 1, unreachedAttempts: 1 };

test("the environment says which targets have a proxy", () => {
  const environment = { HTTPS_PROXY: "http://u%40x:p@proxy:3128", http_proxy: "plain:80" };
  const named = (url: string, NO_PROXY = "") => {
    const { protocol, hostname, port } = new URL(url);
    const target = { isSecure: protocol === "https:", hostname: hostname.replace(/^\[|\]$/g, ""), port };
    return proxyFor(target, { ...environment, NO_PROXY })?.name;
  };

  assert.equal(named("https://node.example"), "http://proxy:3128");
  assert.equal(named("http://node.example"), "http://plain");
  for (const url of ["http://localhost:8545", "https://127.3.2.1", "http://[::1]:80"])
    assert.equal(named(url), undefined);
  const direct: [noProxy: string, url: string][] = [
    ["*", "https://node.example"],
    ["other, node.example", "https://node.example"],
    ["example", "https://node.example"],
    [".example", "https://node.example"],
    ["node.example:443", "https://node.example"],
    ["NODE.example:8545", "http://node.example:8545"],
    ["10.0.0.0/8", "http://10.200.3.4:8545"],
    ["10.1.2.3", "http://10.1.2.3"],
    ["fd00::/8", "http://[fd12::1]:8545"],
    ["fd12::1", "http://[fd12::1]:8545"],
  ];
  for (const [noProxy, url] of direct) assert.equal(named(url, noProxy), undefined, `${noProxy} ${url}`);
  const proxied: [noProxy: string, url: string][] = [
    ["ode.example", "https://node.example"],
    [".node.example", "https://node.example"],
    ["node.example:80", "https://node.example"],
    ["10.0.0.0/8", "http://11.0.0.1"],
    ["10.0.0.0/99, nonsense/8, ,", "http://10.0.0.1"],
    ["", "http://10.0.0.1"],
  ];
  for (const [noProxy, url] of proxied) assert.ok(named(url, noProxy), `${noProxy} ${url}`);
  const target = { isSecure: true, hostname: "node.example", port: "" };
  assert.equal(proxyFor(target, environment)?.authorization, `Basic ${Buffer.from("u@x:p").toString("base64")}`);
  assert.throws(() => proxyFor(target, { HTTPS_PROXY: "socks5://secret@proxy" }), /http:\/\/ or https:\/\/ URL$/);
});

async function openProxy(t: TestContext, to: () => number) {
  const asked: string[] = [];
  const isKnown = ({ headers }: IncomingMessage) =>
    headers["proxy-authorization"] === `Basic ${Buffer.from("name:secret-pass").toString("base64")}`;
  const server = createServer((incoming, response) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    if (!isKnown(incoming)) return void response.writeHead(407).end();
    const headers = { ...incoming.headers };
    delete headers["proxy-authorization"];
    const { pathname } = new URL(incoming.url!);
    const passed = request({ host: "127.0.0.1", port: to(), method: incoming.method, path: pathname, headers });
    passed.on("response", (answer) => answer.pipe(response.writeHead(answer.statusCode!, answer.headers)));
    incoming.pipe(passed);
  });
  server.on("connect", (incoming: IncomingMessage, socket: Socket) => {
    asked.push(`CONNECT ${incoming.url}`);
    if (!isKnown(incoming)) return void socket.end("HTTP/1.1 407 Who are you\r\n\r\n");
    const passed = connect(to(), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.pipe(passed).pipe(socket);
    });
    passed.on("error", () => socket.destroy());
    socket.on("error", () => passed.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { asked, port: (server.address() as AddressInfo).port };
}

function setEnvironment(t: TestContext, values: Record<string, string>): void {
  Object.assign(process.env, values);
  t.after(() => {
    for (const name of Object.keys(values)) delete process.env[name];
  });
}

test("a node is reached through a proxy, over TLS through a tunnel, and no password is shown", async (t) => {
  const chain = new SimulatedChain({ seed: 5 });
  chain.mine(4);
  const tls = selfSignedCertificate();
  setDefaultCACertificates([tls.cert]);
  const [plain, secure] = [await startSimulatedNode(chain), await startSimulatedNode(chain, { tls })];
  t.after(() => Promise.all([plain.close(), secure.close()]));
  for (const node of [plain, secure]) {
    const proxy = await openProxy(t, () => Number(new URL(node.url).port));
    const isSecure = node === secure;
    const url = `${isSecure ? "https" : "http"}://node.example/path`;
    const name = isSecure ? "HTTPS_PROXY" : "HTTP_PROXY";
    const options = { url, headers: { host: "localhost" }, chainId: 677, retry: RETRY };

    setEnvironment(t, { [name]: `http://name:secret-pass@127.0.0.1:${proxy.port}` });
    const upstream = new Upstream(options);
    assert.deepEqual((await upstream.blocks(1, 3)).length, 3);
    assert.equal((await upstream.head()).number, 4);
    await upstream.close();

    setEnvironment(t, { [name]: `http://name:other-pass@127.0.0.1:${proxy.port}` });
    const stranger = new Upstream(options);
    await assert.rejects(stranger.head(), ({ message }: Error) => /407/.test(message) && !/pass|name:/.test(message));
    await stranger.close();

    const what = isSecure ? "CONNECT node.example:443" : "POST http://node.example/path";
    assert.deepEqual([...new Set(proxy.asked)], [what]);
  }
});

test("a proxy that is not there, or says nothing, is a node that cannot be reached", async (t) => {
  const silent = createServer();
  silent.on("connect", () => {});
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  t.after(() => {
    silent.close();
    silent.closeAllConnections();
  });
  for (const port of [1, (silent.address() as AddressInfo).port]) {
    setEnvironment(t, { HTTPS_PROXY: `http://127.0.0.1:${port}` });
    const upstream = new Upstream({ url: "https://node.example", chainId: 677, retry: RETRY, timeoutMs: 300 });
    await assert.rejects(upstream.head(), { code: "upstream_unavailable" });
    await upstream.close();
  }
});
