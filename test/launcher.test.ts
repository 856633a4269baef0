import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { runProgram, temporaryDirectory } from "./support/program.ts";

const RUN_NODE = fileURLToPath(new URL("../bin/node.js", import.meta.url));
const STOP_SIGNAL = new URL("../src/cli/stopSignal.ts", import.meta.url).href;

/** A program under the launcher that has begun. */
async function launch(t: TestContext, source: string) {
  const script = join(temporaryDirectory(t), "program.mjs");
  writeFileSync(script, source);
  const program = runProgram(t, [script], { script: RUN_NODE });
  await once(program.child.stdout!, "data");
  return program;
}

for (const [signal, code] of [
  ["SIGTERM", 143],
  ["SIGINT", 130],
] as const) {
  test(`a program that hangs is killed after ${signal}`, { timeout: 120_000 }, async (t) => {
    const program = await launch(
      t,
      `import { writeSync } from "node:fs";
       process.on("${signal}", () => {});
       writeSync(1, "begun");
       for (;;);`,
    );

    const ending = await program.stop(signal);

    assert.equal(ending.code, code);
  });
}

test("a program that heard the signal may take its time to end", { timeout: 120_000 }, async (t) => {
  const program = await launch(
    t,
    `import { stopSignal } from "${STOP_SIGNAL}";
     const stopped = stopSignal();
     const waiting = setInterval(() => {}, 1000);
     console.log("begun");
     const code = await stopped;
     setTimeout(() => {
       console.log("all is closed");
       process.exit(code);
     }, 3500);`,
  );

  const ending = await program.stop();

  assert.deepEqual([ending.code, ending.stdout], [143, "begun\nall is closed\n"]);
});
