/** Equal submissions have equal digests. */
export interface WaitingJob {
  readonly guid: string;
  readonly client: string;
  readonly digest: string;
}

export const QUEUE_LIMITS = { all: 50, client: 4 };

/** Job queue with a limit per client and round-robin between clients. */
export class WaitingJobs {
  /** By client, in round-robin order. */
  readonly #queues = new Map<string, WaitingJob[]>();
  #running: WaitingJob | undefined;

  find(digest: string): WaitingJob | undefined {
    return this.#all().find((job) => job.digest === digest);
  }

  hasRoom(client: string): boolean {
    const all = this.#all();
    const own = all.filter((job) => job.client === client);
    return all.length < QUEUE_LIMITS.all && own.length < QUEUE_LIMITS.client;
  }

  add(job: WaitingJob): void {
    const queue = this.#queues.get(job.client);
    if (queue === undefined) this.#queues.set(job.client, [job]);
    else queue.push(job);
  }

  has(guid: string): boolean {
    return this.#all().some((job) => job.guid === guid);
  }

  /** Forgets what another process has done. */
  keepOnly(guids: ReadonlySet<string>): void {
    for (const [client, queue] of [...this.#queues]) {
      const kept = queue.filter(({ guid }) => guids.has(guid));
      if (kept.length > 0) this.#queues.set(client, kept);
      else this.#queues.delete(client);
    }
  }

  /** Moves the client to the end of the rotation. */
  next(): WaitingJob | undefined {
    this.#running = undefined;
    const [first] = this.#queues;
    if (first === undefined) return undefined;
    const [client, [job, ...others]] = first;
    this.#queues.delete(client);
    if (others.length > 0) this.#queues.set(client, others);
    this.#running = job;
    return job;
  }

  #all(): WaitingJob[] {
    const waiting = [...this.#queues.values()].flat();
    return this.#running === undefined ? waiting : [this.#running, ...waiting];
  }
}
