/** The program refused a request, or answered otherwise than it should. */
export class OrielError extends Error {
  override readonly name: string = "OrielError";
  readonly url: string;
  /** Of HTTP. */
  readonly status: number;
  /** The whole answer, as JSON or as text. */
  readonly body: unknown;

  constructor(message: string, { url, status, body }: { url: string; status: number; body: unknown }) {
    super(message);
    this.url = url;
    this.status = status;
    this.body = body;
  }
}

/** An error of JSON-RPC, with the fields that EIP-1193 asks for. */
export class RpcError extends Error {
  override readonly name: string = "RpcError";
  readonly code: number;
  readonly data: unknown;

  constructor({ code, message, data }: { code: number; message: string; data?: unknown }) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The reason in the words of the interface that refused the request. */
export function reasonOf(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  const { message, errors, error } = body as { message?: unknown; errors?: unknown; error?: { message?: unknown } };
  const [invalid] = Array.isArray(errors) ? (errors as { detail?: unknown; source?: { pointer?: unknown } }[]) : [];
  if (invalid !== undefined) return `${invalid.source?.pointer}: ${invalid.detail}`;
  const text = message ?? error?.message;
  return text === undefined ? undefined : String(text);
}
