import { Mutex } from "../../std/async.ts";
import type { ReadSession } from "../../store/session.ts";
import type { StoreReader } from "../../store/storeReader.ts";
import type { ExchangeSettings } from "./exchangeSettings.ts";
import type { ExchangeView } from "./exchangeView.ts";
import { moveView } from "./exchangeView.ts";
import type { TokenCatalogue } from "./tokenCatalogue.ts";
import { moveCatalogue } from "./tokenCatalogue.ts";

/** The exchanges of a network: all its pools in memory, as of the newest state that was asked for. */
export class Exchange {
  readonly settings: ExchangeSettings;
  readonly #store: StoreReader;
  #last: { readonly version: number; readonly view: ExchangeView } | undefined;
  readonly #mutex = new Mutex();
  #tokens: { readonly view: ExchangeView; readonly catalogue: TokenCatalogue } | undefined;
  readonly #listing = new Mutex();

  constructor(store: StoreReader, settings: ExchangeSettings) {
    this.#store = store;
    this.settings = settings;
  }

  /** Reads the index together with the pools as they are in the same state of it. */
  read<T>(work: (session: ReadSession, view: ExchangeView) => Promise<T>): Promise<T> {
    return this.#store.read(async (session) => work(session, await this.view(session)));
  }

  /** The pools in the state of a session. Whoever asks while they are read waits for it. */
  view(session: ReadSession): Promise<ExchangeView> {
    return this.#mutex.run(() => this.#move(session));
  }

  /** All ERC-20 tokens in the state of a session and its view. */
  tokens(session: ReadSession, view: ExchangeView): Promise<TokenCatalogue> {
    return this.#listing.run(async () => {
      if (this.#tokens?.view !== view) {
        this.#tokens = { view, catalogue: await moveCatalogue(session, view, this.#tokens?.catalogue) };
      }
      return this.#tokens.catalogue;
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
