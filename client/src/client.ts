import { type Amounts, readAmounts } from "./amounts.ts";
import { OrielError, RpcError } from "./errors.ts";
import { ANSWERS, RECORDS, RESULTS } from "./generated/amounts.ts";
import type { Actions, Paths, PostPaths } from "./generated/paths.ts";
import { type CallOptions, Http, type HttpOptions } from "./http.ts";
import { type ItemOf, type ListPath, NUMBERED, type Page, readItems, readPages } from "./pages.ts";
import type { RpcMethods } from "./rpcMethods.ts";

type Values = Readonly<Record<string, unknown>>;

/** No argument is needed where no parameter is. */
type Arguments<P> =
  P extends Readonly<Record<string, never>>
    ? [] | [P] | [P, CallOptions]
    : Partial<P> extends P
      ? [] | [P] | [P, CallOptions]
      : [P] | [P, CallOptions];

/** Arguments of any path. */
type AnyArguments = readonly [parameters?: Values, options?: CallOptions];

/** Parameters that say where a list begins are those of its pages. */
type ListArguments<P extends ListPath> = Arguments<Omit<Paths[P]["parameters"], "items_count" | "page_num">>;

type ActionArguments<M extends keyof Actions, A extends keyof Actions[M]> = Actions[M][A] extends {
  readonly parameters: infer P;
}
  ? Arguments<P>
  : never;

type ActionResult<M extends keyof Actions, A extends keyof Actions[M]> = A extends keyof RpcMethods
  ? RpcMethods[A]["result"]
  : Actions[M][A] extends { readonly result: infer R }
    ? R
    : never;

interface RpcAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** URLs that servers and proxies take. */
const MAX_URL = 8000;

/** A client of one network. What it returns is shared between callers and must not be changed. */
export class OrielClient {
  readonly url: string;
  readonly #http: Http;
  #calls = 0;

  constructor(url: string, options: HttpOptions = {}) {
    this.url = url.replace(/\/+$/, "");
    this.#http = new Http(options);
  }

  /** One answer of the explorer API, the exchange data API or the status of the program. */
  async get<P extends keyof Paths>(path: P, ...args: Arguments<Paths[P]["parameters"]>): Promise<Paths[P]["answer"]> {
    const [parameters = {}, options] = args as AnyArguments;
    return this.#read(path, parameters, options) as Promise<Paths[P]["answer"]>;
  }

  /** Every page of a list, beginning where the parameters say. */
  pages<P extends ListPath>(path: P, ...args: ListArguments<P>): AsyncGenerator<Paths[P]["answer"], void, undefined> {
    const [parameters = {}, options] = args as AnyArguments;
    const first = path.startsWith("/api/v1/") ? { ...NUMBERED, ...parameters } : parameters;
    return readPages((values) => this.#read(path, values, options) as Promise<Paths[P]["answer"] & Page>, first);
  }

  /** Every item of a list, once. */
  items<P extends ListPath>(path: P, ...args: ListArguments<P>): AsyncGenerator<ItemOf<P>, void, undefined> {
    const pages = this.pages(path, ...args) as AsyncIterable<Page>;
    return readItems(pages) as AsyncGenerator<ItemOf<P>, void, undefined>;
  }

  /** Submits JSON. */
  async post<P extends keyof PostPaths>(
    path: P,
    parameters: PostPaths[P]["parameters"],
    body: PostPaths[P]["body"],
    options?: CallOptions,
  ): Promise<PostPaths[P]["answer"]> {
    const url = this.#urlOf(path, parameters);
    return (await this.#http.post(url, JSON.stringify(body), "application/json", options)) as PostPaths[P]["answer"];
  }

  /** The result of an action. A refusal is thrown, and so is a list that is not whole yet; an empty list is `[]`. */
  async action<M extends keyof Actions & string, A extends keyof Actions[M] & string>(
    module: M,
    action: A,
    ...args: ActionArguments<M, A>
  ): Promise<ActionResult<M, A>> {
    const [parameters, options] = args as AnyArguments;
    const amounts = RESULTS[`${module} ${action}`];
    const query = queryOf({ module, action, ...parameters });
    const url = `${this.url}/api`;
    const read = (answer: unknown) => resultOf(answer, url, amounts);
    const form = () => this.#http.post(url, query, "application/x-www-form-urlencoded", options).then(read);
    const isLong = url.length + query.length > MAX_URL;
    return (isLong ? form() : this.#http.get(`${url}?${query}`, read, options)) as Promise<ActionResult<M, A>>;
  }

  /** Calls a method of JSON-RPC. Quantities are hex, as nodes have them. */
  async rpc<M extends keyof RpcMethods>(
    method: M,
    ...[params, options]: [] extends RpcMethods[M]["params"]
      ? [params?: RpcMethods[M]["params"], options?: CallOptions]
      : [params: RpcMethods[M]["params"], options?: CallOptions]
  ): Promise<RpcMethods[M]["result"]> {
    return this.#call(method, params ?? [], options) as Promise<RpcMethods[M]["result"]>;
  }

  /** The provider of EIP-1193: any method, typed by whoever takes the provider. */
  readonly request = async ({ method, params }: { method: string; params?: unknown }): Promise<never> =>
    (await this.#call(method, params ?? [])) as never;

  async #call(method: string, params: unknown, options?: CallOptions): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: ++this.#calls, method, params });
    const { result, error } = (await this.#http.post(
      `${this.url}/rpc`,
      body,
      "application/json",
      options,
    )) as RpcAnswer;
    if (error !== undefined) throw new RpcError(error);
    return result;
  }

  async #read(path: string, parameters: Values, options?: CallOptions): Promise<unknown> {
    return this.#http.get(this.#urlOf(path, parameters), (body) => readAmounts(body, ANSWERS[path], RECORDS), options);
  }

  #urlOf(path: string, parameters: Values): string {
    const rest = { ...parameters };
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = String(rest[name]);
      delete rest[name];
      return encodeURIComponent(value);
    });
    const query = queryOf(rest);
    return query === "" ? `${this.url}${filled}` : `${this.url}${filled}?${query}`;
  }
}

function queryOf(parameters: Values): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
}

interface ActionAnswer extends RpcAnswer {
  readonly status?: string;
  readonly message?: string;
}

function resultOf(answer: unknown, url: string, amounts: Amounts | undefined): unknown {
  const { status, message, result, error } = answer as ActionAnswer;
  if (error !== undefined) throw new RpcError(error);
  const isEmpty = status === "0" && Array.isArray(result) && result.length === 0;
  const isWhole = status === undefined || status === "1" || isEmpty;
  if (!isWhole) throw new OrielError(String(message), { url, status: 200, body: answer });
  return readAmounts(result, amounts, RECORDS);
}
