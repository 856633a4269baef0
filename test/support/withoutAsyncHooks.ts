import asyncHooks from "node:async_hooks";

/**
 * Loaded before the tests. The test runner installs an async hook to learn which test a call of `test` or an uncaught error
 * belongs to, and every promise pays for it: a third of the CPU of the store's tests. Here the hook learns of tests and suites
 * alone, so that they nest as written, and an uncaught error fails its file instead of its test.
 */
const hooks = new Set<asyncHooks.HookCallbacks>();

class AsyncResource extends asyncHooks.AsyncResource {
  constructor(type: string, options?: number | asyncHooks.AsyncResourceOptions) {
    super(type, options);
    for (const { init } of hooks) init?.(this.asyncId(), type, this.triggerAsyncId(), this);
  }
}

asyncHooks.AsyncResource = AsyncResource;

asyncHooks.createHook = (callbacks) => {
  const hook: asyncHooks.AsyncHook = {
    enable: () => {
      hooks.add(callbacks);
      return hook;
    },
    disable: () => {
      hooks.delete(callbacks);
      return hook;
    },
  };
  return hook;
};
