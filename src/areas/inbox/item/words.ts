import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'

/** At most so many different words of an item are searched for, each of so many letters, from so much of what was said in it. */
const mostWords = 2000
const longestWord = 40
const mostRead = 50_000
const longestText = 10_000
/** A question is asked by so many of its words. */
const mostAsked = 50

/** What is kept of texts so that they are found, for the column `words`; what stands first is kept where not all has room. */
export const wordsColumn = (accountId: string, texts: readonly string[]) =>
  sql<string>`array_to_tsvector(${wordsOf(texts).map((word) => keyOf(accountId, word))}::text[])`

/** The different words of texts, as they are compared. */
export function wordsOf(texts: readonly string[]): string[] {
  const words = new Set<string>()
  let read = 0
  for (const text of texts) {
    if (read > mostRead) break
    const written = plain(text.slice(0, longestText))
    read += written.length
    for (const run of runsOf(written))
      for (const word of run.size ? partsOf(run.text, run.size) : [cut(run.text)]) {
        if (words.size === mostWords) return [...words]
        words.add(word)
      }
  }
  return [...words]
}

/** What finds items with all words of a question, the last one perhaps not written to its end; nothing where it has no words. */
export function searchedWords(accountId: string, question: string): string | undefined {
  const runs = [...runsOf(plain(question.slice(0, 1000)))]
  const terms = runs.flatMap(({ text, size }, at) => {
    const key = (word: string) => `'${keyOf(accountId, word)}'`
    if (!size) return at === runs.length - 1 ? [`${key(cut(text))}:*`] : [key(cut(text))]
    const parts = [...partsOf(text, size)].filter((part) => [...part].length === size)
    return parts.length > 0 ? parts.map(key) : [`${key(text)}:*`]
  })
  return terms.length === 0 ? undefined : [...new Set(terms)].slice(0, mostAsked).join(' & ')
}

/** One account's words are no other's, though all stand in one index. */
const keyOf = (accountId: string, word: string) => `${accountId}:${word}`

interface Run {
  text: string
  /** Of writing without spaces: how many signs are looked for together. */
  size: number
}

/**
 * Runs of letters and digits, and single pictures. Where words are not told apart by spaces (or, in Korean, not by spaces alone) a run is cut
 * into overlapping parts, so that whatever stands in it is found, and no dictionary has to be the same when it is written and when it is asked for.
 */
function* runsOf(written: string): Generator<Run> {
  for (const { 0: run, groups } of written.matchAll(runs))
    yield { text: run, size: groups?.pairs ? 2 : groups?.triples ? 3 : 0 }
}

const runs =
  /(?<pairs>[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u30fc\u3099\u309a]+)|(?<triples>[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+)|\p{Extended_Pictographic}|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u30fc\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}])[\p{L}\p{N}\p{M}])+/gu

/** Every sign of a run with those after it, at its end as many as there are. */
function* partsOf(run: string, size: number): Generator<string> {
  const signs = [...run]
  for (let at = 0; at < signs.length; at++) yield signs.slice(at, at + size).join('')
}

const cut = (word: string) => (word.length <= longestWord ? word : [...word].slice(0, longestWord).join(''))

/** In small letters, without accents, vowel points and what is not seen, however it was typed. */
const plain = (text: string) =>
  text
    .replace(unseen, '')
    .replace(manyMarks, '$1')
    .normalize('NFKD')
    .replace(unseen, '')
    .toLowerCase()
    .replace(otherwiseWritten, (letter) => writtenAs[letter as keyof typeof writtenAs])
    .normalize('NFC')

/** Accents of Latin, Greek and Cyrillic; points of Hebrew and Arabic; variation signs; what only directs or joins. */
const unseen = /[\u0300-\u036f]|[\u0591-\u05c7]|[\u0610-\u061a]|\u0640|[\u064b-\u065f]|\u0670|[\ufe00-\ufe0f]|\p{Cf}/gu

/** Marks are sorted when a letter is taken apart, which takes the square of their number; no letter has so many. */
const manyMarks = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu

/** Letters that people write in two ways. */
const writtenAs = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  ς: 'σ',
  ى: 'ي',
  ة: 'ه',
} as const
const otherwiseWritten = /[ßæœøđðþłħıςىة]/g

/** What was added to an item, to be found by its words; nothing where the words of all that is said in it must be gathered anew. */
export type AddedTexts = ReadonlyMap<string, readonly string[] | undefined>

/** Writes the words of items that the caller holds. */
export async function writeWords(context: Context, added: AddedTexts) {
  const more = [...added].flatMap(([id, texts]) => (texts && texts.length > 0 ? [{ id, texts }] : []))
  if (more.length > 0) await addWords(context, more)
  for (const [id, texts] of added) if (!texts) await gatherWords(context, id)
}

/** From then on an item is found by what was said first. */
const mostKept = 2_000

async function addWords({ db, accountId }: Context, added: readonly { id: string; texts: readonly string[] }[]) {
  const rows = added.map(({ id, texts }) => sql`(${id}, ${wordsColumn(accountId, texts)})`)
  await sql`
    update inbox_items i set words = i.words || a.words from (values ${sql.join(rows)}) as a (id, words)
    where i.account_id = ${accountId} and i.id = a.id and length(i.words) < ${mostKept}`.execute(db)
}

/** Of as much as is read of one item. */
const mostEntries = 500

async function gatherWords({ db, accountId }: Context, itemId: string) {
  const said = await db
    .selectFrom('inboxEntries')
    .select(['personName', 'personUsername', 'content'])
    .where('accountId', '=', accountId)
    .where('itemId', '=', itemId)
    .where('type', 'in', ['message', 'comment', 'reply', 'note'])
    .orderBy('created', 'desc')
    .orderBy('id', 'desc')
    .limit(mostEntries)
    .execute()
  const texts = said.flatMap(({ personName, personUsername, content }) => [personName, personUsername, content])
  await db
    .updateTable('inboxItems')
    .set({ words: wordsColumn(accountId, texts) })
    .where('accountId', '=', accountId)
    .where('id', '=', itemId)
    .execute()
}
