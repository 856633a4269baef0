import fastify from "fastify";

/** A route that has objects at hand and does nothing but stringify them; its parent sends their texts first, then asks for its CPU. */
const app = fastify();
let objects: readonly object[] = [];
app.get<{ Params: { at: string } }>("/:at", async ({ params }) => objects[Number(params.at)]);

process.on("message", async (message: { readonly texts: readonly string[] } | "cpu") => {
  if (message === "cpu") {
    const { user, system } = process.cpuUsage();
    process.send!((user + system) / 1000);
    return;
  }
  objects = message.texts.map((text) => JSON.parse(text) as object);
  process.send!(await app.listen({ port: 0, host: "127.0.0.1" }));
});
process.on("disconnect", () => process.exit());
