import { createHmac, randomBytes } from "node:crypto";

/** 96 bits: no two texts of one deployment will ever share a signature by chance. In base64url characters. */
const LENGTH = 16;

/** Signs texts with a deployment's secret (HMAC-SHA-256, shortened). */
export function keyedHash(secret: string): (text: string) => string {
  return (text) => createHmac("sha256", secret).update(text).digest("base64url").slice(0, LENGTH);
}

/** For deployments that set no secret: what is kept then means nothing after a restart. */
export function randomSecret(): string {
  return randomBytes(32).toString("base64url");
}
