interface Statement {
  /** Undefined if nobody waits for a result. */
  readonly sql: string | undefined;
  readonly send: () => Promise<() => void>;
}

/** Statements that are issued before the result of any of them is known are sent together, which is one round. */
export class Rounds {
  #rounds: string[][] = [];
  #waiting: Statement[] = [];
  #isScheduled = false;
  #failure: { readonly error: unknown } | undefined;

  read<T>(sql: string, run: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const send = () =>
        run().then(
          (rows) => () => resolve(rows),
          (error: unknown) => () => reject(error),
        );
      this.#waiting.push({ sql, send });
      if (this.#isScheduled) return;
      this.#isScheduled = true;
      setImmediate(() => void this.#end());
    });
  }

  /** Sent with the next read, or when it is settled. */
  write(run: () => Promise<void>): void {
    const settled = () => {};
    const send = () =>
      run().then(
        () => settled,
        (error: unknown) => {
          this.#failure ??= { error };
          return settled;
        },
      );
    this.#waiting.push({ sql: undefined, send });
  }

  /** Sends what is left. Throws what a write failed with. */
  async settle(): Promise<void> {
    for (const { send } of this.#waiting.splice(0)) await send();
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
  }

  count(sql: string): void {
    this.#rounds.push([sql]);
  }

  /** Since the last call. */
  take(): string[][] {
    const rounds = this.#rounds;
    this.#rounds = [];
    return rounds;
  }

  async #end(): Promise<void> {
    const sent = this.#waiting;
    this.#waiting = [];
    this.#isScheduled = false;
    this.#rounds.push(sent.flatMap(({ sql }) => sql ?? []));
    for (const settle of await Promise.all(sent.map(({ send }) => send()))) settle();
  }
}
