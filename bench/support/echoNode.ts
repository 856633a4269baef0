import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A node of its own process that answers every call with the same few hundred bytes. */
const server = createServer(async (request, response) => {
  const { id, method } = JSON.parse(await text(request)) as { id: number; method: string };
  const result = method === "eth_chainId" ? "0x2a5" : `0x${"ab".repeat(200)}`;
  response.writeHead(200, { "content-type": "application/json" });
  response.end(`{"jsonrpc":"2.0","id":${id},"result":"${result}"}`);
});
server.listen(0, "127.0.0.1", () => process.send!(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.on("disconnect", () => process.exit());
