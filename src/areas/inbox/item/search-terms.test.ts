import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ownerQuery } from '#kernel/database/owner.ts'
import { freshDatabase } from '../../../../tests/support/database/database.ts'
import { searchQuery, termsOf } from './search-terms.ts'

const accountId = '001000000000001'
let database: { url: string; drop(): Promise<void> }

beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

describe('search finds', () => {
  const samples = {
    English: "Don't you ship to Galway? I ordered the NorthWind jacket (size XL) at shop.example.com, #4711",
    German: 'Die Größe stimmt, aber der Reißverschluss ist nach zwei Wochen kaputtgegangen. Schöne Grüße, Jörg',
    French: "L’été dernier, j'ai acheté votre tente ; à présent l'œillet est cassé.",
    Spanish: '¿Cuándo vuelve a estar disponible la mochila pequeña?',
    Polish: 'Łódź czeka na nowy sklep!',
    Turkish: 'İSTANBUL şubesi kaçta açılıyor?',
    Greek: 'Πότε ανοίγει ο ΔΡΟΜΟΣ;',
    Russian: 'Палатка протекает, что делать? Ещё раз спасибо',
    Hebrew: 'שָׁלוֹם, מתי יגיע המשלוח?',
    Arabic: 'مَتَى تَصِلُ الطَّلَبِيَّةُ؟',
    Hindi: 'की जैकेट कब आएगी',
    Japanese: '先週東京都庁の近くでテントを買いました。カラビナが壊れています。',
    Chinese: '请问这款背包什么时候有货？',
    Korean: '한국어를 지원하나요? 텐트가 좋아요',
    Thai: 'เต็นท์กันน้ำได้ไหม',
    pictures: 'Love it ❤️👍🏽',
  }
  const questions: Record<keyof typeof samples, string[]> = {
    English: [
      "don't",
      'don’t ship',
      'galw',
      'northwind xl',
      'example.com',
      '4711',
      'ＪＡＣＫＥＴ',
      '𝐣𝐚𝐜𝐤𝐞𝐭',
      'jac\u00adket',
    ],
    German: ['grösse', 'GROSSE', 'große', 'reissverschl', 'jorg grusse', 'Jo\u0308rg'],
    French: ['ete', 'été', 'œillet', 'oeillet', 'achete'],
    Spanish: ['cuando', 'pequena', 'mochila disp'],
    Polish: ['lodz', 'ŁÓDŹ'],
    Turkish: ['istanbul', 'subesi', 'açiliyor'],
    Greek: ['δρομος', 'ποτε'],
    Russian: ['палатк', 'еще', 'СПАСИБО'],
    Hebrew: ['שלום', 'המשלוח'],
    Arabic: ['متى', 'الطلبية', 'متي'],
    Hindi: ['की', 'जैकेट कब'],
    Japanese: ['東京', '都庁', 'テント', 'ﾃﾝﾄ', '壊れて', '壊', '東京 カラビナ', '東京都庁の近く'],
    Chinese: ['背包', '这款背包', '货', '什么 背包'],
    Korean: ['한국어', '텐트', '텐', '지원하나요'],
    Thai: ['เต็นท์', 'กันน้ำ', 'น้ำ', 'ไหม'],
    pictures: ['❤', '👍', 'love ❤️'],
  }
  it.each(Object.entries(questions))('text in %s, and nothing else', async (language, queries) => {
    const text = samples[language as keyof typeof samples]
    expect(await foundIn(Object.values(samples), queries)).toEqual(queries.map(() => [text]))
  })

  it('items with all terms, the last one as a prefix', async () => {
    const texts = ['tent poles', 'tent pole', 'pole', 'tentative pole']
    expect(await foundIn(texts, ['tent pole', 'pole ten', 'ent'])).toEqual([
      ['tent poles', 'tent pole'],
      ['tent pole', 'tentative pole'],
      [],
    ])
  })

  it('letters that differ by more than accents separately', async () => {
    expect(await foundIn(['かき', 'がき', 'का', 'की'], ['がき', 'की'])).toEqual([['がき'], ['की']])
  })

  it('nothing without terms', () => {
    for (const question of ['', '   ', "' & ! | :*", '\\', '\ud800', '\u202e\u200b'])
      expect(searchQuery(accountId, question)).toBeUndefined()
  })

  it('items of one account only', async () => {
    expect(await foundIn(['tent'], ['tent'], '001000000000002')).toEqual([[]])
  })
})

describe('any text', () => {
  const hostile = {
    'one word of 200,000 letters': 'xyz'.repeat(66_000),
    'accents without end': `a${'\u0301\u0323'.repeat(50_000)}`,
    'accents in the wrong order': `b${'\u0301'.repeat(50_000)}${'\u0323'.repeat(50_000)}`,
    'marks of other writing': `क${'\u0951\u0952\uff9e\u093c'.repeat(50_000)}`,
    'what grows when it is taken apart': '\ufdfa'.repeat(10_000),
    'halves of signs': '\ud800x\udc00'.repeat(30_000),
    'pairs without end': '東京都庁'.repeat(50_000),
    'families of pictures': '👨‍👩‍👧‍👦'.repeat(15_000),
    'directions and nothing else': '\u202e\u200b'.repeat(100_000),
    'quotes and backslashes': `'\\&|!<->:*"`.repeat(15_000),
    'a hundred thousand mentions': Array.from({ length: 100_000 }, (_, n) => `@u${n}`).join(' '),
  }
  it.each(Object.entries(hostile))('is indexed within limits: %s', (_, text) => {
    const words = termsOf([text])
    expect(words.length).toBeLessThanOrEqual(2000)
    for (const word of words) {
      expect([...word].length).toBeLessThanOrEqual(40)
      expect(word.isWellFormed()).toBe(true)
    }
  })

  it('can be queried', async () => {
    const texts = Object.values(hostile)
    const queries = texts.filter((text) => searchQuery(accountId, text))
    const answers = await foundIn(texts, queries)
    expect(queries).toHaveLength(texts.length - 2)
    for (const [at, found] of answers.entries()) expect(found).toContain(queries[at])
  })

  it('keeps the first terms', () => {
    const many = Array.from({ length: 3000 }, (_, n) => `word${n}`)
    expect(termsOf(['Ana Lopes', many.join(' ')]).slice(0, 3)).toEqual(['ana', 'lopes', 'word0'])
    expect(termsOf(many)).toHaveLength(2000)
  })
})

/** Which of the texts each query finds. */
async function foundIn(texts: readonly string[], questions: readonly string[], account = accountId) {
  const keys = (text: string) => termsOf([text]).map((word) => `${accountId}:${word}`)
  const rows = await ownerQuery<{ found: number[] }>(
    database.url,
    `select array(
       select at::int - 1 from unnest($1::text[]) with ordinality as said (words, at)
       where array_to_tsvector(words::text[]) @@ question::tsquery order by at
     ) as found from unnest($2::text[]) with ordinality as asked (question, turn) order by turn`,
    [
      texts.map((text) => `{${keys(text).map((key) => JSON.stringify(key))}}`),
      questions.map((question) => searchQuery(account, question)),
    ],
  )
  return rows.map(({ found }) => found.map((at) => texts[at]))
}
