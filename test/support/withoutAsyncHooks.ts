import asyncHooks from "node:async_hooks";

/**
 * Loaded before the tests. The test runner installs an async hook to learn which test an uncaught error belongs to, and every
 * promise pays for it: a fifth of the CPU of the suite. Without it such an error fails the file instead of the test.
 */
const INERT = {
  enable: () => INERT,
  disable: () => INERT,
} as ReturnType<typeof asyncHooks.createHook>;

asyncHooks.createHook = () => INERT;
