type ActivityEvent =
  | { readonly kind: "unwound"; readonly blocks: number; readonly seconds: number }
  | { readonly kind: "cleared"; readonly seconds: number }
  | { readonly kind: "derived"; readonly blocks: number; readonly seconds: number };

export interface ThreadState {
  readonly name: string;
  readonly isRunning: boolean;
  readonly restarts: number;
  readonly reason: string | null;
}

/** Role of a process: one writes the index, the others stand by or serve. */
export type Role = "writer" | "standby" | "reader";

/** Thread states for `/status` and `/metrics`: a dead indexer cannot report itself. */
export class Activity {
  /** Name of this process, shown to others. */
  readonly name: string | undefined;
  role: Role = "reader";
  readonly #threads = new Map<string, ThreadState>();
  readonly #listeners: ((event: ActivityEvent) => void)[] = [];

  constructor(name?: string) {
    this.name = name;
  }

  get threads(): readonly ThreadState[] {
    return [...this.#threads.values()];
  }

  started(name: string): void {
    this.#threads.set(name, { name, isRunning: true, restarts: 0, reason: null });
  }

  ended(name: string, reason: string): void {
    const restarts = (this.#threads.get(name)?.restarts ?? 0) + 1;
    this.#threads.set(name, { name, isRunning: false, restarts, reason });
  }

  left(name: string): void {
    this.#threads.delete(name);
  }

  works(name: string): void {
    const state = this.#threads.get(name);
    if (state !== undefined) this.#threads.set(name, { ...state, isRunning: true });
  }

  note(event: ActivityEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  watch(listener: (event: ActivityEvent) => void): void {
    this.#listeners.push(listener);
  }
}
