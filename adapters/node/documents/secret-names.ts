/** Names of files that usually hold keys and passwords. */

const NAMES: ReadonlySet<string> = new Set([
  ...["env", ".env", "credentials", ".netrc", "_netrc", ".pgpass", ".htpasswd", ".npmrc", ".pypirc"],
  ...["shadow", "secrets.json", "secrets.yaml", "secrets.yml"],
]);

const ENDINGS: ReadonlySet<string> = new Set([
  ...["env", "pem", "key", "p8", "p12", "pfx", "ppk", "jks", "keystore", "kdb", "kdbx", "tfstate"],
]);

/**
 * Whether a file with this name is skipped in folders and globs: an index can be searched by everyone who can read it.
 * `id_rsa` and the like, `*.pem`, `prod.env`, `env`, `terraform.tfstate.backup`, `credentials`, …
 */
export function isSecretName(fileName: string): boolean {
  const name = fileName.toLowerCase().replace(/\.(backup|bak|old)$/, "");
  if (NAMES.has(name)) return true;
  if (name.startsWith("id_") && !name.includes(".")) return true;
  const dot = name.lastIndexOf(".");
  return (dot >= 0 && ENDINGS.has(name.slice(dot + 1))) || name.startsWith(".env.") || name.startsWith("env.");
}
