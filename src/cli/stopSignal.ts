const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** Resolves to the exit code of the first signal. A second one ends the process at once. */
export function stopSignal(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  let isStopping = false;
  const stop = (code: number) => {
    if (isStopping) process.exit(code);
    isStopping = true;
    resolve(code);
  };
  for (const [signal, code] of Object.entries(EXIT_CODES)) process.on(signal, () => stop(code));
  // The launcher was killed: without it nobody could stop us.
  process.on("disconnect", () => stop(EXIT_CODES.SIGTERM));
  return promise;
}
