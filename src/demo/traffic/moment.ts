import { defined, itemAt } from "../../std/defined.ts";
import type { Actor } from "../actors.ts";
import type { Intent } from "../intent.ts";
import { priceAt } from "../prices.ts";
import type { Random } from "../random.ts";
import type { PlacedToken } from "../scene/addresses.ts";
import { amountAt } from "../scene/amounts.ts";
import type { Scene } from "../scene/scene.ts";
import type { View } from "../view.ts";

export interface MomentOptions {
  readonly scene: Scene;
  readonly seed: string;
  readonly view: View;
  readonly random: Random;
  /** Of the block to come, in seconds. */
  readonly time: number;
}

/** Somebody does something; what it takes is sent in one block. Nothing where it cannot be done now. */
export type Act = (moment: Moment) => Promise<Intent[]>;

/** What those who act in one block have before them. */
export class Moment {
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

  /** Somebody who has done nothing in this block yet: what one does may change what another reckons with. */
  person(): Actor {
    const { random } = this;
    if (this.#idle.length === 0) return random.pick(this.scene.actors.people);
    const [person] = this.#idle.splice(random.below(this.#idle.length), 1);
    return defined(person);
  }

  /** One of them of whom something holds; others stay free to act. */
  async personWho(holds: (actor: Actor) => Promise<boolean>): Promise<Actor | undefined> {
    const start = this.random.below(this.#idle.length || 1);
    for (let i = 0; i < this.#idle.length; i++) {
      const at = (start + i) % this.#idle.length;
      if (await holds(itemAt(this.#idle, at))) return itemAt(this.#idle.splice(at, 1), 0);
    }
    return undefined;
  }

  price(token: PlacedToken): bigint {
    return priceAt(this.#seed, token, this.time);
  }

  /** How much of a token so many dollars are. */
  worth(token: PlacedToken, dollars: number): bigint {
    return amountAt(token, this.price(token), dollars);
  }

  /** Small sums mostly, large ones now and then; in dollars, as the network's purses allow. */
  sum(): number {
    const scale = this.random.pick([1, 1, 2, 3, 5, 8, 20]);
    return (this.scene.spec.purse * scale * this.random.between(50, 150)) / 100_000;
  }

  get deadline(): number {
    return this.time + 1200;
  }
}
