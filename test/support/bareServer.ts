import { spawn } from "node:child_process";
import { once } from "node:events";

const PROGRAM = `
const server = require("node:http").createServer((request, response) => {
  request.resume().on("end", () => response.end("{}"));
});
server.listen(0, "127.0.0.1", () => process.send(server.address().port));
process.on("disconnect", () => process.exit());`;

/** A server in a process of its own that does nothing but answer: what it makes others wait, the machine does. */
export async function startBareServer(after: (clean: () => unknown) => void): Promise<string> {
  const child = spawn(process.execPath, ["-e", PROGRAM], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  after(() => child.kill());
  const [port] = await once(child, "message");
  return `http://127.0.0.1:${port}`;
}
