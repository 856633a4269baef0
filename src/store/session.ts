import type { KeyedHash } from "./dictionary/keyedHash.ts";
import type { Reader, Snapshot } from "./engine/database.ts";
import type { AddressDescriber } from "./read/addressInfo.ts";
import { CoreReads } from "./read/coreReads.ts";
import { ExchangeReads } from "./stages/exchange/exchangeReads.ts";
import { NativeReads } from "./stages/native/nativeReads.ts";
import { ObservationReads } from "./stages/tokens/read/observationReads.ts";
import { TokenReads } from "./stages/tokens/read/tokenReads.ts";
import { TraceReads } from "./stages/traces/traceReads.ts";

/** Reads of the index. Outside a session each read sees the newest state, and two may disagree. */
export class Reads extends CoreReads {
  readonly tokens: TokenReads;
  readonly observations: ObservationReads;
  readonly exchange: ExchangeReads;
  readonly traces: TraceReads;
  readonly native: NativeReads;

  constructor(db: Reader, addressHasher: KeyedHash, verified?: AddressDescriber) {
    super(db, addressHasher, verified);
    this.tokens = new TokenReads(db, addressHasher);
    this.observations = new ObservationReads(db);
    this.exchange = new ExchangeReads(db);
    this.traces = new TraceReads(db, addressHasher);
    this.native = new NativeReads(db);
  }
}

/** Reads of one immutable state. Invalid after the work it was created for. */
export class ReadSession extends Reads {
  readonly version: number;

  constructor(snapshot: Snapshot, addressHasher: KeyedHash, verified?: AddressDescriber) {
    super(snapshot, addressHasher, verified);
    this.version = snapshot.version;
  }

  /** Reads what nearly every request needs of a state, so that it comes with the first rows. */
  async preload(): Promise<void> {
    await Promise.all([this.blocks.tip(), this.blocks.first(), this.forkedAt(), this.tokens.tip()]);
  }
}
