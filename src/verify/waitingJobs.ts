/** A job that waits for its turn. Equal submissions have equal digests. */
export interface WaitingJob {
  readonly guid: string;
  readonly client: string;
  readonly digest: string;
}

export const QUEUE_LIMITS = { all: 50, client: 4 };

/** Who waits to be verified: so many of one client, and each client in its turn. */
export class WaitingJobs {
  readonly #jobs: WaitingJob[] = [];
  #running: WaitingJob | undefined;
  /** Clients by when they had their last turn. */
  readonly #turns = new Map<string, number>();
  #turn = 0;

  /** Takes a job, or answers one that is the same; undefined where there is no room. */
  take(job: WaitingJob): WaitingJob | undefined {
    const all = this.#running === undefined ? this.#jobs : [this.#running, ...this.#jobs];
    const same = all.find(({ digest }) => digest === job.digest);
    if (same !== undefined) return same;
    const own = all.filter(({ client }) => client === job.client);
    if (all.length >= QUEUE_LIMITS.all || own.length >= QUEUE_LIMITS.client) return undefined;
    this.#jobs.push(job);
    return job;
  }

  /** Takes a job that was taken before a restart. */
  restore(job: WaitingJob): void {
    this.#jobs.push(job);
  }

  /** The oldest job of the client whose last turn is longest ago. */
  next(): WaitingJob | undefined {
    const turnOf = ({ client }: WaitingJob) => this.#turns.get(client) ?? 0;
    const least = Math.min(...this.#jobs.map(turnOf));
    const at = this.#jobs.findIndex((job) => turnOf(job) === least);
    const [job] = at < 0 ? [] : this.#jobs.splice(at, 1);
    if (job === undefined) return undefined;
    this.#turns.set(job.client, ++this.#turn);
    this.#running = job;
    return job;
  }

  finish(guid: string): void {
    if (this.#running?.guid === guid) this.#running = undefined;
    const at = this.#jobs.findIndex((job) => job.guid === guid);
    if (at >= 0) this.#jobs.splice(at, 1);
    const clients = new Set(this.#jobs.map(({ client }) => client));
    for (const client of this.#turns.keys())
      if (!clients.has(client) && this.#jobs.length > 0) this.#turns.delete(client);
    if (this.#jobs.length === 0) this.#turns.clear();
  }
}
