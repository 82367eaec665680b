/** `npm test` is short enough to run before every commit; TEST_DEPTH=full tries more cases. */
export const deep = <Amount>(usual: Amount, full: Amount): Amount => (process.env.TEST_DEPTH === 'full' ? full : usual)
