import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { test } from "node:test";
import { Beacon } from "./beacon.ts";

test("a request that meets a socket which the node closes is sent again, once", async (t) => {
  const answers: Readonly<Record<string, unknown>> = {
    "/eth/v1/beacon/genesis": { genesis_time: "100" },
    "/eth/v1/config/spec": { SECONDS_PER_SLOT: "12" },
    "/eth/v1/beacon/blob_sidecars/1": [{ blob: "0x00" }],
  };
  const requests = new Map<Socket, number>();
  let isDown = false;
  const server = createServer((request, response) => {
    const count = (requests.get(request.socket) ?? 0) + 1;
    requests.set(request.socket, count);
    if (isDown || count > 1) request.socket.destroy();
    else response.end(JSON.stringify({ data: answers[request.url ?? ""] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const beacon = new Beacon(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  t.after(() => beacon.close());

  assert.deepEqual(
    (await beacon.blobs(112)).map(({ blob }) => blob),
    ["0x00"],
  );

  isDown = true;
  const before = requests.size;
  await assert.rejects(beacon.blobs(112), { code: "upstream_unavailable" });
  assert.ok(requests.size - before <= 2);
});
