import { Mutex } from "../../std/async.ts";
import type { ReadSession } from "../../store/session.ts";
import type { StoreReader } from "../../store/storeReader.ts";
import type { ExchangeSettings } from "./exchangeSettings.ts";
import type { ExchangeView } from "./exchangeView.ts";
import { moveView } from "./exchangeView.ts";
import { KnownPeriods } from "./knownPeriods.ts";
import { TickMaps } from "./tickMaps.ts";
import type { TokenCatalogue } from "./tokenCatalogue.ts";
import { moveCatalogue } from "./tokenCatalogue.ts";
import type { TokenTexts } from "./tokenTexts.ts";
import { moveTexts } from "./tokenTexts.ts";

/** All pools of a network in memory, as of the newest requested state. */
export class Exchange {
  readonly settings: ExchangeSettings;
  readonly known = new KnownPeriods();
  readonly ticks = new TickMaps();
  readonly #store: StoreReader;
  #last: { readonly version: number; readonly view: ExchangeView } | undefined;
  readonly #mutex = new Mutex();
  #tokens: { readonly view: ExchangeView; readonly catalogue: TokenCatalogue } | undefined;
  readonly #listing = new Mutex();
  #texts: { readonly view: ExchangeView; readonly texts: TokenTexts } | undefined;
  readonly #searching = new Mutex();

  constructor(store: StoreReader, settings: ExchangeSettings) {
    this.#store = store;
    this.settings = settings;
  }

  /** Reads the index and the pools at the same state. */
  read<T>(work: (session: ReadSession, view: ExchangeView) => Promise<T>): Promise<T> {
    return this.#store.read(async (session) => work(session, await this.view(session)));
  }

  /** Pools at the state of a session; concurrent requests share the work. */
  view(session: ReadSession): Promise<ExchangeView> {
    return this.#mutex.run(() => this.#move(session));
  }

  tokens(session: ReadSession, view: ExchangeView): Promise<TokenCatalogue> {
    return this.#listing.run(async () => {
      if (this.#tokens?.view !== view) {
        this.#tokens = { view, catalogue: await moveCatalogue(session, view, this.#tokens?.catalogue) };
      }
      return this.#tokens.catalogue;
    });
  }

  /** Names of the tokens of pools, for searches. */
  texts(session: ReadSession, view: ExchangeView): Promise<TokenTexts> {
    return this.#searching.run(async () => {
      if (this.#texts?.view !== view) {
        this.#texts = { view, texts: await moveTexts(session, view, this.#texts?.texts) };
      }
      return this.#texts.texts;
    });
  }

  async #move(session: ReadSession): Promise<ExchangeView> {
    const { version } = session;
    if (this.#last?.version === version) return this.#last.view;
    const view = await moveView(session, this.#last?.view, this.settings);
    this.#last = { version, view };
    return view;
  }
}
