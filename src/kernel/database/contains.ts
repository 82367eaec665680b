/** The LIKE pattern for text that contains these characters, taken literally. */
export const contains = (words: string) => `%${words.replace(/[\\%_]/g, '\\$&')}%`
