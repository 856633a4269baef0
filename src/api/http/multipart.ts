import { FormError, MAX_FIELDS, tooManyFields } from "./formError.ts";

export const MAX_PART_HEADERS = 8192;

const CRLF = "\r\n";

/** Fields of a `multipart/form-data` body (RFC 7578); files are fields with their content. */
export function parseMultipart(body: Buffer, contentType: string): [name: string, value: string][] {
  const boundary = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;,"]{1,70}))/i.exec(contentType);
  const name = boundary?.[1] ?? boundary?.[2];
  if (name === undefined) throw new FormError("The multipart form has no boundary");
  const delimiter = Buffer.from(`${CRLF}--${name}`, "latin1");
  const pairs: [string, string][] = [];
  let at = startOf(body, delimiter);
  while (!isEnd(body, at)) {
    const headersEnd = findHeadersEnd(body, at);
    const next = body.indexOf(delimiter, headersEnd);
    if (next < 0) throw new FormError("The multipart form is cut off");
    // An empty part may begin with the delimiter that ends it.
    const content = body.subarray(headersEnd + 2 * CRLF.length, Math.max(next, headersEnd + 2 * CRLF.length));
    pairs.push([fieldName(body.toString("utf8", at, headersEnd)), new TextDecoder().decode(content)]);
    if (pairs.length > MAX_FIELDS) throw tooManyFields();
    at = next + delimiter.length;
  }
  return pairs;
}

/** End of the first delimiter, at the start or after a preamble. */
function startOf(body: Buffer, delimiter: Buffer): number {
  const bare = delimiter.subarray(CRLF.length);
  if (body.subarray(0, bare.length).equals(bare)) return bare.length;
  const at = body.indexOf(delimiter);
  if (at < 0) throw new FormError("The multipart form does not have its boundary");
  return at + delimiter.length;
}

function isEnd(body: Buffer, at: number): boolean {
  return body.toString("latin1", at, at + 2) === "--";
}

function findHeadersEnd(body: Buffer, from: number): number {
  const length = body.subarray(from, from + MAX_PART_HEADERS).indexOf(CRLF + CRLF);
  if (length < 0) throw new FormError(`A part of the form has no headers, or more than ${MAX_PART_HEADERS} bytes`);
  return from + length;
}

const DISPOSITION = /^content-disposition:[ \t]*form-data\b[^\r\n]*?;[ \t]*name="([^"\r\n]*)"/im;
const ESCAPES: Readonly<Record<string, string>> = { "%22": '"', "%0d": "\r", "%0a": "\n" };

/** Only quotes and line ends are percent-encoded (HTML, multipart/form-data encoding). */
function fieldName(headers: string): string {
  const name = DISPOSITION.exec(headers)?.[1];
  if (name === undefined) throw new FormError("A part of the form has no name");
  return name.replace(/%(22|0d|0a)/gi, (code) => ESCAPES[code.toLowerCase()] ?? code);
}
