/**
 * The address of a site's folder, which ends in "/".
 * @param page  what a relative address is relative to
 */
export function siteAddress(address: string | URL, page: string | undefined): URL {
  const base = new URL(address, page);
  if (!base.pathname.endsWith("/")) base.pathname += "/";
  return base;
}
