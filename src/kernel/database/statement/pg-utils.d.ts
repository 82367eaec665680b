declare module 'pg/lib/utils.js' {
  const utils: {
    /** How the driver turns a JavaScript value into a parameter of the protocol. */
    prepareValue: (value: unknown) => string | Buffer | null
  }
  export default utils
}
