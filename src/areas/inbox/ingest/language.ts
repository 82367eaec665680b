/** Language detection of a library; its tables are loaded once, when workers start. */
type Detect = (text: string) => string

let loading: Promise<Detect> | undefined

/** Preloads the tables, so that the first activity doesn't wait for them. */
export function openLanguages(): Promise<Detect> {
  loading ??= import('tinyld').then(
    ({ detect }) =>
      (text) =>
        detect(text),
  )
  return loading
}

/** Enough to detect a language; more text takes longer without being more accurate. */
const looksAt = 300
const fewestLetters = 3

/** The language of a text as ISO 639-1; empty if it can't be detected. */
export async function languageOf(text: string): Promise<string> {
  const words = text
    .slice(0, looksAt * 4)
    .replaceAll(address, ' ')
    .replaceAll(noWord, ' ')
    .trim()
    .slice(0, looksAt)
    .toWellFormed()
  if (words.length < fewestLetters && !wideScript.test(words)) return ''
  const found = (await openLanguages())(words)
  return isCode.test(found) ? found : ''
}

/** Mentions and URLs are the same in every language. */
const address = /(?:https?:\/\/|www\.|[@#])\S+/g
const noWord = /[^\p{L}\p{M}\s'’-]+/gu
const wideScript = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u
const isCode = /^[a-z]{2}$/
