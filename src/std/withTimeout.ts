/** Waits at most so long for some work. When time is up, `onTimeout` returns a value or throws instead; the work goes on. */
export async function withTimeout<T, L>(work: Promise<T>, milliseconds: number, onTimeout: () => L): Promise<T | L> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, milliseconds);
  try {
    return await Promise.race([work, late.promise.then(onTimeout)]);
  } finally {
    clearTimeout(timer);
  }
}
