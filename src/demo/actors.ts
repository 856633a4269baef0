import type { Bytes } from "../chain/encoding/bytes.ts";
import type { Hex } from "../chain/encoding/hex.ts";
import { toHex } from "../chain/encoding/hex.ts";
import { keccak256 } from "../chain/hashing/keccak.ts";
import { addressOf } from "../node/accounts/accounts.ts";

/** Somebody of the demonstration. Their keys follow from their names: whoever sends them real money loses it. */
export interface Actor {
  readonly name: string;
  readonly address: Hex;
  readonly privateKey: Bytes;
}

/** Deploys and owns the contracts. */
const BUILDER = "builder";
/** Deploys what only looks like another's. */
const COPYIST = "copyist";
/** Whose account delegates to a contract. */
const DELEGATE = "delegate";
/** Posts blobs and does nothing else: an account with a pending blob transaction can have no other. */
const SEQUENCER = "sequencer";

const PEOPLE = ["ada", "bruno", "chiara", "dimitri", "esra", "farid", "greta", "hugo", "ines", "jonas", "kaya", "lena"];

const VALIDATORS = ["north", "south", "west"];

/** The actors of one network. They have coins from its first block and are nobody that a user of the chain is. */
export class Actors {
  readonly builder: Actor;
  readonly copyist: Actor;
  readonly delegate: Actor;
  readonly sequencer: Actor;
  readonly people: readonly Actor[];
  /** They get what blocks pay, and need no coins. */
  readonly validators: readonly Hex[];

  constructor(network: string) {
    const named = (name: string) => actor(network, name);
    this.builder = named(BUILDER);
    this.copyist = named(COPYIST);
    this.delegate = named(DELEGATE);
    this.sequencer = named(SEQUENCER);
    this.people = PEOPLE.map(named);
    this.validators = VALIDATORS.map((name) => named(name).address);
  }

  get all(): readonly Actor[] {
    return [this.builder, this.copyist, this.delegate, this.sequencer, ...this.people];
  }
}

function actor(network: string, name: string): Actor {
  const privateKey = keccak256(Buffer.from(`oriel demonstration ${network} ${name}`));
  return { name, address: toHex(addressOf(privateKey)), privateKey };
}
