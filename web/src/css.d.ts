declare module "*.css?inline" {
  const css: string;
  export default css;
}

declare module "*?url" {
  const address: string;
  export default address;
}
