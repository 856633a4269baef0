import assert from "node:assert/strict";
import type { AddressInfo, Socket } from "node:net";
import { createServer } from "node:net";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { eventLoopTurns, until } from "../../../test/support/waiting.ts";
import { parseEndpoint } from "../endpoint.ts";
import { HttpTransport } from "./transport.ts";

const LIMITS = { timeoutMs: 1000, bodyTimeoutMs: 1000, sockets: 1 };
const OK = "HTTP/1.1 200 OK\r\n";
const ONE = `${OK}content-length: 1\r\n\r\n1`;

async function openRaw(t: TestContext, answer: (socket: Socket, request: string) => void, limits = LIMITS) {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (data) => {
      requests.push(data.toString("latin1"));
      answer(socket, data.toString("latin1"));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const transport = new HttpTransport(parseEndpoint(`http://127.0.0.1:${port}/a?b`, { "X-Key": "\u00e9" }), limits);
  t.after(() => {
    transport.close();
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const post = async () => (await transport.post('["\u00e9"]', 1000)).text;
  return { transport, post, requests, port, sockets, connections: () => connections };
}

test("a request has the host with its port, the length in bytes and the headers of the endpoint", async (t) => {
  const { post, requests, port } = await openRaw(t, (socket) => socket.write(ONE));

  await post();

  const [head, body] = requests[0]!.split("\r\n\r\n");
  assert.deepEqual(head!.split("\r\n"), [
    "POST /a?b HTTP/1.1",
    `host: 127.0.0.1:${port}`,
    "content-type: application/json",
    "x-key: \u00e9",
    "accept-encoding: identity",
    "connection: keep-alive",
    "content-length: 6",
  ]);
  assert.equal(Buffer.from(body!, "latin1").toString(), '["\u00e9"]');
});

test("an answer that comes byte by byte is read, head and body", async (t) => {
  const text = `${OK}transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2;x\r\nde\r\n0\r\n\r\n`;
  const { post, connections } = await openRaw(t, async (socket) => {
    for (const letter of text) {
      await new Promise((resolve) => socket.write(letter, resolve));
      await eventLoopTurns(2);
    }
  });

  assert.equal(await post(), "abcde");
  assert.equal(await post(), "abcde");
  assert.equal(connections(), 1);
});

test("a head that drips is given up at its deadline", async (t) => {
  const limits = { ...LIMITS, timeoutMs: 100 };
  const { post } = await openRaw(
    t,
    (socket) => {
      socket.write(OK);
      const drip = setInterval(() => socket.write("a: b\r\n"), 10);
      socket.once("close", () => clearInterval(drip));
    },
    limits,
  );

  await assert.rejects(post(), { code: "upstream_unavailable", message: /no answer within 100 ms/ });
});

test("a head without end is refused", async (t) => {
  const { post } = await openRaw(t, (socket) => socket.write(`${OK}a: ${"x".repeat(100_000)}`));

  await assert.rejects(post(), { code: "upstream_invalid", message: /does not speak HTTP \(too long a head\)/ });
});

test("a connection that ends within a head is unavailable, and within a chunked body cut", async (t) => {
  const answers = [`${OK}a: b\r\n`, `${OK}transfer-encoding: chunked\r\n\r\n5\r\nabc`];
  const { post } = await openRaw(t, (socket) => socket.end(answers.shift()!));

  await assert.rejects(post(), { code: "upstream_unavailable", message: /ECONNRESET/ });
  await assert.rejects(post(), { code: "upstream_invalid", message: /cut its answer off after 3 bytes/ });
});

test("what follows an answer unasked is not taken for the next one", async (t) => {
  const forged = `${OK}content-length: 6\r\n\r\nforged`;
  for (const send of [
    (socket: Socket) => socket.write(ONE + forged),
    (socket: Socket) => {
      socket.write(ONE);
      setTimeout(() => socket.write(forged), 10);
    },
  ]) {
    const { post, connections, sockets } = await openRaw(t, send);

    assert.equal(await post(), "1");
    const [first] = sockets;
    await until("the client closes the connection", () => first!.destroyed || first!.readableEnded);
    assert.equal(await post(), "1");
    assert.equal(connections(), 2);
  }
});

test("a connection is not used again after connection: close, HTTP/1.0 or a short keep-alive", async (t) => {
  const heads = [
    `${OK}connection: close`,
    "HTTP/1.0 200 OK\r\nconnection: keep-alive",
    `${OK}keep-alive: timeout=1`,
    `${OK}x: y`,
    OK.trim(),
  ];
  const { transport, post, connections } = await openRaw(t, (socket) =>
    socket.write(`${heads.shift()}\r\ncontent-length: 1\r\n\r\n1`),
  );

  for (const expected of [1, 2, 3, 4, 4]) {
    assert.equal(await post(), "1");
    assert.equal(connections(), expected);
  }
  assert.equal(transport.epoch, 3);
});

test("a body without a length ends with its connection, and an interim answer is passed over", async (t) => {
  const { post, connections } = await openRaw(t, (socket) => {
    socket.write(`HTTP/1.1 102 Processing\r\n\r\n${OK}\r\nab`);
    setTimeout(() => socket.end("cd"), 10);
  });

  assert.equal(await post(), "abcd");
  assert.equal(await post(), "abcd");
  assert.equal(connections(), 2);
});

test("a request on a connection that the server has closed fails and is not sent twice", async (t) => {
  let isFirst = true;
  const { post, requests } = await openRaw(t, (socket) => {
    if (isFirst) socket.write(ONE);
    else socket.destroy();
    isFirst = false;
  });
  await post();

  await assert.rejects(post(), { code: "upstream_unavailable", message: /ECONNRESET/ });

  assert.equal(requests.length, 2);
});

test("a failure frees the socket for what waits", async (t) => {
  let count = 0;
  const { post } = await openRaw(t, (socket) => {
    count++;
    if (count === 1) socket.resetAndDestroy();
    else socket.write(ONE);
  });

  const results = await Promise.allSettled([post(), post(), post()]);

  assert.deepEqual(
    results.map(({ status }) => status),
    ["rejected", "fulfilled", "fulfilled"],
  );
});

test("a name with several addresses is reached at the one that answers", async (t) => {
  const { port } = await openRaw(t, (socket) => socket.write(ONE));
  const transport = new HttpTransport(parseEndpoint(`http://localhost:${port}`), LIMITS);
  t.after(() => transport.close());

  assert.equal((await transport.post("[]", 10)).text, "1");
});
