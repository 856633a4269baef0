/** Calls `onTimeout` when time is up. The work is not cancelled. */
export async function withTimeout<T, L>(work: Promise<T>, milliseconds: number, onTimeout: () => L): Promise<T | L> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, milliseconds);
  try {
    return await Promise.race([work, late.promise.then(onTimeout)]);
  } finally {
    clearTimeout(timer);
  }
}
