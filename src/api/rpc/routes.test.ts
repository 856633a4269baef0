import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { ServeOptions } from "../../../test/support/api.ts";
import { serveChain } from "../../../test/support/api.ts";
import { handleFor } from "../../../test/support/portNode.ts";
import { until } from "../../../test/support/waiting.ts";
import { ChainError } from "../../chain/error.ts";
import type { RpcBackend } from "../../jsonrpc/backend.ts";
import { ResponseParts } from "../../jsonrpc/responseBody.ts";
import { SharedBytes } from "../../std/bytes.ts";
import { MAX_BODY, MAX_WAITING } from "./routes.ts";

const JSON_TYPE = { "content-type": "application/json" };

async function open(t: TestContext, settings: ServeOptions["settings"] = {}, handle?: RpcBackend["handle"]) {
  const served = await serveChain({
    seed: 8,
    blocks: 3,
    settings,
    rpc: (chain) => ({ handle: handle ?? handleFor(chain) }),
  });
  await served.app.listen({ host: "127.0.0.1", port: 0 });
  t.after(() => served.close());
  const { port } = served.app.server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const post = (body: string | object, headers: Record<string, string> = {}, path = "/rpc") =>
    fetch(origin + path, {
      method: "POST",
      body: typeof body === "string" ? body : JSON.stringify(body),
      headers: { ...JSON_TYPE, ...headers },
    });
  return { ...served, port, origin, post };
}

const call = (method: string, ...params: unknown[]) => ({ jsonrpc: "2.0", id: 1, method, params });

test("JSON-RPC is answered at /rpc and at /, to every origin", async (t) => {
  const { post, chain } = await open(t);
  for (const path of ["/rpc", "/rpc/", "/"]) {
    for (const type of ["application/json", "application/json-rpc", "application/jsonrequest; charset=utf-8"]) {
      const response = await post(call("eth_chainId"), { "content-type": type, origin: "https://dapp.example" }, path);
      assert.equal(response.status, 200);
      assert.match(response.headers.get("content-type")!, /^application\/json/);
      assert.equal(response.headers.get("access-control-allow-origin"), "*");
      assert.equal(await response.text(), '{"jsonrpc":"2.0","id":1,"result":"0x2a5"}');
    }
  }
  const batch = await post([call("eth_blockNumber"), call("eth_nope"), { jsonrpc: "2.0", method: "eth_chainId" }]);
  const [number, refused, ...others] = (await batch.json()) as { result?: string; error?: { code: number } }[];
  assert.deepEqual(
    [Number(number!.result), refused!.error!.code, others, batch.status],
    [chain.head.number, -32_601, [], 200],
  );
});

test("hardhat is known by its User-Agent", async (t) => {
  const known: (boolean | undefined)[] = [];
  const handle: RpcBackend["handle"] = async (_body, _isTrusted, _signal, isHardhat) => {
    known.push(isHardhat);
    return "{}";
  };
  const { post } = await open(t, {}, handle);

  for (const agent of ["hardhat 2.28.0", "Hardhat 3.18.0", "node", "curl/8 (not hardhat )"]) {
    await post(call("eth_chainId"), { "user-agent": agent });
  }

  assert.deepEqual(known, [true, true, false, false]);
});

test("where explorers have it, public methods are answered whatever the content type, and errors are JSON-RPC's", async (t) => {
  const { origin, post } = await open(t);
  for (const path of ["/api/eth-rpc", "/api/eth-rpc/", "/api/v1/eth-rpc"]) {
    for (const type of ["application/json", "text/plain", "application/x-www-form-urlencoded"]) {
      const response = await post(call("eth_chainId"), { "content-type": type }, path);
      assert.deepEqual([response.status, await response.json()], [200, { jsonrpc: "2.0", id: 1, result: "0x2a5" }]);
    }
    const refusals: [status: number, code: number, response: Response][] = [
      [200, -32_601, await post(call("evm_mine"), {}, path)],
      [200, -32_700, await post("{", {}, path)],
      [200, -32_600, await post("[]", {}, path)],
      [413, -32_600, await post(`[${" ".repeat(MAX_BODY)}]`, {}, path)],
      [405, -32_600, await fetch(origin + path)],
      [415, -32_600, await fetch(origin + path, { method: "POST" })],
    ];
    for (const [status, code, response] of refusals) {
      const { jsonrpc, error } = (await response.json()) as { jsonrpc: string; error: { code: number } };
      assert.deepEqual([response.status, jsonrpc, error.code], [status, "2.0", code], path);
    }
  }
});

test("invalid JSON is answered with an error under HTTP status 200", async (t) => {
  const { post } = await open(t);
  for (const [body, code] of [
    ["{", -32_700],
    ["[]", -32_600],
    ["7", -32_600],
  ] as const) {
    const response = await post(body);
    const { error, id } = (await response.json()) as { error: { code: number }; id: unknown };
    assert.deepEqual([response.status, error.code, id], [200, code, null], body);
  }
  const notice = await post({ jsonrpc: "2.0", method: "eth_chainId" });
  assert.deepEqual([notice.status, await notice.text()], [200, ""]);
});

test("HTTP refuses other methods, other content and large bodies, in the form of JSON-RPC", async (t) => {
  const { origin, post } = await open(t);
  const cases: [status: number, response: Response][] = [
    [415, await post(call("eth_chainId"), { "content-type": "text/plain" })],
    [415, await post(call("eth_chainId"), { "content-type": "application/jsonp" })],
    [415, await fetch(`${origin}/rpc`, { method: "POST" })],
    [413, await post(`[${" ".repeat(MAX_BODY)}]`)],
    [405, await fetch(`${origin}/rpc`, { method: "PUT", body: "{}", headers: JSON_TYPE })],
    [405, await fetch(`${origin}/rpc`, { method: "DELETE" })],
    [501, await upgrade(origin)],
    [501, await upgrade(origin, "/")],
    [501, await upgrade(origin, "/?key=1")],
  ];
  for (const [status, response] of cases) {
    const { jsonrpc, id, error } = (await response.json()) as Record<string, { code: number; message: string }>;
    assert.deepEqual([response.status, jsonrpc, id, error!.code], [status, "2.0", null, -32_600]);
    assert.match(response.headers.get("content-type")!, /^application\/json/);
  }
  assert.equal((await post(`[${" ".repeat(MAX_BODY - 2)}]`)).status, 200);
});

function upgrade(origin: string, path = "/rpc"): Promise<Response> {
  const { port, hostname } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n` +
          "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
      ),
    );
    let answer = "";
    socket.setEncoding("utf8").on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("error", reject).on("end", () => {
      const status = Number(/^HTTP\/1.1 (\d+)/.exec(answer)![1]);
      const headers = { "content-type": /content-type: (.*)\r/i.exec(answer)?.[1] ?? "" };
      resolve(new Response(answer.slice(answer.indexOf("\r\n\r\n") + 4), { status, headers }));
    });
  });
}

test("a probe with GET is answered with nothing, a WebSocket client is turned away, a preflight passes", async (t) => {
  const { origin, port } = await open(t);
  const probe = await fetch(`${origin}/rpc`);
  assert.deepEqual([probe.status, await probe.text()], [200, ""]);
  assert.equal((await fetch(origin)).status, 404);

  const socket = new WebSocket(`ws://127.0.0.1:${port}/rpc`);
  const ended = await new Promise((resolve) => {
    socket.onopen = () => resolve("open");
    socket.onerror = () => resolve("refused");
  });
  assert.equal(ended, "refused");

  const headers = { origin: "https://dapp.example", "access-control-request-method": "POST" };
  const preflight = await fetch(`${origin}/rpc`, {
    method: "OPTIONS",
    headers: { ...headers, "access-control-request-headers": "content-type" },
  });
  assert.equal(preflight.status, 204);
  assert.match(preflight.headers.get("access-control-allow-methods")!, /POST/);
  assert.equal(preflight.headers.get("access-control-allow-headers"), "content-type");
});

test("without a backend there is no JSON-RPC", async (t) => {
  const served = await serveChain({ seed: 8 });
  t.after(() => served.close());
  for (const url of ["/rpc", "/"]) {
    const response = await served.app.inject({ method: "POST", url, payload: call("eth_chainId") });
    assert.deepEqual([response.statusCode, response.json()], [404, { message: "Not found" }]);
  }
});

test("a large answer is sent as it is", async (t) => {
  const large = JSON.stringify({ jsonrpc: "2.0", id: 1, result: `0x${"ab".repeat(2 << 20)}` });
  const { post } = await open(t, {}, async () => large);

  assert.equal(await (await post(call("any"))).text(), large);
});

test("an answer of several parts is sent whole, with its length, and to who takes it slowly too", async (t) => {
  const large = Buffer.alloc(8 << 20, "ab");
  const sent: SharedBytes[] = [];
  const { origin, post } = await open(t, {}, async () => {
    const shared = new SharedBytes(Buffer.from(large));
    sent.push(shared);
    return new ResponseParts(['{"é":"', shared, '"}']);
  });
  const expected = `{"é":"${String(large)}"}`;

  const response = await post(call("any"));
  assert.equal(response.headers.get("content-length"), String(Buffer.byteLength(expected)));
  assert.ok((await response.text()) === expected);

  const { port, hostname } = new URL(origin);
  const socket = connect(Number(port), hostname);
  const head = "POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close";
  socket.write(`${head}\r\nContent-Length: 2\r\n\r\n{}`);
  await until("the client has a full buffer", () => socket.readableLength >= socket.readableHighWaterMark);
  const answer = await text(socket);
  assert.ok(answer.endsWith(expected));

  const leaving = connect(Number(port), hostname);
  leaving.write(`${head}\r\nContent-Length: 2\r\n\r\n{}`);
  await new Promise((resolve) => leaving.once("data", resolve));
  leaving.destroy();
  await until("all bytes are freed", () => sent.every(({ bytes }) => bytes.length === 0));
  assert.equal(sent.length, 3);
});

test("while the node is away, every call is answered with an error that clients retry", async (t) => {
  const { post } = await open(t, {}, () => Promise.reject(new ChainError("upstream_unavailable", "away")));
  const response = await post([{ ...call("eth_chainId"), id: "a" }, call("eth_call")]);

  const error = { code: -32_603, message: "the node is restarting" };
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), [
    { jsonrpc: "2.0", id: "a", error },
    { jsonrpc: "2.0", id: 1, error },
  ]);
});

test("a defect of the backend is an internal error that says nothing", async (t) => {
  const { post } = await open(t, {}, () => Promise.reject(new Error("secret")));
  const response = await post(call("eth_chainId"));

  assert.deepEqual(
    [response.status, await response.text()],
    [200, '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"internal error"}}'],
  );
});

test("a long call does not delay others, and too many long calls are refused", async (t) => {
  const release = Promise.withResolvers<string>();
  let waiting = 0;
  const { post, get } = await open(t, {}, (body) => {
    if (!body.includes("slow")) return Promise.resolve("{}");
    waiting += 1;
    return release.promise;
  });
  const large = `{"method":"slow","params":["${"x".repeat(MAX_BODY - 100)}"]}`;
  const slow = Array.from({ length: Math.floor(MAX_WAITING / MAX_BODY) }, () => post(large));
  await until("all long calls are waiting", () => waiting === slow.length);

  assert.equal((await get("/api/v2/blocks/1")).status, 200);
  assert.equal((await post(call("fast"))).status, 200);
  const refused = await post(large);
  const { error } = (await refused.json()) as { error: { code: number } };
  assert.deepEqual([refused.status, refused.headers.get("retry-after"), error.code], [429, "1", -32_005]);
  release.resolve('"done"');
  for (const response of await Promise.all(slow)) assert.equal(await response.text(), '"done"');
  await until("there is room again", async () => (await post(large.replace("slow", "fast"))).status === 200);
});

const isMined = async (response: Promise<Response> | Response) =>
  ((await (await response).json()) as { error?: { code: number } }).error?.code !== -32_601;

test("methods that are not for the public are for programs on this machine", async (t) => {
  const { app, post } = await open(t);
  const from = async (remoteAddress: string, headers: Record<string, string> = {}) => {
    const payload = JSON.stringify(call("evm_mine"));
    const sent = { ...JSON_TYPE, ...headers };
    const response = await app.inject({ method: "POST", url: "/rpc", payload, headers: sent, remoteAddress });
    return response.json<{ error?: object }>().error === undefined;
  };

  assert.ok(await isMined(post(call("evm_mine"))));
  for (const address of ["127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1"]) assert.ok(await from(address), address);
  for (const address of ["10.0.0.1", "::ffff:10.0.0.1", "128.0.0.1", "fe80::1"]) assert.ok(!(await from(address)));
  const forwarding = [
    "x-forwarded-for",
    "x-forwarded-proto",
    "forwarded",
    "via",
    "x-real-ip",
    "x-client-ip",
    "client-ip",
  ];
  for (const name of [...forwarding, "true-client-ip", "cf-connecting-ip", "cdn-loop", "x-original-host"]) {
    for (const value of ["127.0.0.1", ""]) assert.ok(!(await from("127.0.0.1", { [name]: value })), name);
  }
});

test("a public call does not wait until the client's process is found", async (t) => {
  const trusted: boolean[] = [];
  const handle: RpcBackend["handle"] = async (_body, isTrusted) => {
    trusted.push(isTrusted);
    return "{}";
  };
  const { post } = await open(t, {}, handle);
  const balance = call("eth_getBalance", `0x${"01".repeat(20)}`, "latest");
  const hidden = '{"params":[{"method":"eth_chainId"}],"id":1,"method":"evm_mine"}';

  for (const body of [call("eth_chainId"), balance, '{"id":1,"method" : "net_version"}']) await post(body);
  for (const body of [call("eth_call", {}), call("evm_mine"), [call("eth_chainId")], hidden]) await post(body);

  assert.deepEqual(trusted, [false, false, false, true, true, true, true]);
});

test("a web page of another site cannot use them, whatever it is called; one on this machine can", async (t) => {
  const { post } = await open(t);
  const foreign = [
    "https://dapp.example",
    "null",
    "http://localhost.dapp.example",
    "http://127.0.0.1.dapp.example",
    "http://localhost@dapp.example",
    "file://",
    "chrome-extension://localhost",
    "http://[::2]",
    "http://128.0.0.1",
    "http://10.0.0.1:3000",
  ];
  for (const origin of foreign) {
    assert.ok(!(await isMined(post(call("evm_mine"), { origin }))), origin);
    assert.equal((await post(call("eth_chainId"), { origin })).status, 200);
  }
  const own = [
    "http://localhost:3000",
    "https://localhost",
    "http://app.localhost",
    "http://127.0.0.1",
    "http://[::1]:5",
  ];
  for (const origin of own) assert.ok(await isMined(post(call("evm_mine"), { origin })), origin);
  const [origin = ""] = own;
  for (const site of ["same-origin", "same-site", "none"]) {
    assert.ok(await isMined(post(call("evm_mine"), { origin, "sec-fetch-site": site })), site);
  }
  assert.ok(!(await isMined(post(call("evm_mine"), { origin, "sec-fetch-site": "cross-site" }))));
  assert.ok(!(await isMined(post(call("evm_mine"), { "sec-fetch-site": "cross-site" }))));
});

test("a client with the access token counts as local, unless development methods are off", async (t) => {
  const accessToken = "8f".repeat(32);
  const proxied = { origin: "https://dapp.example", "x-forwarded-for": "10.0.0.1" };
  const { post } = await open(t, { accessToken });
  const none = await open(t, { accessToken, isPublic: true });
  const mined = (authorization: string, ask = post) => isMined(ask(call("evm_mine"), { ...proxied, authorization }));

  assert.ok(await mined(`Bearer ${accessToken}`));
  for (const wrong of ["Bearer", "Bearer ", accessToken, `Bearer ${accessToken}0`, `Basic ${accessToken}`]) {
    assert.ok(!(await mined(wrong)), wrong);
  }
  assert.ok(!(await mined(`Bearer ${accessToken}`, none.post)));
  const unset = await open(t);
  for (const wrong of ["Bearer undefined", "Bearer "]) assert.ok(!(await mined(wrong, unset.post)), wrong);
});

test("a host name that resolves to this machine gives no rights", async (t) => {
  const { app } = await open(t);
  const under = async (host: string) => {
    const headers = { ...JSON_TYPE, host };
    const response = await app.inject({ method: "POST", url: "/rpc", payload: call("evm_mine"), headers });
    return response.json<{ error?: object }>().error === undefined;
  };

  for (const host of ["127.0.0.1:6770", "localhost", "[::1]:6770"]) assert.ok(await under(host), host);
  for (const host of ["rebound.example:6770", "10.0.0.1", "a b"]) assert.ok(!(await under(host)), host);
});

test("nginx without further settings is no program of this machine: it asks in HTTP/1.0", async (t) => {
  const { origin } = await open(t);
  const { port } = new URL(origin);
  const asked = async (version: string) => {
    const body = JSON.stringify(call("evm_mine"));
    const head = `POST /rpc HTTP/${version}\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nConnection: close`;
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(`${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    return !(await text(socket)).includes('"error"');
  };

  assert.ok(await asked("1.1"));
  assert.ok(!(await asked("1.0")));
});

test("a setting says who may use development methods; behind a trusted proxy nobody may by default", async (t) => {
  const mine = call("evm_mine");
  const none = await open(t, { devMethods: "none" });
  assert.ok(!(await isMined(none.post(mine))));
  const all = await open(t, { devMethods: "all" });
  assert.ok(await isMined(all.post(mine, { origin: "https://dapp.example", "x-forwarded-for": "10.0.0.1" })));
  const shared = await open(t, { isPublic: true });
  assert.ok(!(await isMined(shared.post(mine))));
  const proxied = await open(t, { trustProxy: ["127.0.0.1"] });
  assert.ok(!(await isMined(proxied.post(mine))));
  const trusted = await open(t, { trustProxy: ["127.0.0.1"], devMethods: "loopback" });
  assert.ok(await isMined(trusted.post(mine)));
  for (const address of ["10.0.0.1", "127.0.0.1, 10.0.0.1", "127.0.0.1", ""]) {
    assert.ok(!(await isMined(trusted.post(mine, { "x-forwarded-for": address }))), address);
  }
});
