import type { KeyedHash } from "./dictionary/keyedHash.ts";
import type { Reader, Snapshot } from "./engine/database.ts";
import type { AddressDescriber } from "./read/addressInfo.ts";
import { CoreReads } from "./read/coreReads.ts";
import { ExchangeReads } from "./stages/exchange/exchangeReads.ts";
import { NativeReads } from "./stages/native/nativeReads.ts";
import { ObservationReads } from "./stages/tokens/read/observationReads.ts";
import { TokenReads } from "./stages/tokens/read/tokenReads.ts";
import { TraceReads } from "./stages/traces/traceReads.ts";

/** What can be read of an index. Unless it is a session, every read is of the newest state, and two need not agree. */
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

/** Reads of one unchanging state of an index, so that a count and its list agree. It ends with the work it was made for. */
export class ReadSession extends Reads {
  readonly version: number;

  constructor(snapshot: Snapshot, addressHasher: KeyedHash, verified?: AddressDescriber) {
    super(snapshot, addressHasher, verified);
    this.version = snapshot.version;
  }
}
