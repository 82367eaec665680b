/** `npm test` is short enough to be run before every commit; with TEST_DEPTH=full the same tests try more of the same. */
export const deep = <Amount>(usual: Amount, full: Amount): Amount => (process.env.TEST_DEPTH === 'full' ? full : usual)
