import type { WebCache, WebCaches } from "../../adapters/browser/web.js";

/** A browser's cache in memory that counts its lookups. */
export class MemoryCaches implements WebCaches {
  readonly kept = new Map<string, ArrayBuffer>();
  looks = 0;
  async open(): Promise<WebCache> {
    return {
      match: async (url) => {
        this.looks++;
        const bytes = this.kept.get(url);
        return bytes && new Response(bytes.slice(0));
      },
      put: async (url, response) => {
        this.kept.set(url, await response.arrayBuffer());
      },
      delete: async (url) => this.kept.delete(url),
      keys: async () => [...this.kept.keys()].map((url) => ({ url })),
    };
  }
}
