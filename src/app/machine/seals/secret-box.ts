import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";

/** Makes texts unreadable to everybody but the holder of one key. */
export interface SecretBox {
  /** A token of letters, digits, `-` and `_`; the same for the same name and text. */
  seal(name: string, text: string): string;
  /** What was sealed under this name; undefined when it was sealed with another key, under another name, or changed. */
  open(name: string, token: string): string | undefined;
}

const PREFIX = "troupe-sealed-";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = "aes-256-gcm";

/** Every token in a text. */
export const SEALED_TOKEN = new RegExp(`${PREFIX}[A-Za-z0-9_-]{38,}`, "g");

/**
 * A box with this key (32 bytes). The nonce is a hash of name and text, so that the same definition stays the same;
 * who sees two tokens learns at most that they hold the same.
 */
export function createSecretBox(key: Buffer): SecretBox {
  const derive = (use: string) => createHmac("sha256", key).update(`troupe ${use} 1`).digest();
  const [encryptionKey, nonceKey] = [derive("secret"), derive("nonce")];
  return {
    seal: (name, text) => {
      const hash = createHmac("sha256", nonceKey).update(`${name}\0${text}`).digest();
      const nonce = hash.subarray(0, NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, encryptionKey, nonce).setAAD(Buffer.from(name));
      const sealed = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final()]);
      return PREFIX + Buffer.concat([sealed, cipher.getAuthTag()]).toString("base64url");
    },
    open: (name, token) => {
      const bytes = Buffer.from(token.slice(PREFIX.length), "base64url");
      const [start, end] = [NONCE_BYTES, bytes.length - TAG_BYTES];
      if (end < start) return undefined;
      const decipher = createDecipheriv(CIPHER, encryptionKey, bytes.subarray(0, start));
      decipher.setAAD(Buffer.from(name)).setAuthTag(bytes.subarray(end));
      try {
        return (
          decipher.update(bytes.subarray(start, end), undefined, "utf8") + decipher.final("utf8")
        );
      } catch {
        return undefined;
      }
    },
  };
}
