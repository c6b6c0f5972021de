import { describe, expect, it } from "vitest";
import { isSecretName } from "./secret-names.js";

describe("isSecretName", () => {
  it.each([
    ...["id_rsa", "id_ed25519", "id_ecdsa_work", "server.pem", "SERVER.KEY", "vault.kdbx", "store.p12", "a.pfx"],
    ...["env", "prod.env", ".env.local", "terraform.tfstate", "terraform.tfstate.backup", "credentials", ".netrc"],
    ...["release.keystore", "putty.ppk"],
  ])("is true of %s", (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each(["id_rsa.pub", "id_mapping.csv", "environment.md", "keys.md", "monkey", "pem.txt", "credentials.md", "key"])(
    "is false of %s",
    (name) => {
      expect(isSecretName(name)).toBe(false);
    },
  );
});
