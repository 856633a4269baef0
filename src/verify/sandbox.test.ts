import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { childrenOf, temporaryDirectory } from "../../test/support/program.ts";
import { until } from "../../test/support/waiting.ts";
import type { SandboxLimits } from "./sandbox.ts";
import { runSandboxed } from "./sandbox.ts";

const LIMITS: SandboxLimits = { milliseconds: 30_000, bytes: 512 << 20, output: 1 << 20 };

interface Run {
  readonly input?: string;
  readonly reads?: readonly string[];
  readonly limits?: Partial<SandboxLimits>;
  readonly signal?: AbortSignal;
}

function run(t: TestContext, code: string, { input = "", reads = [], limits, signal }: Run = {}) {
  const script = join(realpathSync(temporaryDirectory(t)), "script.mjs");
  writeFileSync(script, code);
  return runSandboxed({ script, reads, input }, { ...LIMITS, ...limits }, signal);
}

test("a script is given its input and answers what it prints", async (t) => {
  const input = "ä".repeat(300_000);
  const code = `
    import { text } from "node:stream/consumers";
    const given = await text(process.stdin);
    process.stdout.write(String(given.length) + given.at(-1));`;

  assert.deepEqual(await run(t, code, { input }), { output: "300000ä" });
});

/** Each script prints its result or the error code. */
const attempt = (body: string) => `
  try { ${body} } catch (error) { console.log(error.code ?? error.cause?.code ?? error.message); }`;

test("a script reads what it may and nothing else", async (t) => {
  const folder = realpathSync(temporaryDirectory(t));
  mkdirSync(join(folder, "open"));
  writeFileSync(join(folder, "open", "a.txt"), "may be read");
  writeFileSync(join(folder, "secret.txt"), "may not");
  const read = (path: string) => attempt(`console.log(readFileSync(${JSON.stringify(path)}, "utf8"));`);
  const paths = ["/etc/passwd", "/proc/self/environ", join(folder, "secret.txt"), `${folder}/open/../secret.txt`];
  const code = `import { readFileSync, readdirSync } from "node:fs";
    ${[join(folder, "open", "a.txt"), ...paths].map(read).join("\n")}
    ${attempt('console.log(readdirSync("."))')}
    ${attempt('console.log(readdirSync("/"))')}`;

  const result = await run(t, code, { reads: [join(folder, "open")] });

  assert.deepEqual(result, { output: `may be read\n${"ERR_ACCESS_DENIED\n".repeat(6)}` });
});

test("a script writes nothing, starts nothing and loads no native code", async (t) => {
  const target = join(temporaryDirectory(t), "written");
  const path = JSON.stringify(target);
  const code = `
    import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
    import { execFileSync, spawn } from "node:child_process";
    import { Worker } from "node:worker_threads";
    ${attempt(`writeFileSync(${path}, "x")`)}
    ${attempt('writeFileSync("here", "x")')}
    ${attempt(`mkdirSync(${path})`)}
    ${attempt(`symlinkSync("/etc/passwd", ${path})`)}
    ${attempt('execFileSync("true")')}
    ${attempt('spawn("true")')}
    ${attempt('new Worker("1", { eval: true })')}
    ${attempt('process.dlopen({ exports: {} }, "/x.node")')}`;

  assert.deepEqual(await run(t, code), {
    output: `${"ERR_ACCESS_DENIED\n".repeat(7)}ERR_DLOPEN_DISABLED\n`,
  });
  assert.equal(existsSync(target), false);
});

test("a script has no environment, no arguments and a folder of its own that is gone after", async (t) => {
  process.env.SOME_SECRET = "secret";
  t.after(() => delete process.env.SOME_SECRET);
  const code = "console.log(JSON.stringify([Object.keys(process.env), process.argv.length, process.cwd()]));";

  const result = await run(t, code);

  assert.ok("output" in result);
  const [environment, args, folder] = JSON.parse(result.output) as [string[], number, string];
  // Bash sets `_`.
  assert.deepEqual([environment.filter((name) => name !== "_"), args], [[], 2]);
  assert.match(folder, /oriel-sandbox-/);
  assert.equal(existsSync(folder), false);
  assert.equal(existsSync(dirname(folder)), true);
});

const hasNetworkRights = Number(process.versions.node.split(".")[0]) >= 25;

test("a script opens no connection", { skip: !hasNetworkRights && "Node 24 has no rights for networks" }, async (t) => {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  const code = `
    import { connect, createServer } from "node:net";
    import { lookup } from "node:dns/promises";
    import { createSocket } from "node:dgram";
    const failure = (emitter) => new Promise((_, reject) => emitter.once("error", reject));
    ${attempt(`await fetch("http://127.0.0.1:${port}"); console.log("fetched");`)}
    ${attempt(`const socket = connect(${port}, "127.0.0.1"); await failure(socket);`)}
    ${attempt('await lookup("example.com"); console.log("looked up");')}
    ${attempt("const server = createServer(); const failed = failure(server); server.listen(0); await failed;")}
    ${attempt(`const udp = createSocket("udp4"); const failed = failure(udp); udp.send("x", ${port}, "127.0.0.1"); await failed;`)}
    process.exit(0);`;

  const result = await run(t, code);

  assert.deepEqual(result, { output: "ERR_ACCESS_DENIED\n".repeat(5) });
  assert.equal(connections, 0);
});

test("a script that goes beyond a limit is ended, and so is what crashes", async (t) => {
  const cases: readonly [string, Partial<SandboxLimits>, string][] = [
    ["for (;;);", { milliseconds: 500 }, "time"],
    ["setInterval(() => {}, 1000);", { milliseconds: 500 }, "time"],
    ["const all = []; for (;;) all.push(new Uint8Array(1 << 24).fill(1));", { bytes: 200 << 20 }, "memory"],
    [
      "new WebAssembly.Memory({ initial: 8192 }).buffer; const b = new Uint8Array(new WebAssembly.Memory({ initial: 8192 }).buffer).fill(1); for (;;);",
      { bytes: 200 << 20 },
      "memory",
    ],
    [
      'for (;;) await new Promise((done) => process.stdout.write("x".repeat(100_000), done));',
      { output: 1 << 20 },
      "output",
    ],
    ["process.exit(3);", {}, "crash"],
    ["throw new Error();", {}, "crash"],
    ['process.kill(process.pid, "SIGKILL");', {}, "crash"],
    ["syntax error", {}, "crash"],
  ];

  for (const [code, limits, ended] of cases) assert.deepEqual(await run(t, code, { limits }), { ended }, code);
});

test("a script that does not read its input, or whose caller gives up, is ended too", async (t) => {
  const unread = await run(t, "process.exit(0);", { input: "x".repeat(1 << 20) });
  assert.deepEqual(unread, { output: "" });

  const closing = new AbortController();
  const running = run(t, "for (;;);", { signal: closing.signal });
  setTimeout(() => closing.abort(), 200);
  assert.deepEqual(await running, { ended: "crash" });
});

test("a script whose parent was killed is ended by the system", async (t) => {
  const folder = realpathSync(temporaryDirectory(t));
  writeFileSync(join(folder, "endless.mjs"), "for (;;);");
  writeFileSync(
    join(folder, "parent.mjs"),
    `import { runSandboxed } from ${JSON.stringify(new URL("./sandbox.ts", import.meta.url))};
    await runSandboxed({ script: ${JSON.stringify(join(folder, "endless.mjs"))}, reads: [], input: "" }, { milliseconds: 1000, bytes: 1e9, output: 1e6 });`,
  );
  const parent = spawn(process.execPath, [join(folder, "parent.mjs")], { stdio: "ignore" });
  t.after(() => parent.kill("SIGKILL"));
  await until("the script runs", () => childrenOf(parent.pid!).length === 1);
  const [script] = childrenOf(parent.pid!);
  parent.kill("SIGKILL");

  await until("the script is gone", () => !existsSync(`/proc/${script}/stat`), 60);
});
