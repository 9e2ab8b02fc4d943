import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv, hash } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Seals a text (AES-256-GCM): without the key it can be neither read nor changed. Pure: equal texts are sealed alike. */
export function seal(key: string, text: string): string {
  // A key that seals many texts needs another beginning for each: the text's own digest is one, and no chance is needed.
  const iv = hash("sha256", `${key}\u0000${text}`, "buffer").subarray(0, IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, hash("sha256", key, "buffer"), iv);
  const sealed = [cipher.update(text, "utf8"), cipher.final()];
  return Buffer.concat([iv, cipher.getAuthTag(), ...sealed]).toString("base64url");
}

/** Undefined for what was sealed under another key, or not at all. */
export function unseal(key: string, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, "base64url");
  const [iv, tag] = [bytes.subarray(0, IV_BYTES), bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES)];
  if (tag.length < TAG_BYTES) return undefined;
  try {
    const decipher = createDecipheriv(ALGORITHM, hash("sha256", key, "buffer"), iv);
    decipher.setAuthTag(tag);
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString("utf8");
  } catch {
    // What does not open is not for this reader.
    return undefined;
  }
}
