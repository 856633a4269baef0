const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** Milliseconds. Ctrl-C arrives from the terminal and again from the parent process. */
const ONE_PRESS = 1000;

/** Resolves to the exit code of the first signal. A second signal ends the process at once. */
export function stopSignal(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  let first: number | undefined;
  const stop = (code: number) => {
    first ??= performance.now();
    // The launcher kills a program that does not acknowledge the signal.
    if (process.connected) process.send?.("stopping", () => {});
    resolve(code);
    if (performance.now() - first > ONE_PRESS) process.exit(code);
  };
  for (const [signal, code] of Object.entries(EXIT_CODES)) process.on(signal, () => stop(code));
  // The launcher was killed; nothing else could stop this process.
  process.on("disconnect", () => stop(EXIT_CODES.SIGTERM));
  return promise;
}
