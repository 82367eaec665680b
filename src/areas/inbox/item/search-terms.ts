import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'

/** Limits of the indexed terms of an item: number, length, and length of the text they are taken from. */
const maximumTerms = 2000
const longestWord = 40
const mostRead = 50_000
const longestText = 10_000
/** Maximum number of terms in a query. */
const maximumQueryTerms = 50

/** Index terms of texts for the column `words`; the first ones are kept if there are too many. */
export const termsColumn = (accountId: string, texts: readonly string[]) =>
  sql<string>`array_to_tsvector(${termsOf(texts).map((word) => keyOf(accountId, word))}::text[])`

/** Distinct normalized terms of texts. */
export function termsOf(texts: readonly string[]): string[] {
  const distinct = new Set<string>()
  let read = 0
  for (const text of texts) {
    if (read > mostRead) break
    const written = plain(text.slice(0, longestText))
    read += written.length
    for (const run of runsOf(written))
      for (const word of run.size ? partsOf(run.text, run.size) : [cut(run.text)]) {
        if (distinct.size === maximumTerms) return [...distinct]
        distinct.add(word)
      }
  }
  return [...distinct]
}

/** A tsquery for items with all terms of the query, the last one as a prefix; undefined without terms. */
export function searchQuery(accountId: string, question: string): string | undefined {
  const runs = [...runsOf(plain(question.slice(0, 1000)))]
  const terms = runs.flatMap(({ text, size }, at) => {
    const key = (word: string) => `'${keyOf(accountId, word)}'`
    if (!size) return at === runs.length - 1 ? [`${key(cut(text))}:*`] : [key(cut(text))]
    const parts = [...partsOf(text, size)].filter((part) => [...part].length === size)
    return parts.length > 0 ? parts.map(key) : [`${key(text)}:*`]
  })
  return terms.length === 0 ? undefined : [...new Set(terms)].slice(0, maximumQueryTerms).join(' & ')
}

/** Prefixed with the account, since all accounts share one index. */
const keyOf = (accountId: string, word: string) => `${accountId}:${word}`

interface Run {
  text: string
  /** For scripts without spaces: the length of the overlapping parts. */
  size: number
}

/**
 * Runs of letters and digits, and single emoji. In scripts without spaces (and in Korean) a run is split into overlapping parts,
 * so that any substring is found without a dictionary that would have to be the same for indexing and queries.
 */
function* runsOf(written: string): Generator<Run> {
  for (const { 0: run, groups } of written.matchAll(runs))
    yield { text: run, size: groups?.pairs ? 2 : groups?.triples ? 3 : 0 }
}

const runs =
  /(?<pairs>[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u30fc\u3099\u309a]+)|(?<triples>[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+)|\p{Extended_Pictographic}|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u30fc\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}])[\p{L}\p{N}\p{M}])+/gu

/** Overlapping parts of a run, shorter at its end. */
function* partsOf(run: string, size: number): Generator<string> {
  const characters = [...run]
  for (let at = 0; at < characters.length; at++) yield characters.slice(at, at + size).join('')
}

const cut = (word: string) => (word.length <= longestWord ? word : [...word].slice(0, longestWord).join(''))

/** Lowercase without accents, vowel points and invisible characters. */
const plain = (text: string) =>
  text
    .replace(unseen, '')
    .replace(manyMarks, '$1')
    .normalize('NFKD')
    .replace(unseen, '')
    .toLowerCase()
    .replace(otherwiseWritten, (letter) => writtenAs[letter as keyof typeof writtenAs])
    .normalize('NFC')

/** Accents of Latin, Greek and Cyrillic; points of Hebrew and Arabic; variation selectors; direction and joining characters. */
const unseen = /[\u0300-\u036f]|[\u0591-\u05c7]|[\u0610-\u061a]|\u0640|[\u064b-\u065f]|\u0670|[\ufe00-\ufe0f]|\p{Cf}/gu

/** Normalization is quadratic in the number of marks; no letter has this many. */
const manyMarks = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu

/** Letters with two spellings. */
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

/** Texts added to items; undefined if the terms of an item must be rebuilt from all its entries. */
type AddedTexts = ReadonlyMap<string, readonly string[] | undefined>

/** Updates the search terms of locked items. */
export async function writeTerms(context: Context, added: AddedTexts) {
  const more = [...added].flatMap(([id, texts]) => (texts && texts.length > 0 ? [{ id, texts }] : []))
  if (more.length > 0) await addTerms(context, more)
  for (const [id, texts] of added) if (!texts) await rebuildTerms(context, id)
}

/** Beyond this an item keeps the terms of its first texts. */
const mostStored = 2_000

async function addTerms({ db, accountId }: Context, added: readonly { id: string; texts: readonly string[] }[]) {
  const rows = added.map(({ id, texts }) => sql`(${id}, ${termsColumn(accountId, texts)})`)
  await sql`
    update inbox_items i set words = i.words || a.words from (values ${sql.join(rows)}) as a (id, words)
    where i.account_id = ${accountId} and i.id = a.id and length(i.words) < ${mostStored}`.execute(db)
}

/** Maximum entries read of one item. */
const mostEntries = 500

async function rebuildTerms({ db, accountId }: Context, itemId: string) {
  const entries = await db
    .selectFrom('inboxEntries')
    .select(['personName', 'personUsername', 'content'])
    .where('accountId', '=', accountId)
    .where('itemId', '=', itemId)
    .where('type', 'in', ['message', 'comment', 'reply', 'note'])
    .orderBy('created', 'desc')
    .orderBy('id', 'desc')
    .limit(mostEntries)
    .execute()
  const texts = entries.flatMap(({ personName, personUsername, content }) => [personName, personUsername, content])
  await db
    .updateTable('inboxItems')
    .set({ words: termsColumn(accountId, texts) })
    .where('accountId', '=', accountId)
    .where('id', '=', itemId)
    .execute()
}
