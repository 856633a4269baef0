import { generateKeyPairSync, sign } from "node:crypto";

const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};

const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts);
const bytes = (...values: readonly number[]) => Uint8Array.from(values);
const COMMON_NAME = der(0x06, bytes(0x55, 0x04, 0x03));
const BASIC_CONSTRAINTS = der(0x06, bytes(0x55, 0x1d, 0x13));
const SUBJECT_ALTERNATIVE_NAME = der(0x06, bytes(0x55, 0x1d, 0x11));
const ECDSA_WITH_SHA256 = sequence(der(0x06, bytes(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02)));

const utcTime = (date: Date) => der(0x17, Buffer.from(`${date.toISOString().replace(/\D/g, "").slice(2, 14)}Z`));

/** A self-signed certificate for this machine (X.509 v3, RFC 5280), valid for a day. */
export function selfSignedCertificate(): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from("localhost")))));
  const [from, to] = [-3_600_000, 86_400_000].map((offset) => utcTime(new Date(Date.now() + offset)));
  const names = sequence(der(0x82, Buffer.from("localhost")), der(0x87, bytes(127, 0, 0, 1)));
  const extensions = sequence(
    sequence(BASIC_CONSTRAINTS, der(0x01, bytes(0xff)), der(0x04, sequence(der(0x01, bytes(0xff))))),
    sequence(SUBJECT_ALTERNATIVE_NAME, der(0x04, names)),
  );
  const certificate = sequence(
    der(0xa0, der(0x02, bytes(2))),
    der(0x02, bytes(1)),
    ECDSA_WITH_SHA256,
    name,
    sequence(from!, to!),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, extensions),
  );
  const signature = sign("sha256", certificate, privateKey);
  const signed = sequence(certificate, ECDSA_WITH_SHA256, der(0x03, bytes(0), signature));
  const cert = `-----BEGIN CERTIFICATE-----\n${signed.toString("base64").replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
  return { key: privateKey.export({ type: "pkcs8", format: "pem" }) as string, cert };
}
