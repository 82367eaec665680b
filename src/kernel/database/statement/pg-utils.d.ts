declare module 'pg/lib/utils.js' {
  const utils: {
    /** Converts a JavaScript value to a protocol parameter, as the driver does. */
    prepareValue: (value: unknown) => string | Buffer | null
  }
  export default utils
}
