import type { TestContext } from "node:test";
import { after, beforeEach } from "node:test";

/** Imported first where files share a process. Waits of the code under test do not keep a process alive: this timer does, until the last test has ended. */
const alive = setInterval(() => {}, 1 << 30);
after(() => clearInterval(alive));

type After = TestContext["after"];

/** Releases what a test closes: the runner keeps the hooks of a test until the process ends, and with them stores of 40 MB. */
function releasing(register: After): After {
  return function registerOnce(this: TestContext, hook, options) {
    let clean = hook;
    const once: typeof hook = (...args) => {
      const run = clean as (...args: unknown[]) => unknown;
      clean = undefined;
      return run?.(...args) as undefined;
    };
    return register.call(this, once, options);
  };
}

let isPatched = false;
beforeEach((t) => {
  if (isPatched) return;
  isPatched = true;
  const prototype = Object.getPrototypeOf(t) as TestContext;
  prototype.after = releasing(prototype.after);
});
