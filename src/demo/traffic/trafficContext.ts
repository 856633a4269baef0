import { defined, itemAt } from "../../std/values.ts";
import type { Actor } from "../actors.ts";
import type { Intent } from "../intent.ts";
import { priceAt } from "../prices.ts";
import type { Random } from "../random.ts";
import type { DeployedToken } from "../scene/addresses.ts";
import { amountAt } from "../scene/amounts.ts";
import type { Scene } from "../scene/scene.ts";
import type { View } from "../view.ts";

interface MomentOptions {
  readonly scene: Scene;
  readonly seed: string;
  readonly view: View;
  readonly random: Random;
  /** Unix time of the next block. */
  readonly time: number;
}

/** Transactions of one activity; empty if it is not possible now. */
export type Activity = (context: TrafficContext) => Promise<Intent[]>;

/** Inputs for the activities of one block. */
export class TrafficContext {
  readonly scene: Scene;
  readonly view: View;
  readonly random: Random;
  readonly time: number;
  readonly #seed: string;
  readonly #idle: Actor[];

  constructor({ scene, seed, view, random, time }: MomentOptions) {
    this.scene = scene;
    this.view = view;
    this.random = random;
    this.time = time;
    this.#seed = seed;
    this.#idle = [...scene.actors.people];
  }

  /** An actor that is unused in this block: one activity may invalidate another's assumptions. */
  person(): Actor {
    const { random } = this;
    if (this.#idle.length === 0) return random.pick(this.scene.actors.people);
    const [person] = this.#idle.splice(random.below(this.#idle.length), 1);
    return defined(person);
  }

  /** An unused actor that satisfies a predicate. */
  async personWho(holds: (actor: Actor) => Promise<boolean>): Promise<Actor | undefined> {
    const start = this.random.below(this.#idle.length || 1);
    for (let i = 0; i < this.#idle.length; i++) {
      const at = (start + i) % this.#idle.length;
      if (await holds(itemAt(this.#idle, at))) return itemAt(this.#idle.splice(at, 1), 0);
    }
    return undefined;
  }

  price(token: DeployedToken): bigint {
    return priceAt(this.#seed, token, this.time);
  }

  worth(token: DeployedToken, dollars: number): bigint {
    return amountAt(token, this.price(token), dollars);
  }

  /** Dollars: mostly small amounts, occasionally large ones. */
  sum(): number {
    const scale = this.random.pick([1, 1, 2, 3, 5, 8, 20]);
    return (this.scene.spec.purse * scale * this.random.between(50, 150)) / 100_000;
  }

  get deadline(): number {
    return this.time + 1200;
  }
}
