import type { Bytes } from "../chain/encoding/bytes.ts";
import type { Hex } from "../chain/encoding/hex.ts";
import { toHex } from "../chain/encoding/hex.ts";
import { keccak256 } from "../chain/hashing/keccak.ts";
import { addressOf } from "../node/accounts/accounts.ts";

/** A demonstration account. Keys derive from names, so anyone can spend from them. */
export interface Actor {
  readonly name: string;
  readonly address: Hex;
  readonly privateKey: Bytes;
}

const BUILDER = "builder";
/** Deploys the copies of other tokens. */
const COPYIST = "copyist";
const DELEGATE = "delegate";
/** Only posts blobs: an account with a pending blob transaction can have no other. */
const SEQUENCER = "sequencer";

const PEOPLE = ["ada", "bruno", "chiara", "dimitri", "esra", "farid", "greta", "hugo", "ines", "jonas", "kaya", "lena"];

const VALIDATORS = ["north", "south", "west"];

/** Accounts of one network, funded in its genesis block and distinct from the user's. */
export class Actors {
  readonly builder: Actor;
  readonly copyist: Actor;
  readonly delegate: Actor;
  readonly sequencer: Actor;
  readonly people: readonly Actor[];
  /** Fee recipients; not funded. */
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
