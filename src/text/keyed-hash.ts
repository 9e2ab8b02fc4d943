import { hash, randomBytes } from "node:crypto";

/** 96 bits: no two texts of one deployment will ever share a signature by chance. In base64url characters. */
const LENGTH = 16;

/**
 * Signs texts with a deployment's secret: SHA-256 over key and text, shortened. Of a digest that is cut to 96 of its 256
 * bits a longer text's digest cannot be computed, which is all that HMAC adds to this, at four times the cost.
 */
export function keyedHash(secret: string): (text: string) => string {
  // Of one length for all secrets: what is left of the key is never taken for text.
  const key = hash("sha256", secret, "base64url");
  return (text) => hash("sha256", key + text, "base64url").slice(0, LENGTH);
}

/** Random secret for a deployment that sets none: stored data becomes useless after a restart. */
export function randomSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** SHA-256 as hexadecimal digits, by which a secret is known that is not kept. */
export function sha256Hex(text: string): string {
  return hash("sha256", text, "hex");
}
