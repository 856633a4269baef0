import { readFileSync } from "node:fs";
import { parseEndpoint } from "../../src/source/endpoint.ts";
import { HttpTransport } from "../../src/source/http/transport.ts";

/** Posts to a URL in a process of its own, and prints what became of it and how much memory it took at most, in MiB. */
const [, , url = "", maxBytes = "0"] = process.argv;

function statusOf(name: "VmRSS" | "VmHWM"): number {
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync("/proc/self/status", "utf8"))![1]) / 1024;
}

const transport = new HttpTransport(parseEndpoint(url), { timeoutMs: 20_000, bodyTimeoutMs: 20_000, sockets: 1 });
// The first answer is small: what the client itself takes is there before anything is measured.
await transport.post("[]", 1 << 20);
const before = statusOf("VmRSS");
const outcome = await transport.post("[]", Number(maxBytes)).then(
  ({ text }) => text.length,
  ({ code }: { code: string }) => code,
);
console.log(JSON.stringify({ outcome, mebibytes: statusOf("VmHWM") - before }));
transport.close();
