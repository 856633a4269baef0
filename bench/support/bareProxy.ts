import fastify from "fastify";
import { Pool } from "undici";

/** The plainest proxy: a body in, to the node, and its answer back; beside it a buffer that is sent as it is. */
const [url = "", bytes = "0"] = process.argv.slice(2);
const pool = new Pool(url, { connections: 32 });
const buffer = Buffer.alloc(Number(bytes), "a");
const app = fastify({ bodyLimit: 5 << 20 });
app.removeAllContentTypeParsers();
app.addContentTypeParser("application/json", { parseAs: "string" }, (_, body, done) => done(null, body));
app.post("/rpc", async (request, reply) => {
  const headers = { "content-type": "application/json" };
  const { body } = await pool.request({ method: "POST", path: "/", headers, body: request.body as string });
  return reply.type("application/json").send(await body.text());
});
app.post("/static", async (_, reply) => reply.type("application/json").send(buffer));

process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send!((user + system) / 1000);
});
process.on("disconnect", () => process.exit());
process.send!(await app.listen({ port: 0, host: "127.0.0.1" }));
